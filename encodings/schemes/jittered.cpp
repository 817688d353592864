// Jittered positions:  p_i = lambda (i + D + e_i)
//
// with a shift D ~ U(-max_shift, max_shift) and a scale ln lambda ~ U(-ln max_scale, ln max_scale) for each training
// sequence and a jitter e_i ~ U(-max_jitter, max_jitter) for each token. In evaluation p_i = i.
//
// Source    Likhomanenko et al. 2021, CAPE (arXiv:2106.03143), section 3.2; the defaults are its translation
//           experiment's.
// Options   max_shift (5), max_jitter (0.5), max_scale (1.03). centred (false): i is counted from the middle of the
//           sequence, in training and evaluation. axes (sequence; grid: row and column of the task's grid are moved
//           instead, each by shifts and jitters of its own and both by one scale; "sequence" counts tokens).
// Deviates  a grid is measured in tokens, where the paper's images run from -1 to 1: its shifts of 0.5 are a quarter of
//           the grid's side, its jitter is half a token and its scale 1.4.
#include <algorithm>
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
        centred_(options.flag("centred")),
        grid_(options.text("axes") == "grid") {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    std::vector<double> ids;
    ids.reserve(input.offsets.back());
    for (std::size_t b = 0; b < input.sequences(); ++b)
      for (std::size_t i = 0; i < input.length(b); ++i) ids.push_back(static_cast<double>(i));
    if (grid_) {
      for (const char* axis : {"row", "column"}) {
        const auto hint = input.hint(axis);
        std::vector<double> coordinates(hint.begin(), hint.end());
        positions.without_position.resize(coordinates.size());
        for (std::size_t i = 0; i < coordinates.size(); ++i)
          if (coordinates[i] < 0) positions.without_position[i] = true, coordinates[i] = 0;
        move(input, axis, coordinates);
        positions.set(axis, std::move(coordinates));
      }
      if (std::ranges::find(positions.without_position, true) == positions.without_position.end())
        positions.without_position.clear();
    } else {
      move(input, "sequence", ids);
    }
    positions.set("sequence", std::move(ids));
  }

  std::vector<std::string> channels() const override {
    return grid_ ? std::vector<std::string>{"sequence", "row", "column"} : std::vector<std::string>{"sequence"};
  }
  std::vector<std::string> hints() const override {
    return grid_ ? std::vector<std::string>{"row", "column"} : std::vector<std::string>{};
  }
  /// Neighbours keep their order as long as neither moves by more than half a step.
  bool increasing() const override { return grid_ || max_jitter_ <= 0.5; }
  bool whole() const override { return false; }
  double largest(std::size_t n, std::size_t, Phase phase) const override {
    if (grid_) return static_cast<double>(n) - 1;
    const double last = (static_cast<double>(n) - 1) * (centred_ ? 0.5 : 1);
    return phase == Phase::train ? max_scale_ * (last + max_shift_ + max_jitter_) : last;
  }

 private:
  void move(const SchemeInput& input, const char* axis, std::vector<double>& ids) const {
    for (std::size_t b = 0; b < input.sequences(); ++b) {
      const auto own = std::span(ids).subspan(input.offsets[b], input.length(b));
      if (own.empty()) continue;
      const double middle = centred_ ? std::ranges::max(own) / 2 : 0;
      for (double& p : own) p -= middle;
      if (input.phase == Phase::evaluate) continue;
      const Rng rng = input.sequence_rng[b].at("jittered");
      const double log_scale = std::log(max_scale_);
      const double scale = std::exp(rng.at("scale").uniform(-log_scale, log_scale));
      Rng of_axis = rng.at(axis);
      const double shift = of_axis.uniform(-max_shift_, max_shift_);
      for (double& p : own) p = scale * (p + shift + of_axis.uniform(-max_jitter_, max_jitter_));
    }
  }

  double max_shift_, max_jitter_, max_scale_;
  bool centred_, grid_;
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
          flag("centred", false).says("count from the middle of the sequence"),
          choice("axes", "sequence", {"sequence", "grid"})
              .says("what is moved: the order of tokens, or row and column of the task's grid, in tokens")}},
    .source = "Likhomanenko et al. 2021, arXiv:2106.03143, section 3.2",
});

}  // namespace
}  // namespace lengthwise
