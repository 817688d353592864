// T5 relative position bias:  S_hij += b[h, bucket(p_i - p_j)]
//
// Source      Raffel et al. 2020 (arXiv:1910.10683), section 2.1.
// Parameters  t5.table (H, buckets): one for all layers, zero at first.
// Options     buckets (32), max_distance (128 positions), scaled (true: keep 1/sqrt(d)).
// Deviates    content scores keep 1/sqrt(d) unless scaled = false, and the table starts at zero, so that a model starts
//             as without positions.
// Throws      when there are fewer than 2 buckets (4 in bidirectional models), or too many for max_distance.
// Past L      clamp: all distances from max_distance on share the last bucket. Buckets of distances that training never
//             met are untrained: set max_distance for the training length (half of it, in the shipped configs).
//
// Half of the buckets are exact, the others grow by a constant factor up to max_distance. A bidirectional model gives
// half of all buckets to each side; bucket 0 of the future side is never used.
#include "encodings/distances.h"

namespace lengthwise {
namespace {

// First distance of each bucket of one side. The power is formed in long double and rounded down by a guard: floor(log)
// is off by one near whole logarithms.
std::vector<double> bucket_starts(std::size_t buckets, std::size_t max_distance) {
  const std::size_t exact = buckets / 2;
  std::vector<double> starts;
  for (std::size_t t = 0; t < buckets; ++t) {
    if (t <= exact) {
      starts.push_back(static_cast<double>(t));
      continue;
    }
    const long double e = static_cast<long double>(exact);
    const long double share = static_cast<long double>(t - exact) / static_cast<long double>(buckets - exact);
    starts.push_back(
        static_cast<double>(std::ceil(e * std::pow(static_cast<long double>(max_distance) / e, share) - 1e-9L)));
  }
  return starts;
}

template <class T>
class T5 final : public Encoding<T> {
 public:
  explicit T5(const EncodingSetup<T>& setup)
      : causal_(setup.shape.causal),
        scaled_(setup.options.flag("scaled")),
        buckets_(setup.options.count("buckets")),
        side_(causal_ ? buckets_ : buckets_ / 2),
        starts_(bucket_starts(side_, setup.options.count("max_distance"))),
        table_(setup.store.table("t5.table", setup.shape.heads, buckets_, initial_value(0))) {}

  T scale(std::size_t head_dim) const override { return scaled_ ? Encoding<T>::scale(head_dim) : T(1); }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const Distances& found = distances(context);
    const auto& bias = context.memo->get<Variable<T>>("t5", [&] {
      std::vector<std::size_t> index;
      index.reserve(found.values.size());
      for (const double d : found.values) index.push_back(bucket(d));
      return gather_columns(table_.variable(), std::move(index));
    });
    return {.scores = {distance_bias(bias, found.columns, 0)}};
  }

 private:
  std::size_t bucket(double distance) const {  // p_query - p_key: the past is positive
    const double away = causal_ ? std::max(distance, 0.0) : std::abs(distance);
    // Interpolated ids: 8/3 - 5/3 comes out below 1.
    constexpr double rounding = 1e-9;
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), away + rounding);
    const auto within = static_cast<std::size_t>(after - starts_.begin()) - 1;
    return !causal_ && distance < 0 ? side_ + within : within;
  }

  bool causal_, scaled_;
  std::size_t buckets_, side_;
  std::vector<double> starts_;
  Parameter<T> table_;
};

const bool registered = register_encoding<T5>({
    .section = {"t5",
                "Learned bias per head and bucket of distances (Raffel et al. 2020)",
                {integer("buckets", 32).at_least(2).at_most(4096).says("rows of the table; the paper uses 32"),
                 integer("max_distance", 128)
                     .at_least(2)
                     .at_most(1 << 24)
                     .in("positions")
                     .says("from here on all distances share the last bucket; the paper uses 128"),
                 flag("scaled", true).says("keep 1/sqrt(d) on q.k; T5 itself drops it")}},
    .source = "Raffel et al. 2020, arXiv:1910.10683, section 2.1",
    .formula = "S_hij += b[h, bucket(p_i - p_j)]",
    .verified = "transformers, torchscale, x-transformers, mesh (golden)",
    .past_length = PastLength::clamp,
    .relative = true,
    .reads_distances = true,
    .check =
        [](const Options& options, const ModelShape& shape) {
          const std::size_t buckets = options.count("buckets"), distance = options.count("max_distance");
          const std::size_t side = shape.causal ? buckets : buckets / 2;
          require(side >= 2 && buckets % (shape.causal ? 1 : 2) == 0 && distance > side / 2, "t5: t5.buckets is ",
                  buckets, " and t5.max_distance ", distance, "; a ", shape.causal ? "causal" : "bidirectional",
                  " model needs ",
                  shape.causal ? "at least 2 buckets and fewer than 2 max_distance"
                               : "an even number of at least 4 buckets and fewer than 4 max_distance",
                  ". The paper uses 32 and 128.");
        },
});

}  // namespace
}  // namespace lengthwise
