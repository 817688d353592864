// Copy, repeats allowed:  a b b a -> a b b a
//
// Source   Zhou et al. 2023 (arXiv:2310.16028), "copy with repeating tokens"; Jelassi et al. 2024 (arXiv:2402.01032).
// n        symbols to copy, from 1 on.
// Options  symbols (2).
// Ids      channel "coupled": a symbol and its copy share one (Cho et al. 2024, arXiv:2405.20671).
// Chance   1 / symbols.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class CopyRepeat final : public StringTask {
 public:
  using StringTask::StringTask;

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> string = independent_symbols(n, symbols(), rng);
    return {.prompt = string, .target = string, .ids = coupled_ids(n, 2, 1, 1)};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return prompt; }
};

const bool registered = register_task<CopyRepeat>({
    .section = {"copy_repeat", "Copy a string of random symbols that repeat.", {symbols_option(2)}},
    .length = "symbols to copy",
    .source = "Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is n independent uniform symbols; y = p",
    .hintable = true,
});

}  // namespace
}  // namespace lengthwise
