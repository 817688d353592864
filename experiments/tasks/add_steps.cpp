// Addition by steps:  5 7 + 6 -> 6 3, after a scratch-pad  >> 7 + 6 :: 7 + 6 + 0 == 1 3 [ 1 ] => 5 + # ...
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466), "addition"; add_dec has the other ways of writing, without the
// pad. n        digits of the longer number, from 1 on. No leading zeros, but 0 itself. Options  scratchpad (none). Pad
// a step a place, units first: the digits of both numbers (nothing where one is shorter); digit + digit + carry;
//          that in two digits; the carry; the digits that are left of both.
// Chance   1/10.
#include "experiments/tasks/digits.h"
#include "experiments/tasks/scratchpad.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, plus = zero + 10;

class AddSteps final : public ScratchpadTask {
 public:
  AddSteps(const Options& options, Layout layout) : ScratchpadTask(options, layout, digits_and(10, "+"), "") {}

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const auto sign = std::ranges::find(prompt, plus);
    const auto read = [](auto from, auto to) {
      boost::multiprecision::cpp_int number = 0;
      for (; from != to; ++from) number = number * 10 + (*from - zero);
      return number;
    };
    const boost::multiprecision::cpp_int sum = read(prompt.begin(), sign) + read(sign + 1, prompt.end());
    std::vector<int> answer;
    for (const char digit : sum.str()) answer.push_back(zero + digit - '0');
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return 2 * n + 1; }
  double chance(std::size_t) const override { return 0.1; }
  std::optional<double> space(std::size_t n) const override {
    return number_tuples(n, 2, 10, Sampling::uniform_digits);
  }

 private:
  Sample ask(std::size_t n, Rng rng) const override {
    const auto [first, second] = digit_counts(n, rng);
    const Digits a = random_number(first, 10, rng), b = random_number(second, 10, rng);
    std::vector<int> prompt = written(a);
    prompt.push_back(plus);
    for (const int token : written(b)) prompt.push_back(token);
    return {.prompt = std::move(prompt), .target = written(add(a, b, 10)), .ids = {}};
  }
  std::size_t answer_tokens(std::size_t n) const override { return n + 1; }

  std::vector<Step> steps(const std::vector<int>& prompt) const override {
    const auto sign = std::ranges::find(prompt, plus);
    std::vector<int> a(prompt.begin(), sign), b(sign + 1, prompt.end());
    std::vector<Step> steps;
    for (int carry = 0; !a.empty() || !b.empty();) {
      const std::vector<int> top = taken(a), bottom = taken(b);
      const int sum = value(top) + value(bottom) + carry;
      steps.push_back({.input = joined({top, {plus}, bottom}),
                       .computation = joined({top, {plus}, bottom, {plus, zero + carry}}),
                       .output = {zero + sum / 10, zero + sum % 10},
                       .variables = {zero + sum / 10},
                       .remaining = joined({a, {plus}, b})});
      carry = sum / 10;
    }
    return steps;
  }
  std::vector<int> longest_prompt(std::size_t n) const override {
    std::vector<int> prompt(2 * n + 1, zero + 1);
    prompt[n] = plus;
    return prompt;
  }

  /// As a person writes it.
  static std::vector<int> written(const Digits& digits) {
    std::vector<int> tokens;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) tokens.push_back(zero + *digit);
    return tokens;
  }
  /// The units of what is left of a number, which loses them; nothing where nothing is left.
  static std::vector<int> taken(std::vector<int>& tokens) {
    if (tokens.empty()) return {};
    const int units = tokens.back();
    tokens.pop_back();
    return {units};
  }
  static int value(const std::vector<int>& digit) { return digit.empty() ? 0 : digit[0] - zero; }
  static std::vector<int> joined(const std::vector<std::vector<int>>& parts) {
    std::vector<int> tokens;
    for (const auto& part : parts) tokens.insert(tokens.end(), part.begin(), part.end());
    return tokens;
  }
};

const bool registered = register_task<AddSteps>({
    .section = {"add_steps",
                "Add two whole numbers, with the steps before the sum if asked for.",
                {scratchpad_option()}},
    .length = "digits of the longer number",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .definition = "1: p is `a + b`, digit counts uniform over the pairs whose larger is n, digits uniform, no leading "
                  "zeros; y is their sum, most significant digit first",
});

}  // namespace
}  // namespace lengthwise
