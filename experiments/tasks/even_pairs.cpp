// Even pairs:  1 0 0 1 -> 0, the number of unequal neighbours modulo 2.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "even pairs".
// n        bits, from 1 on.
// Chance   1/2.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, one = first_symbol + 1;

class EvenPairs final : public ClassTask {
 public:
  EvenPairs(const Options&, Layout layout) : ClassTask(layout, {"0", "1"}, 2) {}

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> bits = independent_symbols(n, 2, rng);
    const int answer = bits.front() == bits.back() ? zero : one;  // each unequal pair turns the bit over
    return {.prompt = std::move(bits), .target = {answer}, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    int unequal = 0;
    for (std::size_t i = 1; i < prompt.size(); ++i) unequal += prompt[i - 1] != prompt[i];
    return {zero + unequal % 2};
  }
  std::optional<double> space(std::size_t n) const override { return std::pow(2.0, n); }
};

const bool registered = register_task<EvenPairs>({
    .section = {"even_pairs", "Whether a bit string has an odd number of unequal neighbours.", {}},
    .length = "bits",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .notes = "that is 1 exactly when the first and the last bit differ",
    .definition = "1: p is n independent uniform bits; y is the number of i with p[i] != p[i+1], modulo 2",
});

}  // namespace
}  // namespace lengthwise
