// Shifted positions:  p_i = i + k,  k drawn for each training sequence from 0 .. max_shift;  k = 0 in evaluation
//
// Source  Kiyono et al. 2021, SHAPE (arXiv:2109.05644), section 3. Relative encodings do not see it.
#include "encodings/positions.h"

namespace lengthwise {
namespace {

class Shifted final : public PositionScheme {
 public:
  explicit Shifted(const Options& options) : max_shift_(options.integer("max_shift")) {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    std::vector<double> ids;
    ids.reserve(input.offsets.back());
    for (std::size_t b = 0; b < input.sequences(); ++b) {
      double shift = 0;
      if (input.phase == Phase::train)
        shift = static_cast<double>(Rng(input.sequence_rng[b]).at("shifted").between(0, max_shift_));
      for (std::size_t i = 0; i < input.length(b); ++i) ids.push_back(static_cast<double>(i) + shift);
    }
    positions.set("sequence", std::move(ids));
  }

  double largest(std::size_t n, std::size_t, Phase phase) const override {
    return static_cast<double>(n) - 1 + (phase == Phase::train ? static_cast<double>(max_shift_) : 0);
  }
  double farthest(std::size_t n, std::size_t, Phase) const override { return static_cast<double>(n) - 1; }

 private:
  std::int64_t max_shift_;
};

const bool registered = register_scheme<Shifted>({
    .section = {"shifted",
                "Training sequences start at a random position (SHAPE, Kiyono et al. 2021)",
                {integer("max_shift", 500).at_most(1e9).in("positions").says("the largest start")}},
    .source = "Kiyono et al. 2021, arXiv:2109.05644, section 3",
});

}  // namespace
}  // namespace lengthwise
