// Multi-query associative recall:  k3 v7 k1 v4  k1 w k3 w, where each k of the second part is labelled with its v.
//
// Source   Arora et al. 2023 (arXiv:2312.04927); its public code for the variants.
// n        tokens: the pairs, then slots for the queries, most of them empty, of a key and one token more. At least one
//          slot a key.
// Options  pairs (8) of different keys and values; symbols (8192): keys are the lower half, values the upper;
//          passes (1): times the pairs are written, in new order;
//          rewrites (0): pairs that follow, with new values for keys of before; the last value is right ("forgetting");
//          compose (false): a key is two tokens, a row and a column of a grid of about root(pairs) a side, so that
//          neither alone tells the value ("compositional");
//          filler (safe): random symbols, none of them in a key of the context; peer: any symbols, of which those that
//          happen to make a key in a slot are queries too; blank: a symbol of its own;
//          power (0.01): slot g = 1, 2, ... is queried with probability proportional to g^(power - 1).
// Chance   one in the values of the context.
#include <algorithm>
#include <map>
#include <set>

#include "experiments/tasks/keys_and_values.h"

namespace lengthwise {
namespace {

class Mqar final : public DenseTask {
 public:
  Mqar(const Options& options, Layout layout)
      : DenseTask(layout),
        alphabet_(options),
        pairs_(options.count("pairs")),
        passes_(options.count("passes")),
        rewrites_(options.count("rewrites")),
        key_tokens_(options.flag("compose") ? 2 : 1),
        filler_(options.text("filler")),
        power_(options.real("power")) {
    require(rewrites_ <= pairs_, "mqar: rewrites is ", rewrites_, " and pairs is ", pairs_,
            "; a key is rewritten at most once. Set rewrites to pairs or less.");
  }

  void check_length(std::size_t n) const override {
    const std::size_t shortest = context() + pairs_ * (key_tokens_ + 1);
    require(n >= shortest, "mqar: length ", n, " has no room for ", pairs_ * passes_ + rewrites_,
            " pairs and a query of each key; lengths start at ", shortest, ". Lower mqar.pairs, passes or rewrites.");
    alphabet_.check(n, key_symbols(), pairs_ + rewrites_);
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<std::vector<int>> keys = draw_keys(rng);
    std::vector<int> values = alphabet_.distinct_values(pairs_ + rewrites_, rng);
    Sample sample;
    std::vector<int>& string = sample.string;
    const auto write = [&](std::size_t key) {
      string.insert(string.end(), keys[key].begin(), keys[key].end());
      string.push_back(values[key]);
    };
    for (std::size_t pass = 0; pass < passes_; ++pass)
      for (const std::size_t key : rng.distinct(pairs_, pairs_)) write(key);
    std::size_t next = pairs_;
    for (const std::size_t key : rng.distinct(pairs_, rewrites_)) {
      values[key] = values[next++];
      write(key);
    }

    const std::vector<std::size_t> slots = draw_slots((n - context()) / entry_tokens(), rng);
    fill(n, keys, string, rng);
    std::map<std::vector<int>, int> value;
    for (std::size_t key = 0; key < pairs_; ++key) {
      const std::size_t at = context() + slots[key] * entry_tokens();
      std::ranges::copy(keys[key], string.begin() + static_cast<std::ptrdiff_t>(at));
      value[keys[key]] = values[key];
    }
    for (std::size_t at = context(); at + entry_tokens() <= n; at += entry_tokens())
      if (const auto found = value.find(key_at(string, at)); found != value.end())
        label(at, found->second, sample.labels);
    return sample;
  }
  Labels solve(const std::vector<int>& string) const override {
    Labels labels;
    for (std::size_t at = context(); at + entry_tokens() <= string.size(); at += entry_tokens())
      for (std::size_t pair = context(); pair > 0; pair -= entry_tokens())  // from the last, which is right
        if (const std::size_t entry = pair - entry_tokens(); key_at(string, entry) == key_at(string, at)) {
          label(at, string[entry + key_tokens_], labels);
          break;
        }
    return labels;
  }

  int symbols() const override { return alphabet_.symbols() + (filler_ == "blank"); }
  std::string symbol(int index) const override { return index < alphabet_.symbols() ? alphabet_.word(index) : "."; }
  double chance(std::size_t) const override { return 1.0 / static_cast<double>(pairs_ + rewrites_); }
  /// At least: the values.
  std::optional<double> space(std::size_t) const override {
    return arrangements(alphabet_.values(), pairs_ + rewrites_);
  }

