// Decimal addition:  3 7 + 8 -> 4 5
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466). Reversed sums: Lee et al. 2023 (arXiv:2307.03381). Reversed
// operands
//          and digit ids: McLeish et al. 2024 (arXiv:2405.17399). Zero padding and uniform digit counts: Cho et al.
//          2024 (arXiv:2405.20671).
// n        digits of the longer operand, from 1 on. Either may be the longer one; no leading zeros, but 0 itself.
// Options  order (plain: most significant digit first; rev_out: the sum least significant first; rev_all: operands
// too),
//          pad (none; zero: operands to n digits and the sum to n + 1, on the significant side),
//          sampling (uniform_digits: the digit counts uniform over the 2n - 1 pairs whose larger is n; exact: both n).
// Ids      channel "digit": the significance of a digit, 1 for units, 2 for tens ...; 0 for any other token.
// Chance   1/10.
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cassert>

#include "experiments/tasks/task.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, plus = first_symbol + 10;

class AddDec final : public PromptTask {
 public:
  AddDec(const Options& options, Layout layout)
      : PromptTask(layout),
        reverse_operands_(options.text("order") == "rev_all"),
        reverse_sum_(options.text("order") != "plain"),
        pad_(options.text("pad") == "zero"),
        exact_(options.text("sampling") == "exact") {}

  Sample sample(std::size_t n, Rng rng) const override {
    const auto [a_digits, b_digits] = digit_counts(n, rng);
    Digits a = number(a_digits, rng), b = number(b_digits, rng), sum = add(a, b);
    if (pad_) {
      for (Digits* operand : {&a, &b}) operand->resize(n);
      sum.resize(n + 1);
    }
    Sample sample;
    std::vector<double>& significance = sample.ids["digit"];
    write(a, reverse_operands_, sample.prompt, significance);
    sample.prompt.push_back(plus);
    significance.push_back(0);
    write(b, reverse_operands_, sample.prompt, significance);
    write(sum, reverse_sum_, sample.target, significance);
    return sample;
  }

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const auto sign = std::find(prompt.begin(), prompt.end(), plus);
    assert(sign != prompt.end());
    const std::vector<int> a(prompt.begin(), sign), b(sign + 1, prompt.end());
    std::string sum = (value(a) + value(b)).str();
    if (pad_) sum.insert(0, a.size() + 1 - sum.size(), '0');
    if (reverse_sum_) std::reverse(sum.begin(), sum.end());
    std::vector<int> answer;
    for (const char digit : sum) answer.push_back(zero + digit - '0');
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return 2 * n + 1; }
  std::size_t target_tokens(std::size_t n) const override { return n + 1; }
  int symbols() const override { return 11; }
  std::string symbol(int index) const override { return index == 10 ? "+" : std::to_string(index); }
  double chance(std::size_t) const override { return 0.1; }
  std::optional<double> space(std::size_t n) const override {
    const double shorter = n == 1 ? 0 : std::pow(10.0, n - 1),
                 longest = std::pow(10.0, n) - shorter;  // 0 has one digit
    return longest * longest + (exact_ ? 0 : 2 * longest * shorter);
  }

 private:
  using Digits = std::vector<int>;  // least significant first

  std::pair<std::size_t, std::size_t> digit_counts(std::size_t n, Rng& rng) const {
    if (exact_) return {n, n};
    const std::size_t pair = rng.below(2 * n - 1);
    return pair < n ? std::pair{n, pair + 1} : std::pair{pair - n + 1, n};
  }

  static Digits number(std::size_t digits, Rng& rng) {
    Digits number(digits);
    for (int& digit : number) digit = static_cast<int>(rng.below(10));
    if (digits > 1) number.back() = static_cast<int>(rng.between(1, 9));
    return number;
  }

  static Digits add(const Digits& a, const Digits& b) {
    Digits sum;
    int carry = 0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      carry += (i < a.size() ? a[i] : 0) + (i < b.size() ? b[i] : 0);
      sum.push_back(carry % 10);
      carry /= 10;
    }
    if (carry) sum.push_back(carry);
    return sum;
  }

  static void write(const Digits& number, bool reversed, std::vector<int>& tokens, std::vector<double>& significance) {
    for (std::size_t i = 0; i < number.size(); ++i) {
      const std::size_t place = reversed ? i : number.size() - 1 - i;
      tokens.push_back(zero + number[place]);
      significance.push_back(static_cast<double>(place + 1));
    }
  }

  boost::multiprecision::cpp_int value(std::vector<int> operand) const {
    if (reverse_operands_) std::reverse(operand.begin(), operand.end());
    boost::multiprecision::cpp_int value = 0;
    for (const int token : operand) value = value * 10 + (token - zero);
    return value;
  }

  bool reverse_operands_, reverse_sum_, pad_, exact_;
};

const bool registered = register_task<AddDec>({
    .section =
        {"add_dec",
         "Add two whole numbers in decimal digits.",
         {choice("order", "plain", {"plain", "rev_out", "rev_all"})
              .says("digit order; plain: most significant first; rev_out: the sum reversed; rev_all: operands too"),
          choice("pad", "none", {"none", "zero"})
              .says("zero: fill the operands to n digits and the sum to n + 1 with zeros"),
          choice("sampling", "uniform_digits", {"uniform_digits", "exact"})
              .says("digit counts; uniform_digits: uniform over the pairs whose larger is n; exact: both n")}},
    .length = "digits of the longer operand",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466); options: arXiv:2307.03381, 2405.17399, 2405.20671",
    .definition =
        "1: p is `a + b`, digit counts by sampling, digits uniform, no leading zeros; y = a + b; order and pad "
        "as set; ids digit: significance from 1",
});

}  // namespace
}  // namespace lengthwise
