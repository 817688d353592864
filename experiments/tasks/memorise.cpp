// Facts:  k3 k0 k3 -> v7 v2 v7, each key's value by a map that never changes. Nothing depends on the context, so that
// its length should not matter either.
//
// Source   Poli et al. 2024 (arXiv:2403.17844), "memorization".
// n        keys, from 1 on; each is labelled with its value.
// Options  symbols (256): keys are the lower half, values the upper.
// Chance   1 / values.
#include "experiments/tasks/keys_and_values.h"

namespace lengthwise {
namespace {

class Memorise final : public DenseTask {
 public:
  Memorise(const Options& options, Layout layout) : DenseTask(layout), alphabet_(options) {
    Rng facts = Rng().at("memorise");
    values_ = alphabet_.distinct_values(alphabet_.keys(), facts);
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> keys = independent_symbols(n, static_cast<int>(alphabet_.keys()), rng);
    return {keys, solve(keys)};
  }
  Labels solve(const std::vector<int>& string) const override {
    Labels labels;
    for (const int key : string) {
      labels.at.push_back(labels.at.size());
      labels.tokens.push_back(values_[static_cast<std::size_t>(key - first_symbol)]);
    }
    return labels;
  }

  int symbols() const override { return alphabet_.symbols(); }
  std::string symbol(int index) const override { return alphabet_.word(index); }
  double chance(std::size_t) const override { return 1.0 / static_cast<double>(alphabet_.values()); }
  std::optional<double> space(std::size_t n) const override { return std::pow(alphabet_.keys(), n); }

 private:
  KeysAndValues alphabet_;
  std::vector<int> values_;  // of each key
};

const bool registered = register_task<Memorise>({
    .section = {"memorise", "Know the value of each key by heart.", {keys_and_values_option(256)}},
    .length = "keys",
    .source = "Poli et al. 2024 (arXiv:2403.17844)",
    .notes = "k3 is a key and v7 a value",
    .definition = "1: x is n independent uniform keys; each is labelled with its value, by a map of keys to different "
                  "values that is the same everywhere",
});

}  // namespace
}  // namespace lengthwise
