// Addition of several numbers:  3 7 + 8 + 1 2 -> 5 7,  or with its partial sums  3 7 > 4 5 > 5 7
//
// Source   Cho et al. 2024 (arXiv:2410.15787): partial sums, and ids of two axes.
// n        digits of the longest operand, from 1 on; with bucket_grid, at most n. No leading zeros, but 0 itself.
// Options  operands (3), order, base, space_p, hints, sampling (digits.h),
//          scratch_pad (false): the sums of the first 1, 2, ... operands, joined by >; what precedes the last is
//          scratch-pad,
//          pad (none; zero: operands to n digits, sums to those of the largest sum there could be),
//          carry (any; none: no column carries; hard: the units carry, and the digits of every other column sum to
//          base - 1, so that it carries for what comes from below alone; both with fewer operands than base, as their
//          leading digits may meet in one column).
// Ids      channels digit, coupled, operand (digits.h).
// Chance   1 / base, of digits, of the answer after the scratch-pad.
#include "experiments/tasks/digits.h"
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class AddK final : public DigitTask {
 public:
  AddK(const Options& options, Layout layout)
      : DigitTask(layout, writing(options, options.flag("scratch_pad") ? "+>" : "+")),
        operands_(options.count("operands")),
        scratch_pad_(options.flag("scratch_pad")),
        pad_(options.text("pad") == "zero"),
        carry_(options.text("carry")),
        sampling_(sampling(options)) {
    require(carry_ == "any" || operands_ < options.count("base"), "add_k.carry is ", carry_,
            ", and the leading ones of ", operands_, " operands carry by themselves in base ", base(),
            ". Set add_k.operands below add_k.base, or carry to any.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::size_t width = sum_digits(n, operands_);
    std::vector<Number> prompt, sums;
    Digits sum{0};
    for (const Digits& number : numbers_of(counts(n, rng), rng)) {
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

  std::optional<double> space(std::size_t n) const override {
    if (carry_ == "any") return number_tuples(n, operands_, base(), sampling_);
    if (std::pow(columns(1, operands_, 0), static_cast<double>(n) - 2) > 0x1p32)  // no one meets an input twice
      return std::numeric_limits<double>::infinity();
    // Operands that have a digit at a place and do not end below n.
    const std::size_t lasting = sampling_ == Sampling::exact               ? operands_
                                : sampling_ == Sampling::partially_uniform ? 1
                                                                           : 0;
    // Ways to fill the columns above a place, by how many operands have them.
    std::vector<double> above(operands_ + 1, 0);
    above[0] = 1;
    for (std::size_t place = n; place-- > 0;) {
      std::vector<double> ways(operands_ + 1, 0);
      ways[0] = sampling_ == Sampling::bucket_grid;
      const std::size_t stay = place + 1 < n ? lasting : 0;
      for (std::size_t with = std::max<std::size_t>(stay, 1); with <= operands_; ++with)
        for (std::size_t ending = 0; ending <= with - stay; ++ending)
          ways[with] += choose(with - stay, ending) * columns(place, with, ending) * above[with - ending];
      above = std::move(ways);
    }
    return above[operands_];
  }

 protected:
  Size prompt_size(std::size_t n) const override { return {.digits = operands_ * n, .signs = operands_ - 1}; }
  Size answer_size(std::size_t n) const override {
    if (!scratch_pad_) return number_size(n);
    Size size{.signs = operands_ - 1};
    for (std::size_t taken = 1; taken <= operands_; ++taken) size.digits += shown_digits(n, taken);
    return size;
  }
  Size number_size(std::size_t n) const override { return {.digits = shown_digits(n, operands_)}; }
  std::size_t widest(std::size_t n) const override { return number_size(n).digits; }

 private:
  bool has_zero() const { return sampling_ != Sampling::bucket_grid; }

  std::vector<std::size_t> counts(std::size_t n, Rng& rng) const {
    std::vector<std::size_t> counts(operands_, sampling_ == Sampling::exact ? n : 0);
    const auto most = [&] { return *std::max_element(counts.begin(), counts.end()); };
    while (most() < (sampling_ == Sampling::uniform_digits ? n : 1))
      for (std::size_t& count : counts) count = 1 + rng.below(n);
    if (sampling_ == Sampling::partially_uniform) counts[0] = n;
    return counts;
  }

  /// Numbers of so many digits, uniform over those whose columns are as `carry` says.
  std::vector<Digits> numbers_of(const std::vector<std::size_t>& counts, Rng& rng) const {
    std::vector<Digits> numbers;
    for (const std::size_t count : counts) numbers.push_back(random_number(count, base(), rng, has_zero()));
    if (carry_ == "any") return numbers;
    for (std::size_t place = 0; place < *std::max_element(counts.begin(), counts.end()); ++place) {
      std::vector<int*> column;
      std::vector<int> lowest;
      for (Digits& number : numbers)
        if (place < number.size()) {
          column.push_back(&number[place]);
          lowest.push_back(place + 1 == number.size() && (place > 0 || !has_zero()));
        }
      fill(column, lowest, carry_ == "hard" && place == 0, rng);
    }
    return numbers;
  }
  /// New digits of a column, uniform over those from `lowest` on that sum to `base` or more (carries), or otherwise to
  /// base - 1, or to that at most where none may carry.
  void fill(const std::vector<int*>& column, const std::vector<int>& lowest, bool carries, Rng& rng) const {
    int sum = 0;
    while (carries && sum < base()) {
      sum = 0;
      for (std::size_t i = 0; i < column.size(); ++i)
        sum += *column[i] = static_cast<int>(rng.between(lowest[i], base() - 1));
    }
    if (carries) return;
    // What base - 1 leaves above the lowest digits, cut at random; where sums may be less, a last part is left out.
    const int rest = base() - 1 - std::accumulate(lowest.begin(), lowest.end(), 0);
    const std::size_t cuts = column.size() - (carry_ == "none" ? 0 : 1);
    std::vector<std::size_t> ends = rng.distinct(static_cast<std::size_t>(rest) + cuts, cuts);
    std::ranges::sort(ends);
    ends.push_back(static_cast<std::size_t>(rest) + cuts);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      *column[i] = lowest[i] + static_cast<int>(ends[i] - begin);
      begin = ends[i] + 1;
    }
  }
  /// How many fillings a column has, of so many operands of which some end there.
  double columns(std::size_t place, std::size_t operands, std::size_t ending) const {
    const std::size_t leading = place > 0 || !has_zero() ? ending : 0;
    const std::size_t rest = static_cast<std::size_t>(base()) - 1 - leading;
    if (carry_ == "hard" && place > 0) return choose(rest + operands - 1, operands - 1);
    const double below_base = choose(rest + operands, operands);
    if (carry_ == "none") return below_base;
    return std::pow(base() - 1, leading) * std::pow(base(), operands - leading) - below_base;
  }

  /// Digits of the sum of so many operands that are all n of the highest digit.
  std::size_t sum_digits(std::size_t n, std::size_t operands) const {
    const auto base = static_cast<std::size_t>(this->base());
    std::size_t carry = 0, digits = n;
    for (std::size_t place = 0; place < n; ++place) carry = (operands * (base - 1) + carry) / base;
    for (; carry > 0; carry /= base) ++digits;
    return digits;
  }
  /// Of the sum of so many operands, as it is written.
  std::size_t shown_digits(std::size_t n, std::size_t operands) const {
    if (pad_ || carry_ == "any") return sum_digits(n, pad_ ? operands_ : operands);
    return n + (carry_ == "hard" && operands > 1);
  }
  static Number last(const std::vector<Number>& sums) { return {sums.back().digits, sums.back().operand}; }

  std::size_t operands_;
  bool scratch_pad_, pad_;
  std::string carry_;
  Sampling sampling_;
};

const bool registered = register_task<AddK>({
    .section =
        {"add_k", "Add several whole numbers, digit by digit.",
         digit_options(
             {integer("operands", 3).at_least(2).at_most(1 << 10).says("how many numbers are added"),
              flag("scratch_pad", false).says("answer with the sums of the first 1, 2, ... operands, joined by >"),
              choice("pad", "none", {"none", "zero"})
                  .says("zero: fill the operands to n digits, and sums to those of the largest, with zeros"),
              choice("carry", "any", {"any", "none", "hard"})
                  .says("none: no column carries; hard: the units carry, and the others pass it on; both need operands "
                        "< base"),
              sampling_option()})},
    .length = "digits of the longest operand",
    .source = "Cho et al. 2024 (arXiv:2410.15787)",
    .definition =
        "2: p is operands numbers joined by +, digit counts by sampling, digits uniform, no leading zeros; y is their "
        "sum, with scratch_pad the sums of the first 1, 2, ... joined by >; ids digit, coupled, operand",
    .later = {"carry"},
});

}  // namespace
}  // namespace lengthwise
