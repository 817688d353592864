// Sum modulo 10:  7 2 4 -> 3
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466), "summation".
// n        digits 1 .. 9 to add, from 1 on.
// Options  scratchpad (none).
// Pad      a step a digit: the digit; digit + sum so far; that in two digits; the sum modulo 10; the rest.
// Chance   1/10.
#include <numeric>

#include "experiments/tasks/scratchpad.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol;

class SumMod10 final : public ScratchpadTask {
 public:
  SumMod10(const Options& options, Layout layout) : ScratchpadTask(options, layout, digits_and(10, ""), "+") {}

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const std::int64_t tokens = std::accumulate(prompt.begin(), prompt.end(), std::int64_t{0});
    return {zero + static_cast<int>((tokens - zero * std::ssize(prompt)) % 10)};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  double chance(std::size_t) const override { return 0.1; }
  std::optional<double> space(std::size_t n) const override { return std::pow(9.0, n); }

 private:
  Sample ask(std::size_t n, Rng rng) const override {
    std::vector<int> digits = independent_symbols(n, 9, rng, zero + 1);
    int sum = 0;
    for (const int digit : digits) sum = (sum + digit - zero) % 10;
    return {.prompt = std::move(digits), .target = {zero + sum}, .ids = {}};
  }
  std::size_t answer_tokens(std::size_t) const override { return 1; }

  std::vector<Step> steps(const std::vector<int>& prompt) const override {
    std::vector<Step> steps;
    int sum = 0;
    for (auto digit = prompt.begin(); digit != prompt.end(); ++digit) {
      const int next = sum + *digit - zero;
      steps.push_back({.input = {*digit},
                       .computation = {*digit, pad_word(0), zero + sum},
                       .output = {zero + next / 10, zero + next % 10},
                       .variables = {zero + next % 10},
                       .remaining = {digit + 1, prompt.end()}});
      sum = next % 10;
    }
    return steps;
  }
  std::vector<int> longest_prompt(std::size_t n) const override { return std::vector<int>(n, zero + 1); }
};

const bool registered = register_task<SumMod10>({
    .section = {"sum_mod10", "The sum of some digits, modulo 10.", {scratchpad_option()}},
    .length = "digits",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .definition = "1: p is n independent uniform digits 1 .. 9; y is their sum modulo 10",
});

}  // namespace
}  // namespace lengthwise
