// Reset-Dyck-1:  ( ( ) # ( ), brackets of one kind and a symbol that forgets all that was open.
//
// Source   Bhattamishra et al. 2020 (arXiv:2009.11264): what stands before the last # does not matter. There one # cuts
//          the beginning of a word of Dyck-1 off; here there may be several, and # can always follow.
// n        symbols, from 1 on.
// Options  reset (0.1): weight of a # in a word beside 1 for a bracket; words of length n are drawn in proportion to
//          the product of their weights.
// Chance   1/2: with something open ( ) # can follow, otherwise ( # and the end; 1 for n = 1.
#include "experiments/tasks/language.h"

namespace lengthwise {
namespace {

constexpr int open = 0, close = 1, reset = 2;

// The state is the number of open brackets.
class ResetDyck final : public MachineTask {
 public:
  ResetDyck(const Options& options, Layout layout)
      : MachineTask(layout, {"(", ")", "#"}), reset_weight_(options.real("reset")) {}

  std::optional<std::size_t> next(std::size_t state, int symbol) const override {
    if (symbol == reset) return 0;
    if (symbol == open) return state + 1;
    return state > 0 ? std::optional(state - 1) : std::nullopt;
  }
  bool accepts(std::size_t state) const override { return state == 0; }
  std::size_t states(std::size_t n) const override { return n + 1; }
  double weight(int symbol) const override { return symbol == reset ? reset_weight_ : 1; }

  Labels solve(const std::vector<int>& string) const override {
    std::vector<std::uint64_t> sets;
    for (auto read = string.begin() + 1; sets.size() < string.size(); ++read) {
      const auto begin = std::find(std::reverse_iterator(read), string.rend(), first_symbol + reset).base();
      const bool balanced =
          std::count(begin, read, first_symbol + open) == std::count(begin, read, first_symbol + close);
      sets.push_back(only(open) | only(reset) | (balanced ? end : only(close)));
    }
    return at_every_position(std::move(sets));
  }

 private:
  double reset_weight_;
};

const bool registered = register_task<ResetDyck>({
    .section = {"reset_dyck",
                "Which symbols can follow in balanced brackets of one kind that a reset starts anew.",
                {real("reset", 0.1).above(0).says("weight of a reset beside 1 for a bracket, in drawing words")}},
    .length = "symbols",
    .source = "Bhattamishra et al. 2020 (arXiv:2009.11264)",
    .notes = "# is the reset: nothing before it counts",
    .definition = "1: x is a word of length n, drawn by the weights of its symbols; the label of a position is the set "
                  "of symbols that can follow",
});

}  // namespace
}  // namespace lengthwise
