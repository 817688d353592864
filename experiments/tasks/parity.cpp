// Parity:  1 0 1 1 -> 1, the number of ones modulo 2.
//
// Source   iid: Delétang et al. 2022 (arXiv:2207.02098). count_uniform: Huang et al. 2024 (arXiv:2410.02140).
//          Scratch-pad: Kazemnejad et al. 2023 (arXiv:2305.19466).
// n        bits, from 1 on.
// Options  sampler (iid): independent bits, whose number of ones concentrates around n/2; or count_uniform, where it is
//          uniform on 0 .. n and the bits are shuffled. scratchpad (none).
// Pad      a step a bit: the bit; bit ^ parity so far; their parity; the same as variable; the bits that follow.
// Ids      channel "coupled": all tokens share one (Cho et al. 2024, arXiv:2405.20671), but for those of the pad.
// Chance   1/2.
#include <algorithm>

#include "experiments/tasks/scratchpad.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, one = first_symbol + 1;

class Parity final : public ScratchpadTask {
 public:
  Parity(const Options& options, Layout layout)
      : ScratchpadTask(options, layout, {"0", "1"}, "^"), count_uniform_(options.text("sampler") == "count_uniform") {}

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    return {std::count(prompt.begin(), prompt.end(), one) % 2 == 1 ? one : zero};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override { return std::pow(2.0, n); }

 private:
  Sample ask(std::size_t n, Rng rng) const override {
    std::vector<int> bits = count_uniform_ ? shuffled_ones(n, rng) : independent_symbols(n, 2, rng);
    int state = zero;
    for (const int bit : bits)
      if (bit == one) state = state == zero ? one : zero;
    return {.prompt = std::move(bits), .target = {state}, .ids = {{"coupled", std::vector<double>(n + 2, 1)}}};
  }
  std::size_t answer_tokens(std::size_t) const override { return 1; }

  std::vector<Step> steps(const std::vector<int>& prompt) const override {
    std::vector<Step> steps;
    int parity = zero;
    for (auto bit = prompt.begin(); bit != prompt.end(); ++bit) {
      const int next = *bit == parity ? zero : one;
      steps.push_back({.input = {*bit},
                       .computation = {*bit, pad_word(0), parity},
                       .output = {next},
                       .variables = {next},
                       .remaining = {bit + 1, prompt.end()}});
      parity = next;
    }
    return steps;
  }
  std::vector<int> longest_prompt(std::size_t n) const override { return std::vector<int>(n, zero); }

  static std::vector<int> shuffled_ones(std::size_t n, Rng& rng) {
    std::vector<int> bits(n, zero);
    std::fill_n(bits.begin(), rng.below(n + 1), one);
    rng.shuffle(bits);
    return bits;
  }

  bool count_uniform_;
};

const bool registered = register_task<Parity>({
    .section = {"parity",
                "Whether a bit string has an odd number of ones.",
                {choice("sampler", "iid", {"iid", "count_uniform"})
                     .says("iid: independent bits; count_uniform: the number of ones is uniform on 0 .. n"),
                 scratchpad_option()}},
    .length = "bits",
    .source = "Delétang et al. 2022 (arXiv:2207.02098); count_uniform: Huang et al. 2024 (arXiv:2410.02140)",
    .definition = "1: p is n bits, independent or with a uniform number of ones; y is the number of ones modulo 2",
    .later = {"scratchpad"},
});

}  // namespace
}  // namespace lengthwise
