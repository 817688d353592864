// Whether brackets are balanced:  [ ( ) ] -> yes,  [ ( ] ) -> no
//
// Source   Hahn 2020 (arXiv:1906.06755) asks for it of self-attention. Wrong strings have the length of right ones.
// n        brackets, even. Half of the strings are uniform balanced ones; the others are balanced ones with one thing
//          wrong.
// Options  pairs (2): kinds of brackets, corruption (swap: two brackets trade places, so that counting each symbol
//          tells nothing; replace: one bracket becomes another).
// Chance   1/2.
#include "experiments/tasks/brackets.h"

namespace lengthwise {
namespace {

bool is_balanced(const std::vector<int>& symbols) {
  std::vector<int> open;
  for (const int symbol : symbols) {
    if (opens(symbol)) {
      open.push_back(kind(symbol));
    } else {
      if (open.empty() || open.back() != kind(symbol)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

class Balanced final : public PromptTask {
 public:
  Balanced(const Options& options, Layout layout)
      : PromptTask(layout),
        pairs_(options.count("pairs")),
        swap_(options.text("corruption") == "swap"),
        words_(bracket_names(pairs_)) {
    words_.insert(words_.end(), {"no", "yes"});
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const bool right = rng.flip();
    std::vector<int> symbols = with_kinds(balanced_string(n / 2, rng), pairs_, rng);
    if (!right) corrupt(symbols, rng);
    return {.prompt = as_tokens(std::move(symbols)), .target = {right ? yes() : no()}, .ids = {}};
  }

  // A balanced string is one from which pairs of neighbours that match can be struck out until nothing is left.
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> left = prompt;
    const auto match = [](int a, int b) { return opens(a - first_symbol) && b == a + 1; };
    for (auto pair = left.begin(); (pair = std::adjacent_find(left.begin(), left.end(), match)) != left.end();)
      left.erase(pair, pair + 2);
    return {left.empty() ? yes() : no()};
  }

  void check_length(std::size_t n) const override {
    PromptTask::check_length(n);
    check_bracket_length(name(), n);
  }
  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return 1; }
  int symbols() const override { return static_cast<int>(words_.size()); }
  std::string symbol(int index) const override { return words_[static_cast<std::size_t>(index)]; }
  double chance(std::size_t) const override { return 0.5; }
  /// Of the balanced strings, which are half of what is drawn: what decides whether a run meets one twice.
  std::optional<double> space(std::size_t n) const override {
    return std::pow(pairs_, n / 2) * balanced_strings(n / 2, n / 2);
  }

 private:
  int no() const { return first_symbol + symbols() - 2; }
  int yes() const { return first_symbol + symbols() - 1; }

  void corrupt(std::vector<int>& symbols, Rng& rng) const {
    if (!swap_) {  // then one kind has an odd number of brackets, or more of one side than of the other
      int& symbol = symbols[rng.below(symbols.size())];
      symbol = (symbol + 1 + static_cast<int>(rng.below(2 * pairs_ - 1))) % static_cast<int>(2 * pairs_);
      return;
    }
    std::vector<int> swapped;
    do {  // some swap does: of the first bracket with one that closes, which then comes first
      swapped = symbols;
      const std::size_t one = rng.below(swapped.size()), other = rng.below(swapped.size());
      std::swap(swapped[one], swapped[other]);
    } while (is_balanced(swapped));
    symbols = std::move(swapped);
  }

  std::size_t pairs_;
  bool swap_;
  std::vector<std::string> words_;
};

const bool registered = register_task<Balanced>({
    .section = {"balanced",
                "Whether brackets of several kinds are balanced.",
                {bracket_pairs_option(2),
                 choice("corruption", "swap", {"swap", "replace"})
                     .says("what is wrong with a wrong string; swap: two brackets traded places; replace: one bracket "
                           "became another")}},
    .length = "brackets",
    .source = "Hahn 2020 (arXiv:1906.06755)",
    .notes = "each kind has its own pair: ( ), [ ] and so on; brackets of different kinds may not cross",
    .definition = "1: p is n uniform balanced brackets, corrupted with probability 1/2; y is yes or no",
});

}  // namespace
}  // namespace lengthwise
