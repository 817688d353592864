// Strings over a plain alphabet of interchangeable symbols, as several tasks use them.
#pragma once

#include <cmath>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/random.h"
#include "experiments/tasks/task.h"

namespace lengthwise {

/// n tokens, uniform and independent, of `symbols` symbols of an alphabet: all, or those from token `first` on.
inline std::vector<int> independent_symbols(std::size_t n, int symbols, Rng& rng, int first = first_symbol) {
  std::vector<int> tokens(n);
  for (int& token : tokens) token = first + static_cast<int>(rng.below(static_cast<std::uint64_t>(symbols)));
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
/// and answers from there on by `step`, so many times over. The paper couples a row with the symbol that decides what
/// comes after the row.
inline std::map<std::string, std::vector<double>> coupled_ids(std::size_t n, std::size_t first, std::size_t separator,
                                                              int step, std::size_t times = 1) {
  std::vector<double> ids((1 + times) * n + 1, static_cast<double>(separator));
  for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<double>(first + i);
  for (std::size_t i = 0; i < times * n; ++i) ids[n + 1 + i] += step * static_cast<double>(i % n + 1);
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

inline OptionSpec modulus_option() {
  return integer("modulus", 5).at_least(2).at_most(1 << 10).says("digits are 0 .. modulus-1, values modulo it");
}

/// A string of n symbols is asked for and n symbols answer; the option `symbols` is the size of the alphabet.
class StringTask : public PromptTask {
 public:
  StringTask(const Options& options, Layout layout)
      : PromptTask(layout), symbols_(static_cast<int>(options.integer("symbols"))) {}

  std::size_t prompt_tokens(std::size_t n) const final { return n; }
  /// A task that answers with more says so.
  std::size_t target_tokens(std::size_t n) const override { return n; }
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

/// The words of a text, split at blanks: "0 1 END".
inline std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The words 0 .. count-1, followed by those of a text.
inline std::vector<std::string> digits_and(int count, const std::string& others) {
  std::vector<std::string> alphabet;
  for (int digit = 0; digit < count; ++digit) alphabet.push_back(std::to_string(digit));
  for (std::string& word : split_words(others)) alphabet.push_back(std::move(word));
  return alphabet;
}

/// The symbols of an alphabet of this size, followed by the words of a text.
inline std::vector<std::string> symbols_and(int count, const std::string& others) {
  std::vector<std::string> alphabet;
  for (int index = 0; index < count; ++index) alphabet.push_back(symbol_name(index, count));
  for (std::string& word : split_words(others)) alphabet.push_back(std::move(word));
  return alphabet;
}

/// A task whose alphabet is a list of words.
class WordTask : public PromptTask {
 public:
  WordTask(Layout layout, std::vector<std::string> alphabet) : PromptTask(layout), alphabet_(std::move(alphabet)) {}

  int symbols() const final { return static_cast<int>(alphabet_.size()); }
  std::string symbol(int index) const final { return alphabet_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::string> alphabet_;
};

/// A string of n symbols is asked for and one of the alphabet's first `answers` symbols answers.
class ClassTask : public WordTask {
 public:
  ClassTask(Layout layout, std::vector<std::string> alphabet, int answers)
      : WordTask(layout, std::move(alphabet)), answers_(answers) {}

  /// A task whose strings have another length says so.
  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const final { return 1; }
  double chance(std::size_t) const final { return 1.0 / answers_; }

 private:
  int answers_;
};

/// Throws unless the lengths a task is defined for, from `least` on, include n.
inline void require_length(const std::string& task, std::size_t n, std::size_t least, const char* why) {
  require(n >= least, task, ": the length is ", n, "; it starts at ", least, ": ", why, '.');
}

}  // namespace lengthwise
