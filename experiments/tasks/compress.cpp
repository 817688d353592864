// Compression:  a b c CODE -> a b c, where the answer sees the row of CODE and none before it.
//
// Source    Poli et al. 2024, MAD (arXiv:2403.17844), "compression".
// n         symbols, from 1 on.
// Options   symbols (15: with CODE, the 16 of the public code).
// Deviates  there an MLP that is told a place turns the last layer's output for the code into the symbol of that place.
//           Here the rows of the answer read the row of CODE in every layer: all they know of the prompt went through
//           one row. A bidirectional model answers in slots that show no symbols, as there; a causal one reads the
//           answer so far.
// Chance    1 / symbols.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class Compress final : public WordTask {
 public:
  Compress(const Options& options, Layout layout)
      : WordTask(layout, symbols_and(static_cast<int>(options.integer("symbols")), "CODE")) {}

  bool hides_prompt() const override { return true; }
  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> string = independent_symbols(n, symbols() - 1, rng);
    Sample sample{.prompt = string, .target = string, .ids = {}};
    sample.prompt.push_back(vocabulary() - 1);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return {prompt.begin(), prompt.end() - 1}; }

  std::size_t prompt_tokens(std::size_t n) const override { return n + 1; }
  std::size_t target_tokens(std::size_t n) const override { return n; }
  double chance(std::size_t) const override { return 1.0 / (symbols() - 1); }
  std::optional<double> space(std::size_t n) const override { return std::pow(symbols() - 1, n); }
};

const bool registered = register_task<Compress>({
    .section = {"compress", "Write a string that has to pass through a single row.", {symbols_option(15)}},
    .length = "symbols",
    .source = "Poli et al. 2024, MAD (arXiv:2403.17844)",
    .definition =
        "1: p is n independent uniform symbols and CODE; y is the symbols; rows behind CODE see none before it",
});

}  // namespace
}  // namespace lengthwise
