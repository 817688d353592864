// Associative recall, one query:  k3 v7 k1 v4 k3 -> v7
//
// Source   Ba et al. 2016 (arXiv:1610.06258), "associative retrieval"; the halves of the alphabet as in Arora et al.
//          2023 (arXiv:2312.04927).
// n        tokens of the prompt, from 3 on; an even n has n - 1.
// Options  symbols (128): keys are the lower half, values the upper; each must reach the pairs of the longest test.
// Chance   one in the pairs: a guess among the values of the prompt.
#include "experiments/tasks/keys_and_values.h"

namespace lengthwise {
namespace {

class AssociativeRecall final : public PromptTask {
 public:
  AssociativeRecall(const Options& options, Layout layout) : PromptTask(layout), alphabet_(options) {}

  void check_length(std::size_t n) const override {
    require(n >= 3, "ar: length ", n, " has no room for a pair and a query; the shortest length is 3.");
    alphabet_.check(n, pairs(n), pairs(n));
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> keys = alphabet_.distinct_keys(pairs(n), rng),
                           values = alphabet_.distinct_values(pairs(n), rng);
    const std::size_t asked = rng.below(pairs(n));
    Sample sample{.prompt = {}, .target = {values[asked]}, .ids = {}};
    for (std::size_t i = 0; i < pairs(n); ++i) sample.prompt.insert(sample.prompt.end(), {keys[i], values[i]});
    sample.prompt.push_back(keys[asked]);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    return {*(std::find(prompt.begin(), prompt.end(), prompt.back()) + 1)};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return 2 * pairs(n) + 1; }
  std::size_t target_tokens(std::size_t) const override { return 1; }
  int symbols() const override { return alphabet_.symbols(); }
  std::string symbol(int index) const override { return alphabet_.word(index); }
  double chance(std::size_t n) const override { return 1.0 / static_cast<double>(pairs(n)); }
  std::optional<double> space(std::size_t n) const override {
    const std::size_t count = pairs(n);
    return arrangements(alphabet_.keys(), count) * arrangements(alphabet_.values(), count) * static_cast<double>(count);
  }

 private:
  static std::size_t pairs(std::size_t n) { return (n - 1) / 2; }

  KeysAndValues alphabet_;
};

const bool registered = register_task<AssociativeRecall>({
    .section = {"ar", "Recall the value of one key from pairs of keys and values.", {keys_and_values_option(128)}},
    .length = "tokens of pairs and query",
    .source = "Ba et al. 2016 (arXiv:1610.06258); Arora et al. 2023 (arXiv:2312.04927)",
    .notes = "k3 is a key and v7 a value",
    .definition = "1: p is (n - 1) / 2 pairs of different keys and different values, then one of the keys, uniform; y "
                  "is its value",
});

}  // namespace
}  // namespace lengthwise
