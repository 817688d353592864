// The temporal bias of sinusoids:  S_hij += (1/c_h) (sum_m cos((p_i - p_j) w_m) - db/2)
//
// with w_m = 10000^(-2m/db), m = 0 .. db/2 - 1, and c_h = 8 (h + 1) / H.
//
// Source      Chi, Fan, Rudnicky, Ramadge 2022, Sandwich (arXiv:2212.10356).
// Parameters  none.
// Options     db (128): the width of the sinusoids, whatever the head's. first (0): the first m; NVIDIA NeMo sums over
//             m = 1 .. db/2.
// Deviates    -db/2, a constant that softmax does not see, is no part of the paper's sum: with it a token's bias to
//             itself is 0, and float keeps more digits of what differs.
// Past L      extrapolate: falls about like a logarithm, with ripples.
#include "encodings/distances.h"

namespace lengthwise {
namespace {

template <class T>
class Sandwich final : public Encoding<T> {
 public:
  explicit Sandwich(const EncodingSetup<T>& setup) : heads_(setup.shape.heads) {
    const auto db = static_cast<double>(setup.options.count("db"));
    const auto first = static_cast<double>(setup.options.count("first"));
    for (double m = first; m < first + db / 2; ++m) frequencies_.push_back(std::pow(10000.0, -2 * m / db));
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const Distances& found = distances(context);
    const auto& table = context.memo->get<Variable<T>>("sandwich", [&] {
      Array<T> bias = uninitialized<T>(heads_, found.values.size());
      for (std::size_t c = 0; c < found.values.size(); ++c) {
        const double fall = kernel(found.values[c]);
        for (std::size_t h = 0; h < heads_; ++h)
          bias(h, c) = static_cast<T>(fall * static_cast<double>(heads_) / (8 * static_cast<double>(h + 1)));
      }
      return constant(std::move(bias));
    });
    return {.scores = {distance_bias(table, found.columns, 0)}};
  }

 private:
  double kernel(double distance) const {
    double sum = 0;
    for (const double w : frequencies_) sum += std::cos(distance * w) - 1;
    return sum;
  }

  std::size_t heads_;
  std::vector<double> frequencies_;
};

const bool registered = register_encoding<Sandwich>({
    .section = {"sandwich",
                "The part of sinusoidal positions that depends on distance, as a fixed bias (Chi et al. 2022)",
                {integer("db", 128).at_least(2).at_most(1 << 16).says("width of the sinusoids that are summed; even"),
                 choice("first", "0", {"0", "1"}).says("number of the first frequency: 0, or 1 as in NeMo")}},
    .source = "Chi, Fan, Rudnicky, Ramadge 2022, arXiv:2212.10356",
    .formula = "S_hij += H / (8 (h+1)) (sum_m cos((p_i - p_j) 10000^(-2m/db)) - db/2)",
    .verified = "NeMo (golden)",
    .relative = true,
    .reads_distances = true,
    .check =
        [](const Options& options, const ModelShape&) {
          require(options.integer("db") % 2 == 0, "sandwich: sandwich.db is ", options.integer("db"),
                  "; it must be even. The paper uses 128.");
        },
});

}  // namespace
}  // namespace lengthwise
