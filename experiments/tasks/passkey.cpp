// Passkey:  w0 w1 w2 KEY 4 1 0 7 7 w3 w4 w0 KEY -> 4 1 0 7 7
//
// Source   Mohtashami, Jaggi 2023 (arXiv:2305.16300); depths as in Chen et al. 2023 (arXiv:2306.15595) and Peng et al.
//          2023 (arXiv:2309.00071).
// n        tokens of the prompt, digits + 2 or more.
// Options  depth (-1): share of the filler that stands before the key, in percent; -1: a uniform place;
//          digits (5): of the key; filler (20): words of the sentence that is repeated around it;
//          key (digits): integer draws a whole number from 1 to half of 10^digits, which YaRN's scripts draw up to
//          50,000, and writes it without leading zeros. A shorter key leaves room for more filler.
// Chance   1/10: any digit.
#include "experiments/tasks/haystack.h"

namespace lengthwise {
namespace {

constexpr int key_sign = first_symbol + 10, first_word = key_sign + 1;

class Passkey final : public PromptTask {
 public:
  Passkey(const Options& options, Layout layout)
      : PromptTask(layout),
        depth_(options.integer("depth")),
        digits_(options.count("digits")),
        words_(static_cast<int>(options.integer("filler"))),
        integer_(options.text("key") == "integer") {
    require(!integer_ || digits_ <= 18, "passkey.digits is ", digits_,
            "; with passkey.key = integer it is at most 18.");
  }

  void check_length(std::size_t n) const override {
    require(n >= digits_ + 2, "passkey: length ", n, " has no room for the key and the question; passkey.digits is ",
            digits_, ", so lengths start at ", digits_ + 2, ".");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample{.prompt = {}, .target = {}, .ids = {}};
    if (integer_)
      for (const char digit : std::to_string(1 + rng.below(largest())))
        sample.target.push_back(first_symbol + digit - '0');
    else
      sample.target = independent_symbols(digits_, 10, rng);
    std::vector<int> needle = sample.target;
    needle.insert(needle.begin(), key_sign);
    const std::size_t length = n - needle.size() - 1;
    const std::size_t place =
        depth_ < 0 ? rng.below(length + 1) : (static_cast<std::size_t>(depth_) * length + 50) / 100;
    sample.prompt = haystack({needle}, {place}, length, first_word, words_);
    sample.prompt.push_back(key_sign);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> digits;
    for (const int token : prompt)
      if (token < key_sign) digits.push_back(token);
    return digits;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return digits_; }
  int symbols() const override { return 11 + words_; }
  std::string symbol(int index) const override {
    if (index < 10) return std::to_string(index);
    return index == 10 ? "KEY" : filler_word(index - 11);
  }
  double chance(std::size_t) const override { return 0.1; }
  std::optional<double> space(std::size_t n) const override {
    const auto places = [&](std::size_t digits) { return depth_ < 0 ? static_cast<double>(n - digits - 1) : 1; };
    if (!integer_) return std::pow(10.0, digits_) * places(digits_);
    double inputs = (4 * std::pow(10.0, digits_ - 1) + 1) * places(digits_);
    for (std::size_t digits = 1; digits < digits_; ++digits) inputs += 9 * std::pow(10.0, digits - 1) * places(digits);
    return inputs;
  }

 private:
  /// The largest key that is an integer.
  std::uint64_t largest() const {
    std::uint64_t half = 5;
    for (std::size_t digit = 1; digit < digits_; ++digit) half *= 10;
    return half;
  }

  std::int64_t depth_;
  std::size_t digits_;
  int words_;
  bool integer_;
};

const bool registered = register_task<Passkey>({
    .section = {"passkey",
                "Find the key that is hidden in a long, dull text.",
                {integer("depth", -1)
                     .at_least(-1)
                     .at_most(100)
                     .in("percent")
                     .says("share of the filler that stands before the key; -1: a uniform place"),
                 integer("digits", 5).at_least(1).at_most(100).says("digits of the key"), filler_option(),
                 choice("key", "digits", {"digits", "integer"})
                     .says("digits: uniform ones; integer: a uniform whole number from 1 to half of 10^digits, 50,000 "
                           "for 5, without leading zeros")}},
    .length = "tokens of the prompt",
    .source = "Mohtashami, Jaggi 2023 (arXiv:2305.16300)",
    .notes = "w0, w1, ... are the words of the filler sentence",
    .definition =
        "1: p is a sentence of filler words repeated, with KEY and uniform digits at depth or a uniform place, "
        "and KEY; y is the digits",
    .later = {"key"},
});

}  // namespace
}  // namespace lengthwise
