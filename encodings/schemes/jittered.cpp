// Jittered positions:  p_i = lambda (i + D + e_i)
//
// with a shift D ~ U(-max_shift, max_shift) and a scale ln lambda ~ U(-ln max_scale, ln max_scale) for each training
// sequence and a jitter e_i ~ U(-max_jitter, max_jitter) for each token. In evaluation p_i = i.
//
// Source   Likhomanenko et al. 2021, CAPE (arXiv:2106.03143), section 3.2; the defaults are its translation
// experiment's. Options  centred (false): i is counted from the middle of the sequence, in training and evaluation.
#include <cmath>

#include "encodings/positions.h"

namespace lengthwise {
namespace {

class Jittered final : public PositionScheme {
 public:
  explicit Jittered(const Options& options)
      : max_shift_(options.real("max_shift")),
        max_jitter_(options.real("max_jitter")),
        max_scale_(options.real("max_scale")),
        centred_(options.flag("centred")) {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    std::vector<double> ids;
    ids.reserve(input.offsets.back());
    for (std::size_t b = 0; b < input.sequences(); ++b) {
      const double middle = centred_ ? (static_cast<double>(input.length(b)) - 1) / 2 : 0;
      if (input.phase == Phase::evaluate) {
        for (std::size_t i = 0; i < input.length(b); ++i) ids.push_back(static_cast<double>(i) - middle);
        continue;
      }
      Rng rng = input.sequence_rng[b].at("jittered");
      const double shift = rng.uniform(-max_shift_, max_shift_), log_scale = std::log(max_scale_);
      const double scale = std::exp(rng.uniform(-log_scale, log_scale));
      for (std::size_t i = 0; i < input.length(b); ++i)
        ids.push_back(scale * (static_cast<double>(i) - middle + shift + rng.uniform(-max_jitter_, max_jitter_)));
    }
    positions.set("sequence", std::move(ids));
  }

  /// Neighbours keep their order as long as neither moves by more than half a step.
  bool increasing() const override { return max_jitter_ <= 0.5; }
  bool whole() const override { return false; }
  double largest(std::size_t n, std::size_t, Phase phase) const override {
    const double last = (static_cast<double>(n) - 1) * (centred_ ? 0.5 : 1);
    return phase == Phase::train ? max_scale_ * (last + max_shift_ + max_jitter_) : last;
  }

 private:
  double max_shift_, max_jitter_, max_scale_;
  bool centred_;
};

const bool registered = register_scheme<Jittered>({
    .section =
        {"jittered",
         "Training positions are shifted, scaled and jittered at random (CAPE, Likhomanenko et al. 2021)",
         {real("max_shift", 5).at_least(0).in("positions").says("largest shift of a sequence"),
          real("max_jitter", 0.5)
              .at_least(0)
              .in("positions")
              .says("largest move of a single token; above 0.5 tokens may change their order"),
          real("max_scale", 1.03).at_least(1).says("largest stretch of a sequence; the smallest is its reciprocal"),
          flag("centred", false).says("count from the middle of the sequence")}},
    .source = "Likhomanenko et al. 2021, arXiv:2106.03143, section 3.2",
});

}  // namespace
}  // namespace lengthwise
