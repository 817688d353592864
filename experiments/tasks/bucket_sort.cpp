// Bucket sort:  c a d a -> a a c d
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "bucket sort".
// n        symbols to sort, from 1 on.
// Options  symbols (5).
// Chance   1 / symbols.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class BucketSort final : public StringTask {
 public:
  using StringTask::StringTask;

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample{.prompt = independent_symbols(n, symbols(), rng), .target = {}, .ids = {}};
    sample.target = sample.prompt;
    std::ranges::sort(sample.target);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    for (int symbol = first_symbol; symbol < vocabulary(); ++symbol)
      answer.insert(answer.end(), static_cast<std::size_t>(std::ranges::count(prompt, symbol)), symbol);
    return answer;
  }
};

const bool registered = register_task<BucketSort>({
    .section = {"bucket_sort", "Sort a string of few different symbols.", {symbols_option(5)}},
    .length = "symbols to sort",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .definition = "1: p is n independent uniform symbols; y is p in ascending order",
});

}  // namespace
}  // namespace lengthwise
