// In-context recall:  k3 v7 k1 v4 k3 v7, where each key but a new one tells the value that follows.
//
// Source   Poli et al. 2024 (arXiv:2403.17844): in-context recall; noisy recall (noise > 0); fuzzy recall (longest > 1,
//          trained on mixed sizes and tested with shortest = longest).
// n        tokens, 4 * longest or more; the last pair always has a key that came before. A string that no further pair
//          fits into ends earlier.
// Options  symbols (16): key tokens are the lower half, value tokens the upper; there are as many keys as key tokens;
//          noise (0): probability of two tokens of a separate alphabet between pairs, noise_symbols (16);
//          shortest (1), longest (1): tokens of a key, and of a value.
// Labels   the value of a repeated key, each token a row early: from the last token of the key on. A bidirectional
// model
//          could read it there, and has ANS in its place, labelled itself.
// Chance   1 / value tokens.
#include <map>
#include <set>
#include <utility>

#include "experiments/tasks/keys_and_values.h"

namespace lengthwise {
namespace {

class Recall final : public DenseTask {
 public:
  Recall(const Options& options, Layout layout)
      : DenseTask(layout),
        alphabet_(options),
        noise_(options.real("noise")),
        noise_symbols_(static_cast<int>(options.integer("noise_symbols"))),
        shortest_(options.count("shortest")),
        longest_(options.count("longest")) {
    require(shortest_ <= longest_, "recall: shortest is ", shortest_, " and longest ", longest_,
            " tokens of a key; set longest to at least shortest.");
  }

  void check_length(std::size_t n) const override {
    require(n >= 4 * longest_, "recall: length ", n, " cannot hold a pair twice; recall.longest is ", longest_,
            ", so lengths start at ", 4 * longest_, ".");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<Pair> pairs = draw_pairs(rng);
    std::vector<char> met(pairs.size());
    std::vector<std::size_t> seen;
    Sample sample;
    std::vector<int>& string = sample.string;
    for (bool more = true; more;) {
      if (!seen.empty() && n - string.size() >= 4 * longest_ && rng.uniform() < noise_) {
        for (int i = 0; i < 2; ++i)
          string.push_back(alphabet_.other(static_cast<int>(rng.below(static_cast<std::uint64_t>(noise_symbols_)))));
        continue;
      }
      more = n - string.size() >= 4 * longest_;  // else another pair might not fit behind this one
      const std::size_t chosen = more ? rng.below(pairs.size()) : seen[rng.below(seen.size())];
      const auto& [key, value] = pairs[chosen];
      string.insert(string.end(), key.begin(), key.end());
      const bool repeated = std::exchange(met[chosen], true);
      if (repeated)
        label(string.size(), value, sample.labels);
      else
        seen.push_back(chosen);
      if (repeated && layout() != Layout::causal)
        string.insert(string.end(), value.size(), ANS);
      else
        string.insert(string.end(), value.begin(), value.end());
    }
    return sample;
  }
  Labels solve(const std::vector<int>& string) const override {
    Labels labels;
    std::map<std::vector<int>, std::vector<int>> known;
    const auto is_key = [&](int token) { return token >= first_symbol && token < alphabet_.value(0); };
    const auto is_value = [&](int token) {
      return token == ANS || (token >= alphabet_.value(0) && token < alphabet_.other(0));
    };
    for (std::size_t i = 0; i < string.size();) {
      std::vector<int> key, value;
      while (i < string.size() && is_key(string[i])) key.push_back(string[i++]);
      const std::size_t begin = i;
      while (i < string.size() && is_value(string[i])) value.push_back(string[i++]);
      if (key.empty()) {
        ++i;  // noise
      } else if (const auto found = known.find(key); found == known.end()) {
        known[key] = value;
      } else {
        label(begin, found->second, labels);
      }
    }
    return labels;
  }

  std::size_t string_tokens(std::size_t n) const override { return shortest_ == longest_ ? n / 2 * 2 : n; }
  int symbols() const override { return alphabet_.symbols() + noise_symbols_; }
  std::string symbol(int index) const override {
    return index < alphabet_.symbols() ? alphabet_.word(index) : join('n', index - alphabet_.symbols());
  }
  double chance(std::size_t) const override { return 1.0 / static_cast<double>(alphabet_.values()); }
  /// About: what the pairs of single tokens leave to chance.
  std::optional<double> space(std::size_t n) const override {
    return std::pow(alphabet_.keys(), n / 2 / longest_) * static_cast<double>(alphabet_.values());
  }

 private:
  struct Pair {
    std::vector<int> key, value;
  };

  // The value of a repeated key, which has its place in the string from `begin` on.
  void label(std::size_t begin, const std::vector<int>& value, Labels& labels) const {
    for (std::size_t i = 0; i < value.size(); ++i) {
      labels.at.push_back(begin + i - (layout() == Layout::causal));
      labels.tokens.push_back(value[i]);
    }
  }

  // Different keys, each with a value.
  std::vector<Pair> draw_pairs(Rng& rng) const {
    const auto draw = [&](std::size_t tokens) {
      const auto size = static_cast<std::size_t>(
          rng.between(static_cast<std::int64_t>(shortest_), static_cast<std::int64_t>(longest_)));
      return independent_symbols(size, static_cast<int>(tokens), rng);
    };
    std::set<std::vector<int>> keys;
    while (keys.size() < alphabet_.keys()) keys.insert(draw(alphabet_.keys()));
    std::vector<Pair> pairs;
    for (const std::vector<int>& key : keys) {
      pairs.push_back({key, draw(alphabet_.values())});
      for (int& token : pairs.back().value) token += alphabet_.value(0) - first_symbol;
    }
    return pairs;
  }

  KeysAndValues alphabet_;
  double noise_;
  int noise_symbols_;
  std::size_t shortest_, longest_;
};

const bool registered = register_task<Recall>({
    .section = {"recall",
                "Recall the value of every key that has come before.",
                {integer("symbols", 16).at_least(2).at_most(4096).says("keys, the lower half, and values, the upper"),
                 real("noise", 0).at_least(0).at_most(0.99).says("probability of noise before a pair"),
                 integer("noise_symbols", 16).at_least(1).at_most(1 << 20).says("alphabet of the noise"),
                 integer("shortest", 1).at_least(1).at_most(100).in("tokens").says("shortest key and value"),
                 integer("longest", 1).at_least(1).at_most(100).in("tokens").says("longest key and value")}},
    .length = "tokens",
    .source = "Poli et al. 2024 (arXiv:2403.17844)",
    .notes = "k3 is a token of a key, v7 one of a value and n2 noise",
    .definition =
        "1: x is pairs of a key and its value, both of shortest .. longest tokens, keys independent and uniform, "
        "the map new in each example, with two noise tokens before a pair with probability noise; the last key "
        "has come before; values of repeated keys are labelled",
});

}  // namespace
}  // namespace lengthwise
