// Sorting:  c a d -> a c d, no symbol twice.
//
// Source   Zhou et al. 2023 (arXiv:2310.16028), "sort"; Huang et al. 2024 (arXiv:2410.02140).
// n        symbols to sort, 1 .. symbols.
// Options  symbols (256), in their order; an alphabet must reach the longest test.
// Chance   1 / n: a guess among the symbols of the prompt.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class SortUnique final : public DistinctStringTask {
 public:
  using DistinctStringTask::DistinctStringTask;

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> string = distinct_symbols(n, symbols(), rng);
    std::vector<int> sorted = string;
    std::ranges::sort(sorted);
    return {.prompt = string, .target = sorted, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer(prompt.size());
    for (const int token : prompt)  // a symbol's place is the number of those below it
      answer[static_cast<std::size_t>(std::ranges::count_if(prompt, [&](int other) { return other < token; }))] = token;
    return answer;
  }
};

const bool registered = register_task<SortUnique>({
    .section = {"sort_unique", "Sort a string of random symbols, all different.", {symbols_option(256)}},
    .length = "symbols to sort",
    .source = "Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is n different symbols in uniformly random order; y is p in ascending order",
    .hintable = true,
});

}  // namespace
}  // namespace lengthwise
