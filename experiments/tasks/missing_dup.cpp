// Missing duplicate:  0 1 1 0 ? 1 -> 1, the bit that is hidden in a string written twice.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "missing duplicate".
// n        tokens, from 2 on: n/2 bits, twice; an odd n ends in a filler, `_`.
// Options  compat (none): peer starts at n = 1, where it asks 1 -> 1 as the authors' code does.
// Chance   1/2.
#include <utility>

#include "experiments/tasks/compat.h"

namespace lengthwise {
namespace {

constexpr int one = first_symbol + 1, hidden = first_symbol + 2, filler = first_symbol + 3;

class MissingDup final : public ClassTask {
 public:
  MissingDup(const Options& options, Layout layout)
      : ClassTask(layout, split_words("0 1 ? _"), 2), peer_(as_peer(options)) {}

  void check_length(std::size_t n) const override { require_length(name(), n, 2, "one bit, twice", peer_); }

  Sample sample(std::size_t n, Rng rng) const override {
    if (n == 1) return {.prompt = {one}, .target = {one}, .ids = {}};
    const std::vector<int> half = independent_symbols(n / 2, 2, rng);
    std::vector<int> prompt = half;
    prompt.insert(prompt.end(), half.begin(), half.end());
    const int bit = std::exchange(prompt[rng.below(prompt.size())], hidden);
    if (n % 2 == 1) prompt.push_back(filler);
    return {.prompt = std::move(prompt), .target = {bit}, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    if (prompt.size() == 1) return {one};
    const std::size_t half = prompt.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      if (prompt[i] == hidden) return {prompt[half + i]};
      if (prompt[half + i] == hidden) return {prompt[i]};
    }
    return {};
  }
  std::optional<double> space(std::size_t n) const override {
    return n == 1 ? 1 : std::pow(2.0, n / 2) * 2 * static_cast<double>(n / 2);
  }

 private:
  bool peer_;
};

const bool registered = register_task<MissingDup>({
    .section = {"missing_dup",
                "The bit that is hidden in a string written twice.",
                {compat_option("1, whose answer is 1")}},
    .length = "tokens",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .notes = "? is the hidden bit and _ a filler",
    .definition =
        "1: p is n/2 independent uniform bits, twice, one uniform token replaced by ?, then _ when n is odd; y "
        "is the bit replaced",
    .later = {"compat"},
});

}  // namespace
}  // namespace lengthwise
