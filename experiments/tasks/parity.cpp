// Parity:  1 0 1 1 -> 1, the number of ones modulo 2.
//
// Source   iid: Delétang et al. 2022 (arXiv:2207.02098). count_uniform: Huang et al. 2024 (arXiv:2410.02140).
// n        bits, from 1 on.
// Options  sampler (iid): independent bits, whose number of ones concentrates around n/2; or count_uniform, where it is
//          uniform on 0 .. n and the bits are shuffled.
// Ids      channel "coupled": all tokens share one (Cho et al. 2024, arXiv:2405.20671).
// Chance   1/2.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, one = first_symbol + 1;

class Parity final : public PromptTask {
 public:
  Parity(const Options& options, Layout layout)
      : PromptTask(layout), count_uniform_(options.text("sampler") == "count_uniform") {}

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> bits = count_uniform_ ? shuffled_ones(n, rng) : independent_symbols(n, symbols(), rng);
    int state = zero;
    for (const int bit : bits)
      if (bit == one) state = state == zero ? one : zero;
    return {.prompt = std::move(bits), .target = {state}, .ids = {{"coupled", std::vector<double>(n + 2, 1)}}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    return {std::count(prompt.begin(), prompt.end(), one) % 2 == 1 ? one : zero};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return 1; }
  int symbols() const override { return 2; }
  std::string symbol(int index) const override { return std::to_string(index); }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override { return std::pow(2.0, n); }

 private:
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
                     .says("iid: independent bits; count_uniform: the number of ones is uniform on 0 .. n")}},
    .length = "bits",
    .source = "Delétang et al. 2022 (arXiv:2207.02098); count_uniform: Huang et al. 2024 (arXiv:2410.02140)",
    .definition = "1: p is n bits, independent or with a uniform number of ones; y is the number of ones modulo 2",
});

}  // namespace
}  // namespace lengthwise
