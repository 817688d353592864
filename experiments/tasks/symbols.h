// Strings over a plain alphabet of interchangeable symbols, as several tasks use them.
#pragma once

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

}  // namespace lengthwise
