// Strings of brackets of several kinds. Symbol 2i opens kind i, symbol 2i + 1 closes it.
#pragma once

#include <algorithm>
#include <cmath>

#include "experiments/tasks/task.h"

namespace lengthwise {

inline OptionSpec bracket_pairs_option(std::int64_t fallback) {
  return integer("pairs", fallback).at_least(1).at_most(29).says("kinds of brackets");
}

/// "(", ")", "[", "]", ...; from five kinds on "(1", ")1", "(2", ...
inline std::vector<std::string> bracket_names(std::size_t pairs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pairs; ++i)
    for (const std::size_t side : {0, 1})
      names.push_back(pairs <= 4 ? std::string(1, "()[]{}<>"[2 * i + side]) : join("()"[side], i + 1));
  return names;
}

/// Throws InputError for a length that no balanced string has.
inline void check_bracket_length(const std::string& task, std::size_t n) {
  require(n % 2 == 0, task, ": no balanced string has length ", n, ", as many brackets close as open. List even ",
          "lengths: train.length_law = list, train.lengths = 2..50:2.");
}

inline bool opens(int symbol) { return symbol % 2 == 0; }
inline int kind(int symbol) { return symbol / 2; }

/// Number of strings of m pairs of one kind, at most `depth` open at a time, in which every bracket finds its other.
inline double balanced_strings(std::size_t m, std::size_t depth) {
  std::vector<double> ways(std::min(depth, m) + 2);  // by the number open; the last stays 0
  ways[0] = 1;
  for (std::size_t i = 0; i < 2 * m; ++i) {
    double below = 0;
    for (std::size_t d = 0; d + 1 < ways.size(); ++d) {
      const double here = ways[d];
      ways[d] = below + ways[d + 1];
      below = here;
    }
  }
  return ways[0];
}

/// One of them, without a bound on the depth, uniformly: +1 opens, -1 closes. One closing bracket too many, in any
/// order, has one rotation that is a balanced string and that bracket (the cycle lemma).
inline std::vector<int> balanced_string(std::size_t m, Rng& rng) {
  std::vector<int> steps(2 * m + 1, -1);
  std::fill_n(steps.begin(), m, 1);
  rng.shuffle(steps);
  std::vector<int> heights(steps.size());
  std::partial_sum(steps.begin(), steps.end(), heights.begin());
  const auto lowest = std::min_element(heights.begin(), heights.end()) - heights.begin();
  std::rotate(steps.begin(), steps.begin() + lowest + 1, steps.end());
  steps.pop_back();
  return steps;
}

/// Gives every pair of a balanced string, or of the beginning of one, a kind, uniform and independent. Symbols.
inline std::vector<int> with_kinds(const std::vector<int>& steps, std::size_t pairs, Rng& rng) {
  std::vector<int> symbols, open;
  for (const int step : steps) {
    if (step > 0) open.push_back(static_cast<int>(rng.below(pairs)));
    symbols.push_back(2 * open.back() + (step < 0));
    if (step < 0) open.pop_back();
  }
  return symbols;
}

inline std::vector<int> as_tokens(std::vector<int> symbols) {
  for (int& symbol : symbols) symbol += first_symbol;
  return symbols;
}

}  // namespace lengthwise
