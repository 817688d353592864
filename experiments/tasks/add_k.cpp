// Addition of several numbers:  3 7 + 8 + 1 2 -> 5 7,  or with its partial sums  3 7 > 4 5 > 5 7
//
// Source   Cho et al. 2024 (arXiv:2410.15787): partial sums, and ids of two axes.
// n        digits of the longest operand, from 1 on. No leading zeros, but 0 itself.
// Options  operands (3), order, base, space_p, hints (digits.h),
//          scratch_pad (false): the sums of the first 1, 2, ... operands, joined by >; what precedes the last is
//          scratch-pad, pad (none; zero: operands to n digits, sums to those of the largest sum there could be),
//          sampling of the digit counts (uniform_digits: uniform over all whose largest is n; exact: n each).
// Ids      channels digit, coupled, operand (digits.h).
// Chance   1 / base, of digits, of the answer after the scratch-pad.
#include "experiments/tasks/digits.h"

namespace lengthwise {
namespace {

class AddK final : public DigitTask {
 public:
  AddK(const Options& options, Layout layout)
      : DigitTask(layout, writing(options, options.flag("scratch_pad") ? "+>" : "+")),
        operands_(options.count("operands")),
        scratch_pad_(options.flag("scratch_pad")),
        pad_(options.text("pad") == "zero"),
        exact_(options.text("sampling") == "exact") {}

  Sample sample(std::size_t n, Rng rng) const override {
    const std::size_t width = sum_digits(n, operands_);
    std::vector<Number> prompt, sums;
    Digits sum{0};
    for (const std::size_t count : counts(n, rng)) {
      const Digits number = random_number(count, base(), rng);
      sum = add(sum, number, base());
      const bool first = prompt.empty();
      prompt.push_back({padded(number, pad_ ? n : 0), prompt.size() + 1, first ? '\0' : '+'});
      sums.push_back({padded(sum, pad_ ? width : 0), sums.size() + 1, first ? '\0' : '>'});
    }
    return written(prompt, scratch_pad_ ? sums : std::vector{last(sums)}, rng);
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return after_pad(solve_by_steps(prompt)); }
  std::vector<int> solve_by_steps(const std::vector<int>& prompt) const override {
    const Reading asked = read(prompt);
    std::vector<Number> sums;
    for (std::size_t taken = 1; taken <= asked.values.size(); ++taken) {
      const Integer sum =
          std::accumulate(asked.values.begin(), asked.values.begin() + static_cast<std::ptrdiff_t>(taken), Integer(0));
      sums.push_back(
          {digits_of(sum, pad_ ? sum_digits(asked.digits[0], operands_) : 0), taken, taken == 1 ? '\0' : '>'});
    }
    return answer_tokens(scratch_pad_ ? sums : std::vector{last(sums)}, asked);
  }

  std::optional<double> space(std::size_t n) const override { return number_tuples(n, operands_, base(), exact_); }

 protected:
  Size prompt_size(std::size_t n) const override { return {.digits = operands_ * n, .signs = operands_ - 1}; }
  Size answer_size(std::size_t n) const override {
    if (!scratch_pad_) return number_size(n);
    Size size{.signs = operands_ - 1};
    for (std::size_t taken = 1; taken <= operands_; ++taken) size.digits += sum_digits(n, pad_ ? operands_ : taken);
    return size;
  }
  Size number_size(std::size_t n) const override { return {.digits = sum_digits(n, operands_)}; }
  std::size_t widest(std::size_t n) const override { return sum_digits(n, operands_); }

 private:
  std::vector<std::size_t> counts(std::size_t n, Rng& rng) const {
    std::vector<std::size_t> counts(operands_, exact_ ? n : 0);
    while (*std::max_element(counts.begin(), counts.end()) < n)
      for (std::size_t& count : counts) count = 1 + rng.below(n);
    return counts;
  }

  /// Digits of the sum of so many operands that are all n of the highest digit.
  std::size_t sum_digits(std::size_t n, std::size_t operands) const {
    const auto base = static_cast<std::size_t>(this->base());
    std::size_t carry = 0, digits = n;
    for (std::size_t place = 0; place < n; ++place) carry = (operands * (base - 1) + carry) / base;
    for (; carry > 0; carry /= base) ++digits;
    return digits;
  }
  static Number last(const std::vector<Number>& sums) { return {sums.back().digits, sums.back().operand}; }

  std::size_t operands_;
  bool scratch_pad_, pad_, exact_;
};

const bool registered = register_task<AddK>({
    .section =
        {"add_k", "Add several whole numbers, digit by digit.",
         digit_options(
             {integer("operands", 3).at_least(2).at_most(1 << 10).says("how many numbers are added"),
              flag("scratch_pad", false).says("answer with the sums of the first 1, 2, ... operands, joined by >"),
              choice("pad", "none", {"none", "zero"})
                  .says("zero: fill the operands to n digits, and sums to those of the largest, with zeros"),
              choice("sampling", "uniform_digits", {"uniform_digits", "exact"})
                  .says("digit counts; uniform_digits: uniform over those whose largest is n; exact: n each")})},
    .length = "digits of the longest operand",
    .source = "Cho et al. 2024 (arXiv:2410.15787)",
    .definition =
        "2: p is operands numbers joined by +, digit counts by sampling, digits uniform, no leading zeros; y is their "
        "sum, with scratch_pad the sums of the first 1, 2, ... joined by >; ids digit, coupled, operand",
});

}  // namespace
}  // namespace lengthwise
