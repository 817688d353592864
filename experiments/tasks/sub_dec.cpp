// Subtraction of two numbers:  8 - 3 7 -> - 2 9
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466), who ask it as they ask addition; options as those of add_dec.
// n        digits of the longer operand, from 1 on. Either may be the longer one; no leading zeros, but 0 itself. The
//          difference has a minus in front where it is negative, which a reversed difference has at its end.
// Options  order, base, space_p, hints (digits.h), and
//          pad (none; zero: operands and difference to the digits of the longer operand, on the significant side),
//          sampling of the digit counts (uniform_digits: uniform over the 2n - 1 pairs whose larger is n; exact: both
//          n).
// Ids      channels digit, coupled, operand (digits.h).
// Chance   1 / (base + 1): a digit or the minus.
#include "experiments/tasks/digits.h"

namespace lengthwise {
namespace {

class SubDec final : public DigitTask {
 public:
  SubDec(const Options& options, Layout layout)
      : DigitTask(layout, writing(options, "-")),
        reversed_(options.text("order") != "plain"),
        pad_(options.text("pad") == "zero"),
        exact_(options.text("sampling") == "exact") {}

  Sample sample(std::size_t n, Rng rng) const override {
    const auto [a_digits, b_digits] = exact_ ? std::pair{n, n} : digit_counts(n, rng);
    const Digits a = padded(random_number(a_digits, base(), rng), n),
                 b = padded(random_number(b_digits, base(), rng), n);
    const bool negative = std::ranges::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    const Digits difference = negative ? subtract(b, a) : subtract(a, b);
    const auto shown = [&](Digits number) {
      while (!pad_ && number.size() > 1 && number.back() == 0) number.pop_back();
      return number;
    };
    return written({{.digits = shown(a), .operand = 1}, {.digits = shown(b), .operand = 2, .sign = '-'}},
                   signed_number(shown(difference), negative), rng);
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const Reading asked = read(prompt);
    const Integer difference = asked.values.at(0) - asked.values.at(1);
    return answer_tokens(signed_number(digits_of(abs(difference), pad_ ? asked.digits[0] : 0), difference < 0), asked);
  }

  double chance(std::size_t n) const override {
    return 1 - static_cast<double>(n + 1) / static_cast<double>(target_tokens(n)) * (1 - 1. / (base() + 1));
  }
  std::optional<double> space(std::size_t n) const override { return number_tuples(n, 2, base(), exact_); }

 protected:
  Size prompt_size(std::size_t n) const override { return {.digits = 2 * n, .signs = 1}; }
  Size answer_size(std::size_t n) const override { return {.digits = n, .signs = 1}; }
  std::size_t widest(std::size_t n) const override { return n; }

 private:
  std::vector<Number> signed_number(Digits digits, bool negative) const {
    if (negative && reversed_)
      return {{.digits = std::move(digits), .operand = 2}, {.digits = {}, .operand = 2, .sign = '-'}};
    return {{.digits = std::move(digits), .operand = 2, .sign = negative ? '-' : '\0'}};
  }

  /// a - b for a >= b of equally many digits.
  Digits subtract(const Digits& a, const Digits& b) const {
    Digits difference(a.size());
    int borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int digit = a[i] - b[i] - borrow;
      borrow = digit < 0;
      difference[i] = digit + base() * borrow;
    }
    return difference;
  }

  bool reversed_, pad_, exact_;
};

const bool registered = register_task<SubDec>({
    .section =
        {"sub_dec", "Subtract two whole numbers, digit by digit.",
         digit_options(
             {choice("pad", "none", {"none", "zero"})
                  .says("zero: fill operands and difference to the digits of the longer operand with zeros"),
              choice("sampling", "uniform_digits", {"uniform_digits", "exact"})
                  .says("digit counts; uniform_digits: uniform over the pairs whose larger is n; exact: both n")})},
    .length = "digits of the longer operand",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466); options: arXiv:2307.03381, 2405.17399, 2405.20671",
    .definition =
        "1: p is `a - b`, digit counts by sampling, digits uniform, no leading zeros; y = a - b, its minus before the "
        "most significant digit; order and pad as set; ids digit, coupled, operand",
});

}  // namespace
}  // namespace lengthwise
