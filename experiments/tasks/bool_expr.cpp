// Boolean expressions in prefix notation:  > ~ 0 1 + 1 0, where ~ takes one operand, + two and > three.
//
// Source   Bhattamishra et al. 2020 (arXiv:2009.11264), n-ary Boolean expressions; their ternary ones are arity = 3.
// n        symbols, from 1 on. The source's grammar, which draws an operator with probability p and otherwise a value,
//          given that the expression has length n.
// Options  arity (3): of the largest operator, p (0.5).
// Chance   1/2: an expression is complete or any symbol can follow; 1 for n = 1.
#include "experiments/tasks/language.h"

namespace lengthwise {
namespace {

std::vector<std::string> alphabet(std::size_t arity) {
  std::vector<std::string> all{"0", "1", "~", "+", ">"};
  all.resize(2 + arity);
  return all;
}

// The state is the number of expressions still to come.
class BoolExpr final : public MachineTask {
 public:
  BoolExpr(const Options& options, Layout layout)
      : MachineTask(layout, alphabet(options.count("arity"))), p_(options.real("p")) {}

  std::size_t start() const override { return 1; }
  std::optional<std::size_t> next(std::size_t state, int symbol) const override {
    if (state == 0) return {};
    return state - 1 + operands(symbol);
  }
  bool accepts(std::size_t state) const override { return state == 0; }
  std::size_t states(std::size_t n) const override { return n + 1; }  // each expression to come takes a symbol
  double weight(int symbol) const override { return symbol < 2 ? (1 - p_) / 2 : p_ / (symbols() - 2); }

  Labels solve(const std::vector<int>& string) const override {
    std::vector<std::uint64_t> sets(string.size(), 0);
    for (int s = 0; s < symbols(); ++s)
      for (std::uint64_t& set : sets) set |= only(s);
    if (const std::size_t complete = read(string, 0); complete <= string.size()) sets[complete - 1] = end;
    return at_every_position(std::move(sets));
  }

 private:
  static std::size_t operands(int symbol) { return symbol < 2 ? 0 : static_cast<std::size_t>(symbol - 1); }

  // An expression is a value, or an operator and its operands. Returns where the one that begins at `i` ends; beyond
  // the string where that stops short.
  static std::size_t read(const std::vector<int>& string, std::size_t i) {
    if (i >= string.size()) return string.size() + 1;
    const std::size_t count = operands(string[i++] - first_symbol);
    for (std::size_t operand = 0; operand < count; ++operand) i = read(string, i);
    return i;
  }

  double p_;
};

const bool registered = register_task<BoolExpr>({
    .section =
        {"bool_expr",
         "Which symbols can follow in a Boolean expression in prefix notation.",
         {integer("arity", 3).at_least(1).at_most(3).says("operators: 1: ~; 2: and the binary +; 3: and the ternary >"),
          real("p", 0.5).above(0).below(1).says("probability of an operator instead of a value")}},
    .length = "symbols",
    .source = "Bhattamishra et al. 2020 (arXiv:2009.11264)",
    .notes = "~ takes one operand, + two and > three; EOS stands where the expression is complete",
    .definition = "1: x is an expression of the grammar, given its length n; the label of a position is the set of "
                  "symbols that can follow",
});

}  // namespace
}  // namespace lengthwise
