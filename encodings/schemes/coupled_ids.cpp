// Position coupling:  p_i = c_i + s - 1 in channel "coupled" for tokens that the task couples, 0 for others
//
// c_i >= 1 is the task's hint (digits of equal significance, a symbol and its copy). In training the start s is drawn
// for each sequence so that ids spread over 1 .. max_position; in evaluation s = 1. Channel "sequence" counts tokens.
//
// Source  Cho et al. 2024 (arXiv:2405.20671), section 3; Cho et al. 2024 (arXiv:2410.15787).
#include <algorithm>

#include "encodings/positions.h"

namespace lengthwise {
namespace {

class CoupledIds final : public PositionScheme {
 public:
  explicit CoupledIds(const Options& options) : max_position_(options.integer("max_position")) {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    const auto hint = input.hint("coupled");
    std::vector<double> coupled(hint.begin(), hint.end()), ids;
    ids.reserve(hint.size());
    for (std::size_t b = 0; b < input.sequences(); ++b) {
      const auto own = std::span(coupled).subspan(input.offsets[b], input.length(b));
      for (std::size_t i = 0; i < own.size(); ++i) ids.push_back(static_cast<double>(i));
      const auto needed = own.empty() ? 0 : static_cast<std::int64_t>(std::ranges::max(own));
      require(needed <= max_position_, "coupled_ids: a sequence needs ", needed,
              " coupled positions, but coupled_ids.max_position is ", max_position_,
              "; enlarge it (and coupled.positions), or use shorter sequences.");
      if (input.phase == Phase::evaluate) continue;
      const auto start =
          static_cast<double>(Rng(input.sequence_rng[b]).at("coupled").between(1, max_position_ - needed + 1));
      for (double& p : own) p = p == 0 ? 0 : p + start - 1;
    }
    positions.set("coupled", std::move(coupled));
    positions.set("sequence", std::move(ids));
  }

  std::vector<std::string> channels() const override { return {"sequence", "coupled"}; }
  std::vector<std::string> hints() const override { return {"coupled"}; }
  double largest(std::size_t n, std::size_t, Phase) const override { return static_cast<double>(n) - 1; }
  double largest_in_training(const std::string& channel, double in_evaluation) const override {
    return channel == "coupled" ? static_cast<double>(max_position_) : in_evaluation;
  }

 private:
  std::int64_t max_position_;
};

const bool registered = register_scheme<CoupledIds>({
    .section = {"coupled_ids",
                "Tokens are numbered 0, 1, 2, ..., and coupled tokens share an id, from a random start in training "
                "(Cho et al. 2024)",
                {integer("max_position", 202).at_least(1).at_most(1e9).in("positions").says("largest coupled id")}},
    .source = "Cho et al. 2024, arXiv:2405.20671, section 3",
});

}  // namespace
}  // namespace lengthwise
