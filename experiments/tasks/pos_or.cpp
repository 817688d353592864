// Positional or:  0 1 0 | 0 0 0 0 0 -> 0 1 0 0 0, the strings aligned at their first bits
//
// Source   McLeish et al. 2024 (arXiv:2405.17399), "bitwise OR on binary vectors".
// n        bits of the longer string, from 1 on; lengths uniform over the 2n - 1 pairs whose larger is n. The longer
//          string is zero, the shorter has one 1, anywhere; a coin decides where both are equally long.
// Options  space_p, hints (digits.h).
// Ids      channels digit, coupled, operand (digits.h), the first bit being that of place 1.
// Chance   a guess of the place: all n bits are right with 1/n, otherwise n - 2.
#include "experiments/tasks/digits.h"

namespace lengthwise {
namespace {

class PosOr final : public DigitTask {
 public:
  PosOr(const Options& options, Layout layout)
      : DigitTask(layout, {.signs = "|",
                           .base = 2,
                           .reverse_prompt = true,
                           .reverse_answer = true,
                           .space_p = options.real("space_p"),
                           .hints = options.count("hints")}) {}

  Sample sample(std::size_t n, Rng rng) const override {
    const auto [a_bits, b_bits] = digit_counts(n, rng);
    Digits a(a_bits), b(b_bits), either(n);
    const std::size_t place = rng.below(std::min(a_bits, b_bits));
    const bool in_a = a_bits == b_bits ? rng.flip() : a_bits < b_bits;
    (in_a ? a : b)[place] = either[place] = 1;
    return written({{a, 1}, {b, 2, '|'}}, {{either, 2}}, rng);
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const Reading asked = read(prompt);
    const Integer either = asked.values.at(0) | asked.values.at(1);
    return answer_tokens({{digits_of(either, std::max(asked.digits[0], asked.digits[1]))}}, asked);
  }

  double chance(std::size_t n) const override {
    const double digits = 1 - 2 / static_cast<double>(n) + 2 / std::pow(n, 2);
    return 1 - 2 * (1 - DigitTask::chance(n)) * (1 - digits);  // hints are right
  }
  std::optional<double> space(std::size_t n) const override { return std::pow(n, 2) + static_cast<double>(n); }

 protected:
  Size prompt_size(std::size_t n) const override { return {.digits = 2 * n, .signs = 1}; }
  Size answer_size(std::size_t n) const override { return {.digits = n}; }
  std::size_t widest(std::size_t n) const override { return n; }
};

std::vector<OptionSpec> shared_options() {
  std::vector<OptionSpec> options = digit_options({});
  std::erase_if(options, [](const OptionSpec& option) { return option.name == "base" || option.name == "order"; });
  return options;
}

const bool registered = register_task<PosOr>({
    .section = {"pos_or", "The bits of two aligned strings, of which one has a single 1, joined by or.",
                shared_options()},
    .length = "bits of the longer string",
    .source = "McLeish et al. 2024 (arXiv:2405.17399)",
    .definition =
        "1: p is `a | b` of bits, lengths uniform over the pairs whose larger is n, the shorter (or either, by a coin) "
        "with a 1 at a uniform place, all other bits 0; y is their or, n bits; ids digit, coupled, operand",
});

}  // namespace
}  // namespace lengthwise
