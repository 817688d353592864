// Needles in a haystack: short strings at places of a filler, a sentence that is said over and over.
#pragma once

#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {

inline OptionSpec filler_option() {
  return integer("filler", 20).at_least(1).at_most(1 << 20).says("words of the sentence that fills the context");
}

/// Word i of the sentence as a person reads it.
inline std::string filler_word(int i) { return join('w', i); }

/// How many of `length` filler words stand before each needle, ascending: all arrangements of both are alike.
inline std::vector<std::size_t> random_places(std::size_t needles, std::size_t length, Rng& rng) {
  std::vector<std::size_t> places = rng.distinct(length + needles, needles);
  std::ranges::sort(places);
  for (std::size_t i = 0; i < needles; ++i) places[i] -= i;
  return places;
}

/// The needles in their order, each after its places[i] words of `length` filler words. The sentence is the tokens from
/// first_word on, `words` of them; needles interrupt it and it goes on behind them.
inline std::vector<int> haystack(const std::vector<std::vector<int>>& needles, const std::vector<std::size_t>& places,
                                 std::size_t length, int first_word, int words) {
  std::vector<int> tokens;
  std::size_t next = 0;
  for (std::size_t said = 0;; ++said) {
    for (; next < needles.size() && places[next] == said; ++next)
      tokens.insert(tokens.end(), needles[next].begin(), needles[next].end());
    if (said == length) return tokens;
    tokens.push_back(first_word + static_cast<int>(said % static_cast<std::size_t>(words)));
  }
}

}  // namespace lengthwise
