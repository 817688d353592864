// Square root:  1 0 1 0 1 -> 1 0 0, rounded down, most significant bit first.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "compute sqrt".
// n        bits, from 1 on; the root has half as many, rounded up.
// Chance   1/2.
#include "experiments/tasks/bits.h"

namespace lengthwise {
namespace {

class Sqrt final : public WordTask {
 public:
  Sqrt(const Options&, Layout layout) : WordTask(layout, {"0", "1"}) {}

  Sample sample(std::size_t n, Rng rng) const override {
    const Bits bits = positive_bits(n, rng);
    Bits root = bits_of(boost::multiprecision::sqrt(value_of(bits)));
    root.resize(target_tokens(n), first_symbol);
    return {.prompt = {bits.rbegin(), bits.rend()}, .target = {root.rbegin(), root.rend()}, .ids = {}};
  }
  /// The largest number whose square is not above the prompt's, found bit by bit.
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const BigInteger square = value_of({prompt.rbegin(), prompt.rend()});
    BigInteger root = 0;
    std::vector<int> answer;
    for (std::size_t bit = target_tokens(prompt.size()); bit-- > 0;) {
      const BigInteger larger = root | BigInteger(1) << bit;
      const bool fits = larger * larger <= square;
      if (fits) root = larger;
      answer.push_back(first_symbol + fits);
    }
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t n) const override { return (n + 1) / 2; }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override { return std::pow(2.0, n) - 1; }
};

const bool registered = register_task<Sqrt>({
    .section = {"sqrt", "The square root of a whole number in binary digits, rounded down.", {}},
    .length = "bits",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .definition = "1: p is a uniform number of 1 .. 2^n - 1 in n bits, most significant first; y is the root, rounded "
                  "down, in (n + 1) / 2 bits",
});

}  // namespace
}  // namespace lengthwise
