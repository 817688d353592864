// Addition of two numbers:  3 7 + 8 -> 4 5
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466). Reversed sums: Lee et al. 2023 (arXiv:2307.03381). Reversed
//          operands, blanks, bucket_grid and sums without a carry: McLeish et al. 2024 (arXiv:2405.17399). Zero
//          padding, uniform digit counts, long carries and coupled ids: Cho et al. 2024 (arXiv:2405.20671).
// n        digits of the longer operand, from 1 on; with bucket_grid, at most n. Either may be the longer one; no
//          leading zeros, but 0 itself.
// Options  order, base, space_p, hints (digits.h), and
//          pad (none; zero: operands to the digits of the longer and the sum to one more, on the significant side),
//          carry (any; none: no column carries; hard: the units carry, and every other column passes the carry on),
//          sampling of the digit counts (uniform_digits: uniform over the 2n - 1 pairs whose larger is n; exact: both
//          n; partially_uniform: n and uniform on 1 .. n; bucket_grid: both uniform on 1 .. n, and operands from 1 on).
// Ids      channels digit, coupled, operand (digits.h).
// Chance   1 / base, of digits.
#include "experiments/tasks/digits.h"

namespace lengthwise {
namespace {

class AddDec final : public DigitTask {
 public:
  AddDec(const Options& options, Layout layout)
      : DigitTask(layout, writing(options, "+")),
        pad_(options.text("pad") == "zero"),
        carry_(options.text("carry")),
        sampling_(options.text("sampling")) {
    require(base() > 2 || carry_ == "any", "add_dec.carry is ", carry_,
            ", which binary numbers of equal length cannot have: their leading ones carry by themselves. Set "
            "add_dec.base to 3 or more, or carry to any.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const auto [a_digits, b_digits] = counts(n, rng);
    Digits a = random_number(a_digits, base(), rng, has_zero()), b = random_number(b_digits, base(), rng, has_zero());
    for (std::size_t place = 0; place < std::max(a.size(), b.size()); ++place)
      while (!allowed((place < a.size() ? a[place] : 0) + (place < b.size() ? b[place] : 0), place))
        for (Digits* number : {&a, &b})
          if (place < number->size())
            (*number)[place] = static_cast<int>(rng.between(lowest(place, number->size()), base() - 1));

    const Digits sum = add(a, b, base());
    const std::size_t width = pad_ ? std::max(a.size(), b.size()) : 0;
    return written(
        {{.digits = padded(a, width), .operand = 1}, {.digits = padded(b, width), .operand = 2, .sign = '+'}},
        {{.digits = padded(sum, pad_ ? width + 1 : 0), .operand = 2}}, rng);
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const Reading asked = read(prompt);
    const Integer sum = asked.values.at(0) + asked.values.at(1);
    return answer_tokens({{.digits = digits_of(sum, pad_ ? asked.digits[0] + 1 : 0)}}, asked);
  }

  std::optional<double> space(std::size_t n) const override {
    if (carry_ == "any") {
      if (sampling_ == "bucket_grid") return std::pow(std::pow(base(), n) - 1, 2);
      const double both = number_tuples(n, 2, base(), true);
      if (sampling_ == "exact") return both;
      const double all = number_tuples(n, 2, base(), false);
      return sampling_ == "uniform_digits" ? all : both + (all - both) / 2;
    }
    if (n > 32) return std::numeric_limits<double>::infinity();  // beyond 2^32 in any base, and slow to count
    double inputs = 0;
    for (std::size_t cell = 0; cell < cells(n); ++cell) {
      const auto [a_digits, b_digits] = counts(n, cell);
      double ways = 1;
      for (std::size_t place = 0; place < std::max(a_digits, b_digits); ++place)
        ways *= columns(place, a_digits, b_digits);
      inputs += ways;
    }
    return inputs;
  }

 protected:
  Size prompt_size(std::size_t n) const override { return {.digits = 2 * n, .signs = 1}; }
  Size answer_size(std::size_t n) const override { return {.digits = n + (carry_ == "none" && !pad_ ? 0 : 1)}; }
  std::size_t widest(std::size_t n) const override { return answer_size(n).digits; }

 private:
  bool has_zero() const { return sampling_ != "bucket_grid"; }
  int lowest(std::size_t place, std::size_t digits) const { return place + 1 == digits && (digits > 1 || !has_zero()); }

  std::size_t cells(std::size_t n) const {
    return sampling_ == "exact"               ? 1
           : sampling_ == "partially_uniform" ? n
           : sampling_ == "bucket_grid"       ? n * n
                                              : 2 * n - 1;
  }
  std::pair<std::size_t, std::size_t> counts(std::size_t n, std::size_t cell) const {
    if (sampling_ == "bucket_grid") return {cell / n + 1, cell % n + 1};
    if (sampling_ == "exact") return {n, n};
    return cell < n ? std::pair{n, cell + 1} : std::pair{cell - n + 1, n};
  }
  std::pair<std::size_t, std::size_t> counts(std::size_t n, Rng& rng) const {
    return counts(n, sampling_ == "exact" ? std::size_t{0} : rng.below(cells(n)));
  }

  /// Whether a column of these digits may be, carries from below left aside.
  bool allowed(int sum, std::size_t place) const {
    if (carry_ == "any") return true;
    if (carry_ == "none") return sum < base();
    return place == 0 ? sum >= base() : sum == base() - 1;
  }
  /// The pairs of digits that may stand at a place.
  double columns(std::size_t place, std::size_t a_digits, std::size_t b_digits) const {
    const auto highest = [&](std::size_t digits) { return place < digits ? base() - 1 : 0; };
    double pairs = 0;
    for (int x = lowest(place, a_digits); x <= highest(a_digits); ++x)
      for (int y = lowest(place, b_digits); y <= highest(b_digits); ++y) pairs += allowed(x + y, place);
    return pairs;
  }

  bool pad_;
  std::string carry_, sampling_;
};

const bool registered = register_task<AddDec>({
    .section =
        {"add_dec", "Add two whole numbers, digit by digit.",
         digit_options(
             {choice("pad", "none", {"none", "zero"})
                  .says("zero: fill the operands to the digits of the longer and the sum to one more with zeros"),
              choice("carry", "any", {"any", "none", "hard"})
                  .says("none: no column carries; hard: the units carry, and every column passes it on"),
              choice("sampling", "uniform_digits", {"uniform_digits", "bucket_grid", "partially_uniform", "exact"})
                  .says("digit counts; uniform_digits: uniform over the pairs whose larger is n; exact: both n; "
                        "partially_uniform: n and uniform on 1 .. n; bucket_grid: both uniform on 1 .. n")})},
    .length = "digits of the longer operand",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466); options: arXiv:2307.03381, 2405.17399, 2405.20671",
    .definition =
        "1: p is `a + b`, digit counts by sampling, digits uniform, no leading zeros; y = a + b; order and pad "
        "as set; ids digit: significance from 1",
    .later = {"base", "carry", "hints", "space_p"},
});

}  // namespace
}  // namespace lengthwise
