// Duplication:  a b b -> a b b a b b
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "duplicate string".
// n        symbols to duplicate, from 1 on.
// Options  symbols (2).
// Ids      channel "coupled": a symbol and its copies share one (Cho et al. 2024, arXiv:2405.20671).
// Chance   1 / symbols.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class Duplicate final : public StringTask {
 public:
  using StringTask::StringTask;

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> string = independent_symbols(n, symbols(), rng);
    std::vector<int> twice = string;
    twice.insert(twice.end(), string.begin(), string.end());
    return {.prompt = string, .target = std::move(twice), .ids = coupled_ids(n, 2, 1, 1, 2)};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer(2 * prompt.size());
    for (std::size_t i = 0; i < answer.size(); ++i) answer[i] = prompt[i % prompt.size()];
    return answer;
  }
  std::size_t target_tokens(std::size_t n) const override { return 2 * n; }
};

const bool registered = register_task<Duplicate>({
    .section = {"duplicate", "Write a string of random symbols twice.", {symbols_option(2)}},
    .length = "symbols to duplicate",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .definition = "1: p is n independent uniform symbols; y is p p",
});

}  // namespace
}  // namespace lengthwise
