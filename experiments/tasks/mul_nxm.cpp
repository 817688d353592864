// Multiplication:  3 7 * 2 5 -> 9 2 5,  or by steps  1 8 5 + 7 4 = 1 8 5 > 9 2 5
//
// The steps are the products of a with each digit of b, units first, each without the zeros of its shift; then, joined
// by >, the sums of the first 1, 2, ... of them, shifted: 185, 185 + 740.
//
// Source   Cho et al. 2024 (arXiv:2405.20671), N x 2 multiplication; steps and ids of two axes: arXiv:2410.15787.
// n        digits of a, from 1 on; b has m; with bucket_grid, at most so many. No leading zeros, but 0 itself.
// Options  m (2), order, base, space_p, hints (digits.h),
//          scratch_pad (false): the steps; what precedes the last sum is scratch-pad,
//          pad (none; zero: products and sums to the digits of the largest there could be of numbers so long),
//          sampling of the digit counts (exact: n and m; partially_uniform: n and uniform on 1 .. m; bucket_grid:
//          uniform on 1 .. n and on 1 .. m, and no operand 0). Pairs whose larger is n, add_dec's uniform_digits, make
//          no sense here, as n and m are apart; neither does carry, as a column sums products of many digits.
// Ids      channels digit, coupled, operand (digits.h). With scratch_pad, digit i of b, product i and sum i share
//          operand i, and b has no coupled ids; the paper's third axis, places after the shift, is left out.
// Chance   1 / base, of digits, of the answer after the scratch-pad.
#include "experiments/tasks/digits.h"

namespace lengthwise {
namespace {

class MulNxM final : public DigitTask {
 public:
  MulNxM(const Options& options, Layout layout)
      : DigitTask(layout, writing(options, options.flag("scratch_pad") ? "*+=>" : "*")),
        m_(options.count("m")),
        scratch_pad_(options.flag("scratch_pad")),
        pad_(options.text("pad") == "zero"),
        sampling_(sampling(options)) {}

  Sample sample(std::size_t n, Rng rng) const override {
    const std::size_t a_digits = sampling_ == Sampling::bucket_grid ? 1 + rng.below(n) : n;
    const std::size_t b_digits = sampling_ == Sampling::exact ? m_ : 1 + rng.below(m_);
    const Digits a = random_number(a_digits, base(), rng, has_zero()),
                 b = random_number(b_digits, base(), rng, has_zero());
    std::vector<Digits> products, sums;
    for (std::size_t i = 0; i < b.size(); ++i) {
      Digits product{0};
      for (int times = 0; times < b[i]; ++times) product = add(product, a, base());
      sums.push_back(product == Digits{0} && i > 0 ? sums.back()
                                                   : add(i > 0 ? sums.back() : Digits{0}, product, base(), i));
      products.push_back(std::move(product));
    }
    return written({{a, scratch_pad_ ? std::size_t{0} : 1}, {b, scratch_pad_ ? std::size_t{0} : 2, '*', scratch_pad_}},
                   answer(products, sums, a.size()), rng);
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return after_pad(solve_by_steps(prompt)); }
  std::vector<int> solve_by_steps(const std::vector<int>& prompt) const override {
    const Reading asked = read(prompt);
    const Integer a = asked.values.at(0), b = asked.values.at(1);
    std::vector<Digits> products, sums;
    Integer weight = 1;
    for (std::size_t i = 0; i < asked.digits.at(1); ++i, weight *= base()) {
      products.push_back(digits_of(a * (b / weight % base())));
      sums.push_back(digits_of(a * (b % (weight * base()))));
    }
    return answer_tokens(answer(products, sums, asked.digits[0]), asked);
  }

  std::optional<double> space(std::size_t n) const override {
    const double first = has_zero() ? numbers(n, base()) : std::pow(base(), n) - 1;
    return first * (sampling_ == Sampling::exact ? numbers(m_, base()) : std::pow(base(), m_) - !has_zero());
  }

 protected:
  Size prompt_size(std::size_t n) const override { return {.digits = n + m_, .signs = 1}; }
  Size answer_size(std::size_t n) const override {
    if (!scratch_pad_) return number_size(n);
    Size size{.digits = m_ * product_digits(n, 1), .signs = 2 * m_ - 1};
    for (std::size_t i = 1; i <= m_; ++i) size.digits += product_digits(n, pad_ ? m_ : i);
    return size;
  }
  Size number_size(std::size_t n) const override { return {.digits = product_digits(n, m_)}; }
  std::size_t widest(std::size_t n) const override { return std::max(m_, product_digits(n, m_)); }

 private:
  /// Digits of the largest product of numbers with so many. A bit times a number is no longer than the number.
  std::size_t product_digits(std::size_t a, std::size_t b) const {
    return base() == 2 && std::min(a, b) == 1 ? std::max(a, b) : a + b;
  }

  bool has_zero() const { return sampling_ != Sampling::bucket_grid; }

  /// Of n digits by as many as there are products.
  std::vector<Number> answer(const std::vector<Digits>& products, const std::vector<Digits>& sums,
                             std::size_t n) const {
    const std::size_t m = products.size();
    const std::size_t product_width = pad_ ? product_digits(n, 1) : 0, width = pad_ ? product_digits(n, m) : 0;
    if (!scratch_pad_) return {{padded(sums.back(), width), 2}};
    std::vector<Number> steps;
    for (std::size_t i = 0; i < m; ++i) steps.push_back({padded(products[i], product_width), i + 1, i ? '+' : '\0'});
    for (std::size_t i = 0; i < m; ++i) steps.push_back({padded(sums[i], width), i + 1, i ? '>' : '='});
    return steps;
  }

  std::size_t m_;
  bool scratch_pad_, pad_;
  Sampling sampling_;
};

const bool registered = register_task<MulNxM>({
    .section =
        {"mul_nxm", "Multiply a number of n digits by one of m.",
         digit_options(
             {integer("m", 2).at_least(1).at_most(1 << 10).in("digits").says("digits of the multiplier"),
              flag("scratch_pad", false).says("answer with the products by each digit, and their sums joined by >"),
              choice("pad", "none", {"none", "zero"})
                  .says("zero: fill products and sums to the digits of the largest with zeros"),
              choice("sampling", "exact", {"exact", "partially_uniform", "bucket_grid"})
                  .says("digit counts; exact: n and m; partially_uniform: n and uniform on 1 .. m; bucket_grid: "
                        "uniform on 1 .. n and on 1 .. m, and no operand 0")})},
    .length = "digits of the multiplicand",
    .source = "Cho et al. 2024 (arXiv:2405.20671); scratch_pad: arXiv:2410.15787",
    .definition =
        "2: p is `a * b` of n and m uniform digits, no leading zeros; y = a b, with scratch_pad `products = sums`, "
        "products of a and each digit of b from the units, sums of the first 1, 2, ... shifted; ids digit, coupled, "
        "operand",
    .later = {"sampling"},
});

}  // namespace
}  // namespace lengthwise
