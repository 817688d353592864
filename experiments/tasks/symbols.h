// Strings over a plain alphabet of interchangeable symbols, as several tasks use them.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "experiments/tasks/task.h"

namespace lengthwise {

/// n tokens, uniform and independent, of an alphabet of this many symbols.
inline std::vector<int> independent_symbols(std::size_t n, int symbols, Rng& rng) {
  std::vector<int> tokens(n);
  for (int& token : tokens) token = first_symbol + static_cast<int>(rng.below(static_cast<std::uint64_t>(symbols)));
  return tokens;
}

/// n different tokens of an alphabet of this many symbols, in random order. n <= symbols.
inline std::vector<int> distinct_symbols(std::size_t n, int symbols, Rng& rng) {
  std::vector<int> tokens;
  for (const std::size_t index : rng.distinct(static_cast<std::size_t>(symbols), n))
    tokens.push_back(first_symbol + static_cast<int>(index));
  return tokens;
}

/// Channel "coupled" of n symbols, SEP and n answers (Cho et al. 2024, arXiv:2405.20671): symbols from `first` up, SEP,
/// and answers from there on by `step`. The paper couples a row with the symbol that decides what comes after the row.
inline std::map<std::string, std::vector<double>> coupled_ids(std::size_t n, std::size_t first, std::size_t separator,
                                                              int step) {
  std::vector<double> ids(2 * n + 1, static_cast<double>(separator));
  for (std::size_t i = 0; i < n; ++i) {
    ids[i] = static_cast<double>(first + i);
    ids[n + 1 + i] += step * static_cast<double>(i + 1);
  }
  return {{"coupled", std::move(ids)}};
}

/// Ways to choose k of n, infinity where a double cannot hold them; exact while they are far below 2^53.
inline double choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return k > n ? 0 : std::round(std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k)));
}

/// Ways to take k of n in order, infinity where a double cannot hold them.
inline double arrangements(std::size_t n, std::size_t k) {
  double ways = 1;
  for (std::size_t i = 0; i < k; ++i) ways *= static_cast<double>(n) - static_cast<double>(i);
  return ways;
}

/// A letter where 26 suffice for the alphabet, otherwise a number from 0.
inline std::string symbol_name(int index, int symbols) {
  return symbols <= 26 ? std::string(1, static_cast<char>('a' + index)) : std::to_string(index);
}

inline OptionSpec symbols_option(std::int64_t fallback) {
  return integer("symbols", fallback).at_least(1).at_most(1 << 20).says("size of the alphabet");
}

/// A string of n symbols is asked for and n symbols answer; the option `symbols` is the size of the alphabet.
class StringTask : public PromptTask {
 public:
  StringTask(const Options& options, Layout layout)
      : PromptTask(layout), symbols_(static_cast<int>(options.integer("symbols"))) {}

  std::size_t prompt_tokens(std::size_t n) const final { return n; }
  std::size_t target_tokens(std::size_t n) const final { return n; }
  int symbols() const final { return symbols_; }
  std::string symbol(int index) const final { return symbol_name(index, symbols_); }
  /// Of independent symbols; a task with others says so.
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  std::optional<double> space(std::size_t n) const override { return std::pow(symbols_, n); }

 private:
  int symbols_;
};

/// A string of n different symbols, 1 .. symbols of them.
class DistinctStringTask : public StringTask {
 public:
  using StringTask::StringTask;

  void check_length(std::size_t n) const final {
    require(n >= 1 && n <= static_cast<std::size_t>(symbols()), name(), ": length ", n, " needs ", n,
            " different symbols and ", name(), ".symbols is ", symbols(),
            "; lengths are 1 .. symbols. Set symbols to the longest length of the evaluation or more.");
  }
  double chance(std::size_t n) const final { return 1.0 / static_cast<double>(n); }
  std::optional<double> space(std::size_t n) const final {
    return arrangements(static_cast<std::size_t>(symbols()), n);
  }
};

}  // namespace lengthwise
