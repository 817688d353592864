// Induction:  a c * b d a * -> b, what followed the marker when it was last seen.
//
// Source   Gu, Dao 2023 (arXiv:2312.00752), "induction heads": trained on 256 tokens, tested on powers of two.
// n        tokens of the prompt, from 3 on.
// Options  symbols (16), the marker not counted.
// Chance   1 / symbols.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class Induction final : public PromptTask {
 public:
  Induction(const Options& options, Layout layout)
      : PromptTask(layout), symbols_(static_cast<int>(options.integer("symbols"))) {}

  void check_length(std::size_t n) const override {
    require(n >= 3, "induction: length ", n, " has no room for a marker, what follows it and the marker again; the ",
            "shortest length is 3.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> prompt = independent_symbols(n, symbols_, rng);
    const std::size_t place = rng.below(n - 2);
    prompt[place] = prompt.back() = marker();
    const int next = prompt[place + 1];
    return {.prompt = std::move(prompt), .target = {next}, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    return {*(std::find(prompt.begin(), prompt.end(), marker()) + 1)};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return 1; }
  int symbols() const override { return symbols_ + 1; }
  std::string symbol(int index) const override { return index == symbols_ ? "*" : symbol_name(index, symbols_); }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  std::optional<double> space(std::size_t n) const override {
    return static_cast<double>(n - 2) * std::pow(symbols_, n - 2);
  }

 private:
  int marker() const { return first_symbol + symbols_; }

  int symbols_;
};

const bool registered = register_task<Induction>({
    .section = {"induction", "Say what followed a marker when it was seen before.", {symbols_option(16)}},
    .length = "tokens of the prompt",
    .source = "Gu, Dao 2023 (arXiv:2312.00752)",
    .notes = "the marker is *",
    .definition =
        "1: p is n independent uniform symbols, with a marker as the last and in a uniform place of the first "
        "n - 2; y is the symbol after the first marker",
});

}  // namespace
}  // namespace lengthwise
