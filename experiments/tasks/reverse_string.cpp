// Reversal:  a a b -> b a a
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "reverse string".
// n        symbols to reverse, from 1 on.
// Options  symbols (2).
// Ids      channel "coupled": a symbol and its copy share one (Cho et al. 2024, arXiv:2405.20671).
// Chance   1 / symbols.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class ReverseString final : public StringTask {
 public:
  using StringTask::StringTask;

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> string = independent_symbols(n, symbols(), rng);
    return {.prompt = string, .target = {string.rbegin(), string.rend()}, .ids = coupled_ids(n, 1, n + 1, -1)};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer(prompt.size());
    for (std::size_t i = 0; i < prompt.size(); ++i) answer[i] = prompt[prompt.size() - 1 - i];
    return answer;
  }
};

const bool registered = register_task<ReverseString>({
    .section = {"reverse_string", "Write a string of random symbols backwards.", {symbols_option(2)}},
    .length = "symbols to reverse",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .definition = "1: p is n independent uniform symbols; y is p backwards",
    .hintable = true,
});

}  // namespace
}  // namespace lengthwise
