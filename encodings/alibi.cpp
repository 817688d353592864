// Linear biases:  S_hij += -a_h (p_i - p_j),  a_h = 2^(-8 (h + 1) / H)
//
// Source      Press, Smith, Lewis 2021 (arXiv:2108.12409), section 3.
// Parameters  none.
// Options     mode: bidirectional attention needs a choice, as the paper's is causal. symmetric (default): -a_h |d|, which
//             cannot tell left from right; offset: -a_h (|d| - 1/2 [d > 0]) as in Ruoss et al. 2023 (arXiv:2305.16843).
//             max_exponent (8): the slopes end at 2^-max_exponent.
// Past L      extrapolate: a head with slope a sees about 1/a tokens, whatever n.
//
// Slopes of H heads that are no power of two: those of the largest power of two below, then every second one of twice as many.
#include "encodings/distances.h"

namespace lengthwise {
namespace {

std::vector<double> slopes(std::size_t heads, double max_exponent) {
  std::size_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> all;
  for (std::size_t h = 1; h <= power; ++h) all.push_back(std::exp2(-max_exponent * static_cast<double>(h) / static_cast<double>(power)));
  for (std::size_t h = 1; all.size() < heads; h += 2)
    all.push_back(std::exp2(-max_exponent * static_cast<double>(h) / static_cast<double>(2 * power)));
  return all;
}

template <class T>
class Alibi final : public Encoding<T> {
 public:
  explicit Alibi(const EncodingSetup<T>& setup)
      : slopes_(slopes(setup.heads.count, setup.options.real("max_exponent"))),
        offset_(setup.options.text("mode") == "offset") {}

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const Distances& found = distances(context);
    const auto& table = context.memo->get<Variable<T>>(join("alibi/", context.heads.first, "+", context.heads.count), [&] {
      Array<T> bias = uninitialized<T>(slopes_.size(), found.values.size());
      for (std::size_t h = 0; h < slopes_.size(); ++h)
        for (std::size_t c = 0; c < found.values.size(); ++c) {
          const double d = found.values[c], left = offset_ && d > 0 ? 0.5 : 0;
          bias(h, c) = static_cast<T>(-slopes_[h] * (std::abs(d) - left));
        }
      return constant(std::move(bias));
    });
    return {.scores = {distance_bias(table, found.columns, context.heads.first)}};
  }

 private:
  std::vector<double> slopes_;
  bool offset_;
};

const bool registered = register_encoding<Alibi>({
    .section = {"alibi",
                "A bias that falls linearly with distance, at a fixed slope per head (Press et al. 2021)",
                {choice("mode", "symmetric", {"symmetric", "offset"})
                     .says("bidirectional: -a |d|, or -a (|d| - 1/2) on the past side so that left and right differ"),
                 real("max_exponent", 8).above(0).at_most(64).says("the smallest slope is 2 to minus this")}},
    .source = "Press, Smith, Lewis 2021, arXiv:2108.12409, section 3",
    .formula = "S_hij += -a_h (p_i - p_j), a_h = 2^(-8 (h+1) / H)",
    .relative = true,
    .reads_distances = true,
});

}  // namespace
}  // namespace lengthwise
