// Addition of two numbers:  3 7 + 8 -> 4 5
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466). Reversed sums: Lee et al. 2023 (arXiv:2307.03381). Reversed
//          operands, blanks, bucket_grid and sums without a carry: McLeish et al. 2024 (arXiv:2405.17399). Zero
//          padding, uniform digit counts, long carries and coupled ids: Cho et al. 2024 (arXiv:2405.20671).
// n        digits of the longer operand, from 1 on; with bucket_grid, at most n; with second_digits, of the first.
//          Either may be the longer one; no leading zeros, but 0 itself.
// Options  order, base, space_p, hints, sampling (digits.h), second_digits (two_operands.h), and
//          pad (none; zero: operands to the digits of the longer and the sum to one more, on the significant side),
//          carry (any; none: no column carries; hard: the units carry, and every other column passes the carry on).
// Ids      channels digit, coupled, operand (digits.h).
// Chance   1 / base, of digits.
#include "experiments/tasks/two_operands.h"

namespace lengthwise {
namespace {

class AddDec final : public TwoOperands {
 public:
  AddDec(const Options& options, Layout layout) : TwoOperands(options, layout, '+') {
    require(base() > 2 || carry() == "any", "add_dec.carry is ", carry(),
            ", which binary numbers of equal length cannot have: their leading ones carry by themselves. Set "
            "add_dec.base to 3 or more, or carry to any.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const Pair pair = numbers_of(counts(n, rng), rng);
    const std::size_t width = pad() ? std::max(pair.first.size(), pair.second.size()) + 1 : 0;
    return sample_of(pair, {{.digits = padded(add(pair.first, pair.second, base()), width), .operand = 2}}, rng);
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const Reading asked = read(prompt);
    const Integer sum = asked.values.at(0) + asked.values.at(1);
    return answer_tokens({{.digits = digits_of(sum, pad() ? asked.digits[0] + 1 : 0)}}, asked);
  }

 protected:
  Size answer_size(std::size_t n) const override {
    return {.digits = longer(n) + (carry() == "none" && !pad() ? 0 : 1)};
  }
  std::size_t widest(std::size_t n) const override { return answer_size(n).digits; }

 private:
  bool allowed(int x, int y, std::size_t place, std::size_t) const override {
    if (carry() == "none") return x + y < base();
    return place == 0 ? x + y >= base() : x + y == base() - 1;
  }
};

const bool registered = register_task<AddDec>({
    .section = {"add_dec", "Add two whole numbers, digit by digit.",
                two_operand_options(
                    "zero: fill the operands to the digits of the longer and the sum to one more with zeros",
                    "none: no column carries; hard: the units carry, and every other column passes it on")},
    .length = "digits of the longer operand; with second_digits, of the first",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466); options: arXiv:2307.03381, 2405.17399, 2405.20671",
    .definition =
        "1: p is `a + b`, digit counts by sampling, digits uniform, no leading zeros; y = a + b; order and pad "
        "as set; ids digit: significance from 1",
    .later = {"base", "carry", "hints", "second_digits", "space_p"},
});

}  // namespace
}  // namespace lengthwise
