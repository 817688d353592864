// The alphabet of tasks that look a value up by its key: keys, then values, then what else the task has.
#pragma once

#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {

inline OptionSpec keys_and_values_option(std::int64_t fallback) {
  return integer("symbols", fallback).at_least(2).at_most(1 << 20).says("keys, the lower half, and values, the upper");
}

class KeysAndValues {
 public:
  explicit KeysAndValues(const Options& options) : task_(options.section()), symbols_(options.count("symbols")) {}

  std::size_t keys() const { return symbols_ / 2; }
  std::size_t values() const { return symbols_ - keys(); }
  int symbols() const { return static_cast<int>(symbols_); }
  /// Tokens of key i and value i.
  int key(std::size_t i) const { return first_symbol + static_cast<int>(i); }
  int value(std::size_t i) const { return key(keys() + i); }
  /// What follows them in the alphabet, from 0.
  int other(int i) const { return key(symbols_) + i; }
  /// k0 k1 ..., v0 v1 ..., of index < symbols.
  std::string word(int index) const {
    const int first_value = static_cast<int>(keys());
    return index < first_value ? join('k', index) : join('v', index - first_value);
  }

  std::vector<int> distinct_keys(std::size_t count, Rng& rng) const {
    return distinct_symbols(count, static_cast<int>(keys()), rng);
  }
  std::vector<int> distinct_values(std::size_t count, Rng& rng) const {
    std::vector<int> tokens = distinct_symbols(count, static_cast<int>(values()), rng);
    for (int& token : tokens) token += static_cast<int>(keys());
    return tokens;
  }

  /// Throws unless there are so many different keys and values; length n needs them.
  void check(std::size_t n, std::size_t need_keys, std::size_t need_values) const {
    require(need_keys <= keys() && need_values <= values(), task_, ": length ", n, " needs ", need_keys,
            " different keys and ", need_values, " values, and ", task_, ".symbols = ", symbols_, " gives ", keys(),
            " and ", values(), ". Set symbols to at least ", 2 * std::max(need_keys, need_values), ".");
  }

 private:
  std::string task_;
  std::size_t symbols_;
};

}  // namespace lengthwise
