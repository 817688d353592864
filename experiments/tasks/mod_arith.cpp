// Modular arithmetic:  2 + 3 * 4 -> 4, modulo 5; products before sums.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "modular arithmetic (simple)".
// n        tokens, from 1 on. An expression has an odd number of them: an even n has those of n - 1, as in the source.
// Options  modulus (5).
// Chance   1 / modulus.
#include <span>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class ModArith final : public ClassTask {
 public:
  ModArith(const Options& options, Layout layout) : ModArith(static_cast<int>(options.integer("modulus")), layout) {}

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> tokens = independent_symbols(1, modulus_, rng);
    int sum = 0, term = tokens[0] - first_symbol;  // the value so far is sum + term
    while (tokens.size() + 2 <= n) {
      const int sign = independent_symbols(1, 3, rng, plus())[0], token = independent_symbols(1, modulus_, rng)[0],
                digit = token - first_symbol;
      tokens.insert(tokens.end(), {sign, token});
      if (sign == times()) {
        term = term * digit % modulus_;
      } else {
        sum = (sum + term) % modulus_;
        term = sign == plus() ? digit : modulus_ - digit;
      }
    }
    return {.prompt = std::move(tokens), .target = {first_symbol + (sum + term) % modulus_}, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    return {first_symbol + static_cast<int>(value(prompt))};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n - (n + 1) % 2; }
  std::optional<double> space(std::size_t n) const override {
    const std::size_t signs = (n - 1) / 2;
    return std::pow(modulus_, signs + 1) * std::pow(3.0, signs);
  }

 private:
  ModArith(int modulus, Layout layout) : ClassTask(layout, digits_and(modulus, "+ - *"), modulus), modulus_(modulus) {}

  int plus() const { return first_symbol + modulus_; }
  int minus() const { return plus() + 1; }
  int times() const { return plus() + 2; }

  /// 0 .. modulus-1: an expression is what stands before its last sign of a kind, and what stands after it.
  std::int64_t value(std::span<const int> expression) const {
    if (expression.size() == 1) return expression[0] - first_symbol;
    std::size_t sign = expression.size() - 2;
    for (std::size_t i = 1; i < expression.size(); i += 2)
      if (expression[i] != times()) sign = i;
    const std::int64_t a = value(expression.first(sign)), b = value(expression.subspan(sign + 1));
    const std::int64_t result = expression[sign] == plus() ? a + b : expression[sign] == minus() ? a - b : a * b;
    return (result % modulus_ + modulus_) % modulus_;
  }

  int modulus_;
};

const bool registered = register_task<ModArith>({
    .section = {"mod_arith", "The value of a sum of products, modulo a number.", {modulus_option()}},
    .length = "tokens of the expression, odd (an even n has n - 1)",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .definition = "1: p is (n + 1) / 2 digits below modulus with + - * between them, all independent and uniform; y is "
                  "the value of p modulo modulus, * before + and -, left to right",
});

}  // namespace
}  // namespace lengthwise
