// Odds first:  a b c d e -> a c e b d
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "odds first". Its public code contradicts its own description.
// n        symbols, from 1 on.
// Options  symbols (2),
//          order (doc: the 1st, 3rd, ... and then the 2nd, 4th, ..., as described; code: the 2nd, 4th, ... first).
// Chance   1 / symbols.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class OddsFirst final : public StringTask {
 public:
  OddsFirst(const Options& options, Layout layout)
      : StringTask(options, layout), first_(options.text("order") == "doc" ? 0 : 1) {}

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample{.prompt = independent_symbols(n, symbols(), rng), .target = {}, .ids = {}};
    for (const std::size_t start : {first_, 1 - first_})
      for (std::size_t i = start; i < n; i += 2) sample.target.push_back(sample.prompt[i]);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const std::size_t n = prompt.size(), odds = (n + 1) / 2, evens = n / 2;
    std::vector<int> answer(n);
    for (std::size_t i = 0; i < n; ++i) answer[i / 2 + (i % 2 == first_ ? 0 : first_ == 0 ? odds : evens)] = prompt[i];
    return answer;
  }

 private:
  std::size_t first_;
};

const bool registered = register_task<OddsFirst>({
    .section = {"odds_first",
                "Write the symbols at odd places, then those at even places.",
                {symbols_option(2), choice("order", "doc", {"doc", "code"})
                                        .says("doc: 1st, 3rd, ... and then 2nd, 4th, ...; code: the other way round")}},
    .length = "symbols to reorder",
    .source = "Delétang et al. 2022 (arXiv:2207.02098); order=code: its public code",
    .definition =
        "1: p is n independent uniform symbols; y is those at places 1, 3, ..., then those at 2, 4, ...; order "
        "as set",
});

}  // namespace
}  // namespace lengthwise
