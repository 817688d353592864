// Position coupling:  p_i = c_i + s - 1 in channel "coupled" for tokens that the task couples, 0 for others
//
// c_i >= 1 is the task's hint (digits of equal significance, a symbol and its copy). In training the start s is drawn
// for each sequence so that ids spread over 1 .. max_position; in evaluation s = 1, unless `start` is random. Channel
// "operand", a second axis of such ids, is shifted likewise where the task has one. Channel "sequence" counts tokens,
// or is the coupled one, so that any encoding can read it (rotary distances of coupled tokens, for instance).
//
// Source   Cho et al. 2024 (arXiv:2405.20671), section 3; two axes: Cho et al. 2024 (arXiv:2410.15787).
// Options  max_position (202), max_operand (62): the largest ids of the two axes; start (first; random): in evaluation;
//          sequence (tokens; coupled).
#include <algorithm>

#include "encodings/positions.h"

namespace lengthwise {
namespace {

class CoupledIds final : public PositionScheme {
 public:
  explicit CoupledIds(const Options& options)
      : max_position_(options.integer("max_position")),
        max_operand_(options.integer("max_operand")),
        random_(options.text("start") == "random"),
        in_sequence_(options.text("sequence") == "coupled") {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    positions.set("coupled", shifted(input, "coupled", max_position_, "max_position (and coupled.positions)"));
    if (input.hints->count("operand"))
      positions.set("operand", shifted(input, "operand", max_operand_, "max_operand (and coupled_operand.positions)"));
    std::vector<double> ids;
    for (std::size_t b = 0; b < input.sequences(); ++b)
      for (std::size_t i = 0; i < input.length(b); ++i) ids.push_back(static_cast<double>(i));
    if (in_sequence_) ids = {positions.channel("coupled").begin(), positions.channel("coupled").end()};
    positions.set("sequence", std::move(ids));
  }

  std::vector<std::string> channels() const override { return {"sequence", "coupled"}; }
  std::vector<std::string> hints() const override { return {"coupled"}; }
  bool increasing() const override { return !in_sequence_; }
  double largest(std::size_t n, std::size_t, Phase) const override {
    return static_cast<double>(in_sequence_ ? max_position_ : static_cast<std::int64_t>(n) - 1);
  }
  double largest_in_training(const std::string& channel, double in_evaluation) const override {
    return channel == "coupled"   ? static_cast<double>(max_position_)
           : channel == "operand" ? static_cast<double>(max_operand_)
                                  : in_evaluation;
  }

 private:
  std::vector<double> shifted(const SchemeInput& input, const std::string& channel, std::int64_t largest,
                              const char* option) const {
    const auto hint = input.hint(channel);
    std::vector<double> ids(hint.begin(), hint.end());
    for (std::size_t b = 0; b < input.sequences(); ++b) {
      const auto own = std::span(ids).subspan(input.offsets[b], input.length(b));
      const auto needed = own.empty() ? 0 : static_cast<std::int64_t>(std::ranges::max(own));
      require(needed <= largest, "coupled_ids: a sequence needs ", needed, ' ', channel, " positions, and there are ",
              largest, "; enlarge coupled_ids.", option, ", or use shorter sequences.");
      if (input.phase == Phase::evaluate && !random_) continue;
      const auto start = static_cast<double>(Rng(input.sequence_rng[b]).at(channel).between(1, largest - needed + 1));
      for (double& p : own) p = p == 0 ? 0 : p + start - 1;
    }
    return ids;
  }

  std::int64_t max_position_, max_operand_;
  bool random_, in_sequence_;
};

const bool registered = register_scheme<CoupledIds>({
    .section = {"coupled_ids",
                "Tokens are numbered 0, 1, 2, ..., and coupled tokens share an id, from a random start in training "
                "(Cho et al. 2024)",
                {integer("max_position", 202).at_least(1).at_most(1e9).in("positions").says("largest coupled id"),
                 integer("max_operand", 62)
                     .at_least(1)
                     .at_most(1e9)
                     .in("operands")
                     .says("largest id of the second axis, of tasks that have one"),
                 choice("start", "first", {"first", "random"})
                     .changeable()
                     .says("in evaluation ids start at 1, or at random as in training"),
                 choice("sequence", "tokens", {"tokens", "coupled"})
                     .says("what encodings of the sequence read: a count of tokens, or the coupled ids")}},
    .source = "Cho et al. 2024, arXiv:2405.20671, section 3",
});

}  // namespace
}  // namespace lengthwise
