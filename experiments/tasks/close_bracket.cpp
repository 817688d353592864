// Close the last open bracket:  [ ( ( ) ( -> )
//
// Source   the task dyck_languages of BIG-bench (Srivastava et al. 2022, arXiv:2206.04615), its first answer symbol.
// n        brackets read, from 1 on. They are the beginning of a uniform balanced string of 2n brackets, drawn again
//          while nothing is open; each pair has a kind, uniform and independent.
// Options  pairs (4): kinds of brackets.
// Chance   1 / pairs.
#include "experiments/tasks/brackets.h"

namespace lengthwise {
namespace {

class CloseBracket final : public PromptTask {
 public:
  CloseBracket(const Options& options, Layout layout)
      : PromptTask(layout), pairs_(options.count("pairs")), names_(bracket_names(pairs_)) {}

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> steps;
    do {
      steps = balanced_string(n, rng);
      steps.resize(n);
    } while (std::accumulate(steps.begin(), steps.end(), 0) == 0);
    const std::vector<int> prompt = with_kinds(steps, pairs_, rng);
    std::vector<int> open;
    for (const int symbol : prompt) opens(symbol) ? open.push_back(symbol) : open.pop_back();
    return {.prompt = as_tokens(prompt), .target = {first_symbol + open.back() + 1}, .ids = {}};
  }

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::size_t closed = 0;
    for (auto token = prompt.rbegin(); token != prompt.rend(); ++token) {
      if (!opens(*token - first_symbol))
        ++closed;
      else if (closed-- == 0)
        return {*token + 1};
    }
    return {};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return 1; }
  int symbols() const override { return static_cast<int>(names_.size()); }
  std::string symbol(int index) const override { return names_[static_cast<std::size_t>(index)]; }
  double chance(std::size_t) const override { return 1 / static_cast<double>(pairs_); }
  std::optional<double> space(std::size_t n) const override {
    std::vector<double> ways(n + 2);  // by the number open
    ways[0] = 1;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> after(n + 2);
      for (std::size_t open = 0; open <= i; ++open) {
        after[open + 1] += static_cast<double>(pairs_) * ways[open];
        if (open > 0) after[open - 1] += ways[open];
      }
      ways = std::move(after);
    }
    return std::accumulate(ways.begin() + 1, ways.end(), 0.0);
  }

 private:
  std::size_t pairs_;
  std::vector<std::string> names_;
};

const bool registered = register_task<CloseBracket>({
    .section = {"close_bracket", "Close the bracket that was opened last.", {bracket_pairs_option(4)}},
    .length = "brackets read",
    .source = "BIG-bench, dyck_languages (Srivastava et al. 2022, arXiv:2206.04615)",
    .definition = "1: p is the first n of 2n uniform balanced brackets, something open; y closes the innermost one",
});

}  // namespace
}  // namespace lengthwise
