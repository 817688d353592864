// Variable tracking:  w0 k3 = v7 w1 k5 = k3 w2 k1 = k5 w3 v7 -> k1 k3 k5, all names that hold the value.
//
// Source   Hsieh et al. 2024, RULER (arXiv:2404.06654), "variable tracking".
// n        tokens of the prompt.
// Options  chains (1), each of its own value, one asked for; hops (4): assignments of a chain after its first; symbols
//          (128): names are the lower half, values the upper; filler (20): words of the sentence around them.
// Chance   one in the names of the prompt.
#include <set>

#include "experiments/tasks/haystack.h"
#include "experiments/tasks/keys_and_values.h"

namespace lengthwise {
namespace {

class VarTrack final : public PromptTask {
 public:
  VarTrack(const Options& options, Layout layout)
      : PromptTask(layout),
        alphabet_(options),
        chains_(options.count("chains")),
        names_(options.count("hops") + 1),
        words_(static_cast<int>(options.integer("filler"))) {}

  void check_length(std::size_t n) const override {
    const std::size_t shortest = 3 * chains_ * names_ + 1;
    require(n >= shortest, "var_track: length ", n, " has no room for ", chains_ * names_,
            " assignments of three tokens and the question; lengths start at ", shortest, ".");
    alphabet_.check(n, chains_ * names_, chains_);
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> names = alphabet_.distinct_keys(chains_ * names_, rng),
                           values = alphabet_.distinct_values(chains_, rng);
    std::vector<std::size_t> turns;  // the chain of each assignment
    for (std::size_t chain = 0; chain < chains_; ++chain) turns.insert(turns.end(), names_, chain);
    rng.shuffle(turns);

    std::vector<std::vector<int>> assignments;
    std::vector<std::size_t> done(chains_);
    for (const std::size_t chain : turns) {
      const int* name = &names[chain * names_ + done[chain]];
      assignments.push_back({*name, equals(), done[chain] == 0 ? values[chain] : name[-1]});
      ++done[chain];
    }
    Sample sample;
    const std::vector<std::size_t> places = random_places(assignments.size(), filler(n), rng);
    sample.prompt = haystack(assignments, places, filler(n), equals() + 1, words_);
    sample.prompt.push_back(values[0]);
    sample.target.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(names_));
    std::ranges::sort(sample.target);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::set<int> holders;
    for (std::size_t i = 1; i + 1 < prompt.size(); ++i) {
      if (prompt[i] != equals()) continue;
      if (prompt[i + 1] == prompt.back() || holders.count(prompt[i + 1])) holders.insert(prompt[i - 1]);
    }
    return {holders.begin(), holders.end()};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return names_; }
  int symbols() const override { return alphabet_.symbols() + 1 + words_; }
  std::string symbol(int index) const override {
    const int other = index - alphabet_.symbols();
    return other < 0 ? alphabet_.word(index) : other == 0 ? "=" : filler_word(other - 1);
  }
  double chance(std::size_t) const override { return 1.0 / static_cast<double>(chains_ * names_); }
  /// At least; exact for one chain.
  std::optional<double> space(std::size_t n) const override {
    return arrangements(alphabet_.keys(), chains_ * names_) * arrangements(alphabet_.values(), chains_) *
           choose(filler(n) + chains_ * names_, filler(n));
  }

 private:
  int equals() const { return alphabet_.other(0); }
  std::size_t filler(std::size_t n) const { return n - 3 * chains_ * names_ - 1; }

  KeysAndValues alphabet_;
  std::size_t chains_, names_;  // names of a chain
  int words_;
};

const bool registered = register_task<VarTrack>({
    .section =
        {"var_track",
         "Name every variable that holds a value, through chains of assignments.",
         {integer("chains", 1).at_least(1).at_most(1 << 20).says("chains of assignments, one of which is asked for"),
          integer("hops", 4).at_most(1 << 20).says("assignments of a chain from name to name"),
          keys_and_values_option(128), filler_option()}},
    .length = "tokens of the prompt",
    .source = "Hsieh et al. 2024 (arXiv:2404.06654)",
    .notes = "k3 is a name, v7 a value and w0 a word of the filler; k3 = v7 and k5 = k3 are assignments",
    .definition = "1: p is chains of hops + 1 assignments, in order within a chain, chains interleaved at random, at "
                  "uniform places of a filler, then the value of one chain; y is its names, ascending",
});

}  // namespace
}  // namespace lengthwise
