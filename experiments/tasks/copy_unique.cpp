// Copy, no repeats:  c a d -> c a d, so that each symbol says where its copy goes on.
//
// Source   Zhou et al. 2023 (arXiv:2310.16028), "copy with unique tokens".
// n        symbols to copy, 1 .. symbols.
// Options  symbols (256); an alphabet must reach the longest test.
// Ids      channel "coupled": a symbol and its copy share one (Cho et al. 2024, arXiv:2405.20671).
// Chance   1 / n: a guess among the symbols of the prompt.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class CopyUnique final : public DistinctStringTask {
 public:
  using DistinctStringTask::DistinctStringTask;

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> string = distinct_symbols(n, symbols(), rng);
    return {.prompt = string, .target = string, .ids = coupled_ids(n, 2, 1, 1)};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return prompt; }
};

const bool registered = register_task<CopyUnique>({
    .section = {"copy_unique", "Copy a string of random symbols, all different.", {symbols_option(256)}},
    .length = "symbols to copy",
    .source = "Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is n different symbols in uniformly random order; y = p",
    .hintable = true,
});

}  // namespace
}  // namespace lengthwise