 private:
  std::size_t entry_tokens() const { return key_tokens_ + 1; }  // a pair, or a slot for a query
  std::size_t context() const { return (pairs_ * passes_ + rewrites_) * entry_tokens(); }
  std::size_t grid_side() const { return static_cast<std::size_t>(std::ceil(std::sqrt(pairs_))); }
  std::size_t key_symbols() const { return key_tokens_ == 1 ? pairs_ : 2 * grid_side(); }

  std::vector<int> key_at(const std::vector<int>& string, std::size_t at) const {
    const auto begin = string.begin() + static_cast<std::ptrdiff_t>(at);
    return {begin, begin + static_cast<std::ptrdiff_t>(key_tokens_)};
  }
  void label(std::size_t at, int value, Labels& labels) const {
    labels.at.push_back(at + key_tokens_ - 1);
    labels.tokens.push_back(value);
  }

  std::vector<std::vector<int>> draw_keys(Rng& rng) const {
    const std::vector<int> drawn = alphabet_.distinct_keys(key_symbols(), rng);
    std::vector<std::vector<int>> keys;
    for (std::size_t i = 0; i < pairs_; ++i) {
      if (key_tokens_ == 1)
        keys.push_back({drawn[i]});
      else
        keys.push_back({drawn[i / grid_side()], drawn[grid_side() + i % grid_side()]});
    }
    return keys;
  }

  // The slot of each key's query. The first `pairs` by exponential times of rates w_g are a draw without replacement
  // with weights w_g (Efraimidis, Spirakis 2006).
  std::vector<std::size_t> draw_slots(std::size_t slots, Rng& rng) const {
    std::vector<double> times(slots);
    for (std::size_t g = 0; g < slots; ++g) {
      const double weight = std::pow(static_cast<double>(g + 1), power_ - 1);
      times[g] = -std::log1p(-rng.uniform()) / weight;
    }
    std::vector<std::size_t> order(slots);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t g) { return times[g]; });
    order.resize(pairs_);
    return order;
  }

  void fill(std::size_t n, const std::vector<std::vector<int>>& keys, std::vector<int>& string, Rng& rng) const {
    std::set<int> taken;
    if (filler_ == "safe")
      for (const std::vector<int>& key : keys) taken.insert(key.begin(), key.end());
    while (string.size() < n) {
      const int token =
          filler_ == "blank" ? alphabet_.other(0) : independent_symbols(1, alphabet_.symbols(), rng).front();
      if (!taken.count(token)) string.push_back(token);
    }
  }

  KeysAndValues alphabet_;
  std::size_t pairs_, passes_, rewrites_, key_tokens_;
  std::string filler_;
  double power_;
};

const bool registered = register_task<Mqar>({
    .section = {"mqar",
                "Recall the values of many keys, asked for at many places.",
                {integer("pairs", 8).at_least(1).at_most(1 << 20).says("keys, each with a value"),
                 keys_and_values_option(8192),
                 integer("passes", 1).at_least(1).at_most(1000).says("times the pairs are written"),
                 integer("rewrites", 0).at_most(1 << 20).says("keys that get a new value, which is the right one"),
                 flag("compose", false).says("keys of two tokens, a row and a column of a grid"),
                 choice("filler", "safe", {"safe", "peer", "blank"})
                     .says("tokens between queries; safe: random, none of a key of the context; peer: random, where a "
                           "key is one more query; blank: a symbol of its own"),
                 real("power", 0.01)
                     .at_least(0)
                     .at_most(1)
                     .says("slot g of the queries has weight g^(power - 1); 1: all alike")}},
    .length = "tokens of pairs and queries",
    .source = "Arora et al. 2023 (arXiv:2312.04927); rewrites, compose: its public code",
    .notes =
        "k3 is a key, v7 a value and . a blank (filler = blank). A slot is labelled at the end of its key; the token "
        "that follows there is filler and tells nothing",
    .definition =
        "1: x is pairs, passes times in random order, then rewrites of them with new values, then slots of a key "
        "and a token, of which each key has one by weights g^(power - 1), the rest filler; a key is one token, "
        "or two of a grid; each key in a slot is labelled with its last value",
});

}  // namespace
}  // namespace lengthwise
