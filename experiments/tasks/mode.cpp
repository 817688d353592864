// The most frequent symbol:  b a b c -> b. Two names for two alphabets: `mode` with few symbols, `majority` with many.
//
// Source   mode: Zhou et al. 2023 (arXiv:2310.16028). majority: Huang et al. 2024 (arXiv:2410.02140).
// n        symbols, from 1 on. Strings with two most frequent symbols are drawn again.
// Options  symbols (mode: 5, majority: 26).
// Chance   1 / symbols.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class Mode final : public PromptTask {
 public:
  Mode(const Options& options, Layout layout)
      : PromptTask(layout), symbols_(static_cast<int>(options.integer("symbols"))) {}

  Sample sample(std::size_t n, Rng rng) const override {
    for (;;) {
      std::vector<int> string = independent_symbols(n, symbols_, rng);
      std::vector<std::size_t> counts(static_cast<std::size_t>(symbols_));
      for (const int token : string) ++counts[static_cast<std::size_t>(token - first_symbol)];
      const auto most = std::ranges::max_element(counts);
      if (std::ranges::count(counts, *most) > 1) continue;
      const int mode = first_symbol + static_cast<int>(most - counts.begin());
      return {.prompt = std::move(string), .target = {mode}, .ids = {}};
    }
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    return {*std::ranges::max_element(prompt, {}, [&](int token) { return std::ranges::count(prompt, token); })};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return 1; }
  int symbols() const override { return symbols_; }
  std::string symbol(int index) const override { return symbol_name(index, symbols_); }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  /// At least: the strings that are more than half of one symbol.
  std::optional<double> space(std::size_t n) const override {
    double strings = 0, ways = 1;  // to have `most` places of one symbol and the others elsewhere
    for (std::size_t most = n; 2 * most > n; --most) {
      strings += ways;
      ways *= static_cast<double>(most) * (symbols_ - 1) / static_cast<double>(n - most + 1);
    }
    return symbols_ * strings;
  }

 private:
  int symbols_;
};

TaskInfo info(const char* name, int symbols, const char* source) {
  // With many more symbols than places nearly all strings would be drawn again.
  const OptionSpec alphabet = integer("symbols", symbols).at_least(1).at_most(1000).says("size of the alphabet");
  return {
      .section = {name, join("Find the most frequent of a string's symbols, of ", symbols, " unless set."), {alphabet}},
      .length = "symbols",
      .source = source,
      .notes = "a string with two most frequent symbols is drawn again, so that there are no ties",
      .definition = "1: p is n independent uniform symbols, given that one is the most frequent; y is that one",
  };
}

const bool registered = register_task<Mode>(info("mode", 5, "Zhou et al. 2023 (arXiv:2310.16028)")) &&
                        register_task<Mode>(info("majority", 26, "Huang et al. 2024 (arXiv:2410.02140)"));

}  // namespace
}  // namespace lengthwise
