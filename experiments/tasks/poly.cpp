// Polynomial:  x = -2 : 3 x ^ 2 + -1 x ^ 0 -> 1, its value modulo 10.
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466), "polynomial evaluation".
// n        terms, from 1 on: coefficients -3 .. 3, degrees 0 .. 3, x one of -2 .. 2; each is one token.
// Options  scratchpad (none).
// Pad      a step a term: the term; coefficient * x ^ degree with x replaced; its value as a sign and two digits; the
//          sum so far modulo 10; the terms that follow.
// Chance   1/10.
#include <algorithm>

#include "experiments/tasks/scratchpad.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, negative = zero + 10, x = negative + 3, equals = x + 1, colon = x + 2, power = x + 3,
              plus = x + 4;
constexpr std::size_t head = 4, term_tokens = 5;  // `x = 2 :`, and a term with the plus after it

int small_number(std::int64_t value) {
  return value < 0 ? negative + 3 + static_cast<int>(value) : zero + static_cast<int>(value);
}
int value_of(int token) { return token < negative ? token - zero : token - negative - 3; }
/// 0 .. 9
int last_digit(std::int64_t value) { return static_cast<int>((value % 10 + 10) % 10); }

class Poly final : public ScratchpadTask {
 public:
  Poly(const Options& options, Layout layout)
      : ScratchpadTask(options, layout, digits_and(10, "-3 -2 -1 x = : ^ +"), "* -") {}

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const double at = value_of(prompt[2]);
    double sum = 0;
    for (std::size_t i = head; i < prompt.size(); i += term_tokens)
      sum += value_of(prompt[i]) * std::pow(at, value_of(prompt[i + 3]));
    return {zero + last_digit(static_cast<std::int64_t>(sum))};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return head + term_tokens * n - 1; }
  double chance(std::size_t) const override { return 0.1; }
  std::optional<double> space(std::size_t n) const override { return 5 * std::pow(7.0 * 4, n); }

 private:
  Sample ask(std::size_t n, Rng rng) const override {
    const auto at = static_cast<int>(rng.between(-2, 2));
    std::vector<int> prompt{x, equals, small_number(at), colon};
    int sum = 0;
    for (std::size_t term = 0; term < n; ++term) {
      const auto coefficient = static_cast<int>(rng.between(-3, 3)), degree = static_cast<int>(rng.below(4));
      if (term > 0) prompt.push_back(plus);
      prompt.insert(prompt.end(), {small_number(coefficient), x, power, small_number(degree)});
      sum = last_digit(sum + term_value(coefficient, at, degree));
    }
    return {.prompt = std::move(prompt), .target = {zero + sum}, .ids = {}};
  }
  std::size_t answer_tokens(std::size_t) const override { return 1; }

  std::vector<Step> steps(const std::vector<int>& prompt) const override {
    const int times = pad_word(0), minus = pad_word(1);
    std::vector<Step> steps;
    int sum = 0;
    for (std::size_t i = head; i < prompt.size(); i += term_tokens) {
      const int coefficient = prompt[i], at = prompt[2], degree = prompt[i + 3];
      const int value = term_value(value_of(coefficient), value_of(at), value_of(degree)), size = std::abs(value);
      const auto rest = static_cast<std::ptrdiff_t>(std::min(i + term_tokens, prompt.size()));
      sum = last_digit(sum + value);
      steps.push_back({.input = {coefficient, x, power, degree},
                       .computation = {coefficient, times, at, power, degree},
                       .output = {value < 0 ? minus : plus, zero + size / 10, zero + size % 10},
                       .variables = {zero + sum},
                       .remaining = {prompt.begin() + rest, prompt.end()}});
    }
    return steps;
  }
  std::vector<int> longest_prompt(std::size_t n) const override { return ask(n, Rng()).prompt; }

  static int term_value(int coefficient, int at, int degree) {
    int value = coefficient;
    for (int i = 0; i < degree; ++i) value *= at;
    return value;
  }
};

const bool registered = register_task<Poly>({
    .section = {"poly", "The value of a polynomial, modulo 10.", {scratchpad_option()}},
    .length = "terms",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .definition =
        "1: p is `x = v :` and n terms `c x ^ d` with + between, v uniform on -2 .. 2, c on -3 .. 3, d on 0 .. "
        "3; y is the value at v modulo 10, not negative",
});

}  // namespace
}  // namespace lengthwise
