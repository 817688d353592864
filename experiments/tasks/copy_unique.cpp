// Copy, no repeats:  c a d -> c a d, so that each symbol says where its copy goes on.
//
// Source   Zhou et al. 2023 (arXiv:2310.16028), "copy with unique tokens".
// n        symbols to copy, 1 .. symbols.
// Options  symbols (256); an alphabet must reach the longest test.
// Chance   1 / n: a guess among the symbols of the prompt.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class CopyUnique final : public StringTask {
 public:
  using StringTask::StringTask;

  void check_length(std::size_t n) const override {
    require(n >= 1 && n <= static_cast<std::size_t>(symbols()), "copy_unique: length ", n, " needs ", n,
            " different symbols and copy_unique.symbols is ", symbols(),
            "; lengths are 1 .. symbols. Set symbols to the ", "longest length of the evaluation or more.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> string;
    for (const std::size_t index : rng.distinct(static_cast<std::size_t>(symbols()), n))
      string.push_back(first_symbol + static_cast<int>(index));
    return {.prompt = string, .target = string, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return prompt; }

  double chance(std::size_t n) const override { return 1.0 / static_cast<double>(n); }
  std::optional<double> space(std::size_t n) const override {
    double ordered = 1;
    for (std::size_t i = 0; i < n; ++i) ordered *= symbols() - static_cast<double>(i);
    return ordered;
  }
};

const bool registered = register_task<CopyUnique>({
    .section = {"copy_unique", "Copy a string of random symbols, all different.", {symbols_option(256)}},
    .length = "symbols to copy",
    .source = "Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is n different symbols in uniformly random order; y = p",
});

}  // namespace
}  // namespace lengthwise
