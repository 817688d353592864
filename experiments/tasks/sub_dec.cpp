// Subtraction of two numbers:  8 - 3 7 -> - 2 9
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466), who ask it as they ask addition; options as those of add_dec.
// n        digits of the longer operand, from 1 on; with bucket_grid, at most n; with second_digits, of the first.
//          Either may be the longer one; no leading zeros, but 0 itself. The difference has a minus in front where it
//          is negative, which a reversed difference has at its end.
// Options  order, base, space_p, hints, sampling (digits.h), second_digits (two_operands.h), and
//          pad (none; zero: operands and difference to the digits of the longer operand, on the significant side),
//          carry, where the smaller number is taken from the larger (any; none: no column borrows; hard: the units
//          borrow, every column between them and the leading one has equal digits, so that it passes the borrow on, and
//          the leading one pays; numbers of one digit have nobody to borrow from).
// Ids      channels digit, coupled, operand (digits.h).
// Chance   1 / (base + 1): a digit or the minus; 1 / base where second_digits leaves no negative difference.
#include "experiments/tasks/two_operands.h"

namespace lengthwise {
namespace {

class SubDec final : public TwoOperands {
 public:
  SubDec(const Options& options, Layout layout)
      : TwoOperands(options, layout, '-'), reversed_(options.text("order") != "plain") {
    require(base() > 2 || carry() != "hard",
            "sub_dec.carry is hard, which binary numbers of equal length cannot have: their leading ones leave nothing "
            "to borrow. Set sub_dec.base to 3 or more, or carry to any or none.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const Pair pair = operands(counts(n, rng), rng);
    const std::size_t width = std::max(pair.first.size(), pair.second.size());
    const Digits a = padded(pair.first, width), b = padded(pair.second, width);
    const bool negative = std::ranges::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    Digits difference = negative ? subtract(b, a) : subtract(a, b);
    while (!pad() && difference.size() > 1 && difference.back() == 0) difference.pop_back();
    return sample_of(pair, signed_number(std::move(difference), negative), rng);
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const Reading asked = read(prompt);
    const Integer difference = asked.values.at(0) - asked.values.at(1);
    return answer_tokens(signed_number(digits_of(abs(difference), pad() ? asked.digits[0] : 0), difference < 0), asked);
  }

  double chance(std::size_t n) const override {
    const Size size = answer_size(n);
    const double guessed = static_cast<double>(size.digits + size.signs) / static_cast<double>(target_tokens(n));
    return 1 - guessed + guessed / static_cast<double>(static_cast<std::size_t>(base()) + size.signs);
  }

 protected:
  Size answer_size(std::size_t n) const override { return {.digits = longer(n), .signs = second(n) >= n}; }
  std::size_t widest(std::size_t n) const override { return longer(n); }

 private:
  /// Of the larger number's digit x and the smaller one's y.
  bool allowed(int x, int y, std::size_t place, std::size_t places) const override {
    if (carry() == "none" || places == 1) return x >= y;
    return place == 0 ? x < y : place + 1 < places ? x == y : x > y;
  }
  double ways(const Counts& digits) const override {
    return digits.first == digits.second
               ? 2 * columns(digits) - columns(digits, true)
               : columns({std::max(digits.first, digits.second), std::min(digits.first, digits.second)});
  }
  Pair operands(const Counts& digits, Rng& rng) const {
    if (carry() == "any") return numbers_of(digits, rng);
    for (;;) {
      const bool falling = digits.first == digits.second ? rng.flip() : digits.first > digits.second;
      Pair pair = numbers_of(falling ? digits : Counts{digits.second, digits.first}, rng);
      if (falling) return pair;
      if (pair.first != pair.second) return {std::move(pair.second), std::move(pair.first)};  // a - a is of the others
    }
  }

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

  bool reversed_;
};

const bool registered = register_task<SubDec>({
    .section = {"sub_dec", "Subtract two whole numbers, digit by digit.",
                two_operand_options("zero: fill operands and difference to the digits of the longer operand with zeros",
                                    "none: no column borrows; hard: from two digits on, the units borrow, every column "
                                    "passes it on, and the leading one pays")},
    .length = "digits of the longer operand; with second_digits, of the first",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466); options: arXiv:2307.03381, 2405.17399, 2405.20671",
    .definition =
        "1: p is `a - b`, digit counts by sampling, digits uniform, no leading zeros; y = a - b, its minus before the "
        "most significant digit; order and pad as set; ids digit, coupled, operand",
    .later = {"carry", "second_digits"},
});

}  // namespace
}  // namespace lengthwise
