// Solve an equation:  (x - (-3)) = 1 -> 3, modulo 5.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "solve equation".
// n        tokens, from 3 on: an expression of n - 2 tokens without products (bracket_expression.h), `=` and its value.
//          The hidden digit is the first one from a uniformly drawn token on, cyclically, as in the source; x has
//          coefficient 1 or -1, so that it is the only solution.
// Options  modulus (5); compat (none): peer starts at n = 1 and below 3 asks n times for 0, as the authors' code does:
//          0 0 -> 0.
// Chance   1 / modulus.
#include <algorithm>
#include <utility>

#include "experiments/tasks/bracket_expression.h"
#include "experiments/tasks/compat.h"

namespace lengthwise {
namespace {

class SolveEq final : public ClassTask {
 public:
  SolveEq(const Options& options, Layout layout)
      : SolveEq(static_cast<int>(options.integer("modulus")), as_peer(options), layout) {}

  void check_length(std::size_t n) const override {
    require_length(name(), n, shortest, "`x = 1` is the shortest equation", peer_);
  }

  Sample sample(std::size_t n, Rng rng) const override {
    if (n < shortest) return {.prompt = std::vector<int>(n, first_symbol), .target = {first_symbol}, .ids = {}};
    std::vector<int> prompt;
    const int value = expressions_.append(n - 2, rng, prompt);
    std::size_t hidden = rng.below(n - 2);
    while (!expressions_.is_digit(prompt[hidden])) hidden = (hidden + 1) % (n - 2);
    const int digit = std::exchange(prompt[hidden], unknown());
    prompt.insert(prompt.end(), {equals(), first_symbol + value});
    return {.prompt = std::move(prompt), .target = {digit}, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    if (prompt.size() < shortest) return {first_symbol};
    const std::size_t equal = prompt.size() - 2, hidden = std::ranges::find(prompt, unknown()) - prompt.begin();
    std::vector<int> expression(prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(equal)), solutions;
    for (int digit = first_symbol; digit < first_symbol + modulus_; ++digit) {
      expression[hidden] = digit;
      if (first_symbol + expressions_.value(expression) == prompt.back()) solutions.push_back(digit);
    }
    return solutions;
  }
  /// An expression with one of its digits hidden has `modulus` values, one for each digit.
  std::optional<double> space(std::size_t n) const override {
    return n < shortest ? 1 : expressions_.count(n - 2).digits;
  }

 private:
  static constexpr std::size_t shortest = 3;

  SolveEq(int modulus, bool peer, Layout layout)
      : ClassTask(layout, digits_and(modulus, "+ - ( ) x ="), modulus),
        modulus_(modulus),
        peer_(peer),
        expressions_(modulus, false) {}

  int unknown() const { return first_symbol + modulus_ + 4; }
  int equals() const { return unknown() + 1; }

  int modulus_;
  bool peer_;
  BracketExpressions expressions_;
};

const bool registered = register_task<SolveEq>({
    .section = {"solve_eq",
                "The digit that a bracketed equation hides, modulo a number.",
                {modulus_option(), compat_option("zeros, whose answer is 0")}},
    .length = "tokens of the equation",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .definition =
        "1: p is a random expression of n - 2 tokens as in mod_arith_brackets, without *, then = and its value; "
        "the first digit from a uniform token on, cyclically, is x; y is that digit",
    .later = {"compat"},
});

}  // namespace
}  // namespace lengthwise
