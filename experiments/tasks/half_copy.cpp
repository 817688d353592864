// Half copy:  a b c d e f g h -> e f, the third quarter of a string.
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466).
// n        symbols of the string, all different; even, 4 .. symbols.
// Options  symbols (100); an alphabet must reach the longest test.
// Chance   1 / n: a guess among the symbols of the prompt.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class HalfCopy final : public StringTask {
 public:
  using StringTask::StringTask;

  void check_length(std::size_t n) const override {
    require(n >= 4 && n % 2 == 0 && n <= static_cast<std::size_t>(symbols()), name(), ": the length is ", n,
            "; it is even and 4 .. half_copy.symbols, which is ", symbols(),
            ". List even lengths (4..20:2, with train.length_law = list), and set symbols to the longest.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample{.prompt = distinct_symbols(n, symbols(), rng), .target = {}, .ids = {}};
    const auto middle = sample.prompt.begin() + static_cast<std::ptrdiff_t>(n / 2);
    sample.target.assign(middle, middle + static_cast<std::ptrdiff_t>(target_tokens(n)));
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    for (std::size_t i = 0; i < prompt.size(); ++i)
      if (2 * i >= prompt.size() && 4 * (i + 1) <= 3 * prompt.size()) answer.push_back(prompt[i]);
    return answer;
  }

  std::size_t target_tokens(std::size_t n) const override { return n / 4; }
  double chance(std::size_t n) const override { return 1.0 / static_cast<double>(n); }
  std::optional<double> space(std::size_t n) const override {
    return arrangements(static_cast<std::size_t>(symbols()), n);
  }
};

const bool registered = register_task<HalfCopy>({
    .section = {"half_copy", "Copy the third quarter of a string of different symbols.", {symbols_option(100)}},
    .length = "symbols of the string, even",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .definition =
        "1: p is n different symbols in uniformly random order; y is p from place n/2 (from 0) on, n/4 symbols, "
        "rounded down",
});

}  // namespace
}  // namespace lengthwise
