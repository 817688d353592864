// Parity with a scratch-pad:  1 0 1 1 -> 1 1 0 1, the parity of every prefix; the last is the answer.
//
// Source   Anil et al. 2022 (arXiv:2207.04901), scratch-pads; Zhou et al. 2023 (arXiv:2310.16028), with index hints.
// n        bits, from 1 on.
// Options  reversed (false): the pad takes the bits from the last to the first, parities of suffixes.
// Ids      channel "coupled": the parity before a bit shares the bit's (Cho et al. 2024, arXiv:2405.20671).
// Chance   1/2.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, one = first_symbol + 1;

class ParityPad final : public PromptTask {
 public:
  ParityPad(const Options& options, Layout layout) : PromptTask(layout), reversed_(options.flag("reversed")) {}

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample{.prompt = independent_symbols(n, 2, rng),
                  .target = {},
                  .ids = reversed_ ? coupled_ids(n, 2, n + 1, -1) : coupled_ids(n, 1, 1, 1)};
    int state = zero;
    for (std::size_t i = 0; i < n; ++i) {
      if (sample.prompt[reversed_ ? n - 1 - i : i] == one) state = state == zero ? one : zero;
      sample.target.push_back(state);
    }
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    for (std::size_t read = 1; read <= prompt.size(); ++read) {
      const auto ones = reversed_
                            ? std::count(prompt.rbegin(), prompt.rbegin() + static_cast<std::ptrdiff_t>(read), one)
                            : std::count(prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(read), one);
      answer.push_back(ones % 2 == 1 ? one : zero);
    }
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t n) const override { return n; }
  int symbols() const override { return 2; }
  std::string symbol(int index) const override { return std::to_string(index); }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override { return std::exp2(n); }

 private:
  bool reversed_;
};

const bool registered = register_task<ParityPad>({
    .section = {"parity_pad",
                "Write the parity of each prefix of a bit string.",
                {flag("reversed", false).says("take the bits from the last to the first")}},
    .length = "bits",
    .source = "Anil et al. 2022 (arXiv:2207.04901); Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is n independent bits; y is the parities of its prefixes of 1 .. n bits; reversed: of suffixes",
    .hintable = true,
});

}  // namespace
}  // namespace lengthwise
