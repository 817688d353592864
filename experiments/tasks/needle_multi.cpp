// Needles in a haystack:  w0 k3 v7 w1 w2 k5 v0 w3 k3 -> v7
//
// Source   Hsieh et al. 2024, RULER (arXiv:2404.06654): single (1/1/1), multi-key (4/1/1), multi-value (1/4/1) and
//          multi-query (4/1/4) of keys/values/queries, and the haystack of needles alone.
// n        tokens of the prompt, queries included.
// Options  keys (1), values (1): of each key; queries (1): keys that are asked for, keys or fewer; haystack (filler: a
//          sentence repeated; needles: other keys, each with its value); symbols (128): keys are the lower half, values
//          the upper; filler (20): words of the sentence.
// Chance   one in the needles: a guess among the values of the prompt.
#include "experiments/tasks/haystack.h"
#include "experiments/tasks/keys_and_values.h"

namespace lengthwise {
namespace {

class NeedleMulti final : public PromptTask {
 public:
  NeedleMulti(const Options& options, Layout layout)
      : PromptTask(layout),
        alphabet_(options),
        keys_(options.count("keys")),
        values_(options.count("values")),
        queries_(options.count("queries")),
        only_needles_(options.text("haystack") == "needles"),
        words_(static_cast<int>(options.integer("filler"))) {
    require(queries_ <= keys_, "needle_multi: queries is ", queries_, " and keys is ", keys_,
            "; each query asks for another key. Set keys to at least queries.");
  }

  void check_length(std::size_t n) const override {
    const std::size_t shortest = 2 * keys_ * values_ + queries_;
    require(n >= shortest, "needle_multi: length ", n, " has no room for ", keys_ * values_,
            " needles of two tokens and ", queries_, " queries; lengths start at ", shortest, ".");
    alphabet_.check(n, keys_ + decoys(n), needles(n));
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> keys = alphabet_.distinct_keys(keys_ + decoys(n), rng),
                           values = alphabet_.distinct_values(needles(n), rng);
    std::vector<std::size_t> owner;  // of each needle: its place in keys
    for (std::size_t key = 0; key < keys.size(); ++key) owner.insert(owner.end(), key < keys_ ? values_ : 1, key);
    rng.shuffle(owner);

    std::vector<std::vector<int>> hidden;
    for (std::size_t i = 0; i < owner.size(); ++i) hidden.push_back({keys[owner[i]], values[i]});
    const std::size_t filler = n - queries_ - 2 * needles(n);
    Sample sample;
    sample.prompt = haystack(hidden, random_places(hidden.size(), filler, rng), filler, alphabet_.other(0), words_);
    for (std::size_t query = 0; query < queries_; ++query) {
      sample.prompt.push_back(keys[query]);
      for (std::size_t i = 0; i < owner.size(); ++i)
        if (owner[i] == query) sample.target.push_back(values[i]);
    }
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    for (std::size_t query = prompt.size() - queries_; query < prompt.size(); ++query)
      for (std::size_t i = 0; i + queries_ < prompt.size(); ++i)
        if (prompt[i] == prompt[query]) answer.push_back(prompt[i + 1]);
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return queries_ * values_; }
  int symbols() const override { return alphabet_.symbols() + words_; }
  std::string symbol(int index) const override {
    return index < alphabet_.symbols() ? alphabet_.word(index) : filler_word(index - alphabet_.symbols());
  }
  double chance(std::size_t n) const override { return 1.0 / static_cast<double>(needles(n)); }
  /// At least; exact for one needle.
  std::optional<double> space(std::size_t n) const override {
    const std::size_t filler = n - queries_ - 2 * needles(n);
    return arrangements(alphabet_.keys(), keys_) * arrangements(alphabet_.values(), needles(n)) *
           choose(filler + needles(n), filler);
  }

 private:
  // Needles that are never asked for, in place of filler.
  std::size_t decoys(std::size_t n) const { return only_needles_ ? (n - queries_) / 2 - keys_ * values_ : 0; }
  std::size_t needles(std::size_t n) const { return keys_ * values_ + decoys(n); }

  KeysAndValues alphabet_;
  std::size_t keys_, values_, queries_;
  bool only_needles_;
  int words_;
};

const bool registered = register_task<NeedleMulti>({
    .section = {"needle_multi",
                "Find the values of some keys in a long context.",
                {integer("keys", 1).at_least(1).at_most(1 << 20).says("keys in the haystack"),
                 integer("values", 1).at_least(1).at_most(1 << 20).says("values of each key, all to be found"),
                 integer("queries", 1).at_least(1).at_most(1 << 20).says("keys asked for"),
                 choice("haystack", "filler", {"filler", "needles"})
                     .says("what surrounds the needles; filler: a sentence repeated; needles: other keys and values"),
                 keys_and_values_option(128), filler_option()}},
    .length = "tokens of the prompt",
    .source = "Hsieh et al. 2024 (arXiv:2404.06654)",
    .notes = "k3 is a key, v7 a value and w0 a word of the filler",
    .definition = "1: p is needles `key value`, of keys each with values values, and decoys if haystack is needles, in "
                  "random order at uniform places of a filler, then queries of the keys; y is the values of each asked "
                  "key in order of appearance; all keys and all values differ",
});

}  // namespace
}  // namespace lengthwise
