// Sort:  30 4 30 -> 4 30 30, or integers by their digits:  1 2 3 , 4 5 -> 4 5 , 1 2 3
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466), "sorting" of single tokens (also sort_sym) and of multi-digit
//          integers (sort_int).
// n        items, from 1 on.
// Options  items (sym: one of 50 ordered symbols, a token each; int: integers 10 .. 9999 in digits, commas between).
//          scratchpad (none).
// Pad      selection sort, a step an item: the first of the items left; `min`; the least of them, which changes places
//          with it; no variables; the items that follow.
// Chance   1/50; of integers 1/11: a digit or a comma.
#include <algorithm>

#include "experiments/tasks/scratchpad.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, comma = zero + 10;

class Sort final : public ScratchpadTask {
 public:
  Sort(const Options& options, Layout layout) : Sort(options, layout, options.text("items") == "int") {}

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const std::vector<int> items = read(prompt);
    std::vector<int> ordered(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::size_t before = 0;  // how many items stand before this one in the end
      for (std::size_t j = 0; j < items.size(); ++j) before += items[j] < items[i] || (items[j] == items[i] && j < i);
      ordered[before] = items[i];
    }
    return written(ordered);
  }

  std::size_t prompt_tokens(std::size_t n) const override { return integers_ ? 5 * n - 1 : n; }
  double chance(std::size_t) const override { return integers_ ? 1.0 / 11 : 1.0 / 50; }
  std::optional<double> space(std::size_t n) const override { return std::pow(integers_ ? 9990.0 : 50.0, n); }

 private:
  Sort(const Options& options, Layout layout, bool integers)
      : ScratchpadTask(options, layout, integers ? digits_and(10, ",") : digits_and(50, ""), "min"),
        integers_(integers) {}

  Sample ask(std::size_t n, Rng rng) const override {
    std::vector<int> items(n);
    for (int& item : items) item = static_cast<int>(integers_ ? rng.between(10, 9999) : rng.between(0, 49));
    Sample sample{.prompt = written(items), .target = {}, .ids = {}};
    std::ranges::sort(items);
    sample.target = written(items);
    return sample;
  }
  std::size_t answer_tokens(std::size_t n) const override { return prompt_tokens(n); }

  std::vector<Step> steps(const std::vector<int>& prompt) const override {
    std::vector<Step> steps;
    std::vector<int> items = read(prompt);
    for (auto item = items.begin(); item != items.end(); ++item) {
      const auto least = std::min_element(item, items.end());
      Step step{.input = written({*item}), .computation = {pad_word(0)}, .output = written({*least})};
      std::iter_swap(item, least);
      step.remaining = written({item + 1, items.end()});
      steps.push_back(std::move(step));
    }
    return steps;
  }
  std::vector<int> longest_prompt(std::size_t n) const override {
    return written(std::vector<int>(n, integers_ ? 1000 : 0));
  }

  std::vector<int> written(const std::vector<int>& items) const {
    std::vector<int> tokens;
    for (const int item : items) {
      if (!integers_) {
        tokens.push_back(zero + item);
        continue;
      }
      if (!tokens.empty()) tokens.push_back(comma);
      for (const char digit : std::to_string(item)) tokens.push_back(zero + digit - '0');
    }
    return tokens;
  }
  std::vector<int> read(const std::vector<int>& tokens) const {
    std::vector<int> items;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!integers_)
        items.push_back(tokens[i] - zero);
      else if (i == 0 || tokens[i - 1] == comma)
        items.push_back(tokens[i] - zero);
      else if (tokens[i] != comma)
        items.back() = 10 * items.back() + tokens[i] - zero;
    }
    return items;
  }

  bool integers_;
};

const bool registered = register_task<Sort>({
    .section = {"sort",
                "Sort symbols or whole numbers of several digits.",
                {choice("items", "sym", {"sym", "int"})
                     .says("sym: one of 50 ordered symbols, a token each; int: integers 10 .. 9999 in digits"),
                 scratchpad_option()}},
    .length = "items",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .definition =
        "1: p is n independent uniform items, symbols 0 .. 49 or integers 10 .. 9999 with commas between; y is p "
        "in ascending order",
});

}  // namespace
}  // namespace lengthwise
