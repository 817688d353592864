// Position Interpolation:  p_i = i / s,  s = factor, or max(1, n / L) when factor is 0
//
// Source  Chen et al. 2023 (arXiv:2306.15595), eq. 4. Equal to dividing every frequency of a rotary encoding by s.
#include <algorithm>

#include "encodings/positions.h"

namespace lengthwise {
namespace {

class Interpolated final : public PositionScheme {
 public:
  explicit Interpolated(const Options& options) : factor_(options.real("factor")) {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    std::vector<double> ids(input.offsets.back());
    for (std::size_t b = 0; b + 1 < input.offsets.size(); ++b) {
      const std::size_t n = input.offsets[b + 1] - input.offsets[b];
      const double s = squeeze(n, input.train_positions);
      for (std::size_t i = 0; i < n; ++i) ids[input.offsets[b] + i] = static_cast<double>(i) / s;
    }
    positions.set("sequence", std::move(ids));
  }

  bool whole() const override { return false; }
  double largest(std::size_t n, std::size_t trained, Phase) const override {
    return (static_cast<double>(n) - 1) / squeeze(n, trained);
  }

 private:
  double squeeze(std::size_t n, std::size_t trained) const {
    if (factor_ > 0) return factor_;
    return trained ? std::max(1.0, static_cast<double>(n) / static_cast<double>(trained)) : 1.0;
  }

  double factor_;
};

const bool registered = register_scheme<Interpolated>({
    .section = {"interpolated",
                "Positions divided by a factor, so that longer sequences stay in the trained range (Chen et al. 2023)",
                {real("factor", 0)
                     .at_least(0)
                     .changeable()
                     .says("the divisor s; 0: n / L for sequences longer than the trained L, else 1")}},
    .source = "Chen et al. 2023, arXiv:2306.15595, eq. 4",
    .rescales = true,
});

}  // namespace
}  // namespace lengthwise
