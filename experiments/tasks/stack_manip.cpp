// Stack manipulation:  0 1 POP P1 P0 -> 0 1 0 END, the stack from its top.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "stack manipulation".
// n        tokens, from 2 on: 1 .. n-1 bits of a stack, its bottom first, then actions: POP (nothing on an empty
//          stack), P0 and P1 (push a bit).
// Options  compat (none): peer starts at n = 1, a bit and no action, as the authors' code does: 1 -> 1 END.
// Chance   1/3: 0, 1 or END.
// Deviates the source fills answers to n + 1 with zeros and trains on them; here nothing after END is scored.
#include "experiments/tasks/compat.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, end = zero + 2, pop = zero + 3, push_zero = zero + 4;

class StackManip final : public WordTask {
 public:
  StackManip(const Options& options, Layout layout)
      : WordTask(layout, split_words("0 1 END POP P0 P1")), peer_(as_peer(options)) {}

  void check_length(std::size_t n) const override {
    require_length(name(), n, 2, "a bit of the stack and an action", peer_);
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::size_t height = n == 1 ? 1 : 1 + rng.below(n - 1);
    std::vector<int> stack = independent_symbols(height, 2, rng), prompt = stack;
    for (const int action : independent_symbols(n - height, 3, rng, pop)) {
      prompt.push_back(action);
      if (action != pop)
        stack.push_back(zero + action - push_zero);
      else if (!stack.empty())
        stack.pop_back();
    }
    std::vector<int> target(stack.rbegin(), stack.rend());
    target.push_back(end);
    return {.prompt = std::move(prompt), .target = std::move(target), .ids = {}};
  }
  /// Read backwards: a POP takes the nearest bit before it that no later one takes; what is left is the stack.
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    std::size_t pops = 0;
    for (auto token = prompt.rbegin(); token != prompt.rend(); ++token) {
      if (*token == pop)
        ++pops;
      else if (pops > 0)
        --pops;
      else
        answer.push_back(*token < end ? *token : zero + *token - push_zero);
    }
    answer.push_back(end);
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t n) const override { return n + 1; }
  double chance(std::size_t) const override { return 1.0 / 3; }
  std::optional<double> space(std::size_t n) const override {
    double inputs = n == 1 ? 2 : 0;
    for (std::size_t height = 1; height < n; ++height) inputs += std::pow(2.0, height) * std::pow(3.0, n - height);
    return inputs;
  }

 private:
  bool peer_;
};

const bool registered = register_task<StackManip>({
    .section = {"stack_manip",
                "The contents of a stack after some pushes and pops.",
                {compat_option("a bit, whose answer is that bit")}},
    .length = "bits of the stack and actions",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .notes = "the bits are there from the bottom up; then POP takes the top off (nothing, where the stack is empty) "
             "and P0 and P1 put a bit on it. END is a symbol of the answer and is scored with it; nothing follows",
    .definition =
        "1: p is s uniform bits, s uniform on 1 .. n-1, then n - s uniform actions POP, P0, P1; y is the stack "
        "from its top, then END",
    .later = {"compat"},
});

}  // namespace
}  // namespace lengthwise
