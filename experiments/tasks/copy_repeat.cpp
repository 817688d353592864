// Copy, repeats allowed:  a b b a -> a b b a
//
// Source   Zhou et al. 2023 (arXiv:2310.16028), "copy with repeating tokens"; Jelassi et al. 2024 (arXiv:2402.01032).
// n        symbols to copy, from 1 on.
// Options  symbols (2).
// Chance   1 / symbols.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class CopyRepeat final : public PromptTask {
 public:
  CopyRepeat(const Options& options, Layout layout)
      : PromptTask(layout), symbols_(static_cast<int>(options.integer("symbols"))) {}

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> string = independent_symbols(n, symbols_, rng);
    return {.prompt = string, .target = string, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return prompt; }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t n) const override { return n; }
  int symbols() const override { return symbols_; }
  std::string symbol(int index) const override { return symbol_name(index, symbols_); }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  std::optional<double> space(std::size_t n) const override { return std::pow(symbols_, n); }

 private:
  int symbols_;
};

const bool registered = register_task<CopyRepeat>({
    .section = {"copy_repeat", "Copy a string of random symbols that repeat.", {symbols_option(2)}},
    .length = "symbols to copy",
    .source = "Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is n independent uniform symbols; y = p",
});

}  // namespace
}  // namespace lengthwise
