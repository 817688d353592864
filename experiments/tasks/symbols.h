// Strings over a plain alphabet of interchangeable symbols, as several tasks use them.
#pragma once

#include <cmath>
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

}  // namespace lengthwise
