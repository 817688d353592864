// Two numbers with a sign between them: how many digits they have, and which of their digits may stand in one column.
#pragma once

#include "experiments/tasks/digits.h"

namespace lengthwise {

/// Options of every TwoOperands task beside those of a DigitTask, `pad` and `carry` in the task's own words.
inline std::vector<OptionSpec> two_operand_options(const char* pad, const char* carry) {
  return digit_options({choice("pad", "none", {"none", "zero"}).says(pad),
                        choice("carry", "any", {"any", "none", "hard"}).says(carry), sampling_option(),
                        integer("second_digits", 0)
                            .at_most(1 << 20)
                            .in("digits")
                            .says("digits of the second operand, the first having n; 0: as sampling says")});
}

/// `a sign b`, digits uniform over what the option `carry` lets stand in a column.
class TwoOperands : public DigitTask {
 public:
  std::optional<double> space(std::size_t n) const final {
    if (carry_ == "any")
      return second_digits_ ? numbers(n, base(), has_zero()) * numbers(second_digits_, base(), has_zero())
                            : number_tuples(n, 2, base(), sampling_);
    double pairs = 0;
    for (std::size_t cell = cells(n); cell-- > 0;) {  // from the most digits
      pairs += ways(counts(n, cell));
      if (pairs > 0x1p32) return std::numeric_limits<double>::infinity();  // no one meets a pair twice
    }
    return pairs;
  }

 protected:
  using Counts = std::pair<std::size_t, std::size_t>;
  using Pair = std::pair<Digits, Digits>;

  TwoOperands(const Options& options, Layout layout, char sign)
      : DigitTask(layout, writing(options, std::string(1, sign))),
        sign_(sign),
        pad_(options.text("pad") == "zero"),
        carry_(options.text("carry")),
        sampling_(sampling(options)),
        second_digits_(options.count("second_digits")) {}

  /// Whether a column above `place` others may be, of x and y (0 beyond the end of a number), where carry is not "any".
  virtual bool allowed(int x, int y, std::size_t place, std::size_t places) const = 0;
  /// How many pairs have so many digits and allowed columns.
  virtual double ways(const Counts& digits) const { return columns(digits); }

  /// Digits of the two operands of length n, by sampling or second_digits.
  Counts counts(std::size_t n, Rng& rng) const {
    return counts(n, sampling_ == Sampling::exact || second_digits_ ? std::size_t{0} : rng.below(cells(n)));
  }
  /// Uniform over the pairs of so many digits whose columns are allowed.
  Pair numbers_of(const Counts& digits, Rng& rng) const {
    Digits a = random_number(digits.first, base(), rng, has_zero());
    Digits b = random_number(digits.second, base(), rng, has_zero());
    const std::size_t places = std::max(a.size(), b.size());
    const auto digit = [](const Digits& number, std::size_t place) {
      return place < number.size() ? number[place] : 0;
    };
    for (std::size_t place = 0; place < places; ++place)
      while (carry_ != "any" && !allowed(digit(a, place), digit(b, place), place, places))
        for (Digits* number : {&a, &b})
          if (place < number->size())
            (*number)[place] = static_cast<int>(rng.between(lowest(place, number->size()), base() - 1));
    return {std::move(a), std::move(b)};
  }
  /// The product over columns of the pairs of digits that are allowed there; with `alike` of those that are equal.
  double columns(const Counts& digits, bool alike = false) const {
    const std::size_t places = std::max(digits.first, digits.second);
    const auto highest = [&](std::size_t place, std::size_t count) { return place < count ? base() - 1 : 0; };
    double ways = 1;
    for (std::size_t place = 0; place < places; ++place) {
      double pairs = 0;
      for (int x = lowest(place, digits.first); x <= highest(place, digits.first); ++x)
        for (int y = lowest(place, digits.second); y <= highest(place, digits.second); ++y)
          pairs += (x == y || !alike) && allowed(x, y, place, places);
      ways *= pairs;
    }
    return ways;
  }

  /// The pair, filled with zeros where `pad` says so, and the answer.
  Sample sample_of(const Pair& pair, const std::vector<Number>& answer, const Rng& rng) const {
    const std::size_t width = pad_ ? std::max(pair.first.size(), pair.second.size()) : 0;
    return written({{.digits = padded(pair.first, width), .operand = 1},
                    {.digits = padded(pair.second, width), .operand = 2, .sign = sign_}},
                   answer, rng);
  }

  Size prompt_size(std::size_t n) const final { return {.digits = pad_ ? 2 * longer(n) : n + second(n), .signs = 1}; }
  /// Digits of the second operand, at most.
  std::size_t second(std::size_t n) const { return second_digits_ ? second_digits_ : n; }
  /// Digits of the longer operand, at most.
  std::size_t longer(std::size_t n) const { return std::max(n, second(n)); }

  bool pad() const { return pad_; }
  const std::string& carry() const { return carry_; }

 private:
  bool has_zero() const { return sampling_ != Sampling::bucket_grid; }
  int lowest(std::size_t place, std::size_t digits) const { return place + 1 == digits && (digits > 1 || !has_zero()); }

  /// The pairs of digit counts of length n, which are drawn alike.
  std::size_t cells(std::size_t n) const {
    if (second_digits_) return 1;
    switch (sampling_) {
      case Sampling::uniform_digits:
        return 2 * n - 1;
      case Sampling::bucket_grid:
        return n * n;
      case Sampling::partially_uniform:
        return n;
      case Sampling::exact:
        return 1;
    }
    return {};
  }
  Counts counts(std::size_t n, std::size_t cell) const {
    if (second_digits_) return {n, second_digits_};
    if (sampling_ == Sampling::bucket_grid) return {cell / n + 1, cell % n + 1};
    if (sampling_ == Sampling::exact) return {n, n};
    return cell < n ? Counts{n, cell + 1} : Counts{cell - n + 1, n};
  }

  char sign_;
  bool pad_;
  std::string carry_;
  Sampling sampling_;
  std::size_t second_digits_;
};

}  // namespace lengthwise
