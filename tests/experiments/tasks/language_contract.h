// What the tests of formal languages share.
#pragma once

#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {

/// Sets of right tokens in `count` training examples of length n.
inline std::set<std::uint64_t> sets_seen(const Task& task, std::size_t n, std::size_t count = 500) {
  std::set<std::uint64_t> seen;
  for (const Example& example : Batch{Stream::train, {n}, count}.examples(task))
    seen.insert(example.target_sets.begin(), example.target_sets.end());
  return seen;
}

/// A guess among the sets that words of length n have meets the chance.
inline void expect_chance_of_sets(const Task& task, std::size_t n) {
  const auto seen = sets_seen(task, n);
  const std::vector<std::uint64_t> sets(seen.begin(), seen.end());
  expect_chance(task, n, [&](const Example&, Rng& rng) { return sets[rng.below(sets.size())]; });
}

/// All strings of `length` symbols.
inline std::vector<std::vector<int>> all_strings(const SymbolTask& task, std::size_t length) {
  std::vector<std::vector<int>> strings{{}};
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<std::vector<int>> longer;
    for (const auto& string : strings)
      for (int s = 0; s < task.symbols(); ++s) {
        longer.push_back(string);
        longer.back().push_back(first_symbol + s);
      }
    strings = std::move(longer);
  }
  return strings;
}

/// Holds the task to the language's definition, by enumeration: of all strings up to `length` symbols, those that are
/// words are counted, and the labels of their beginnings must be what can follow. A beginning counts up to `known`
/// symbols: such that whatever can follow is part of some word of at most `length` symbols.
template <class IsWord>
void expect_language(const DenseTask& task, std::size_t length, std::size_t known, IsWord is_word) {
  std::map<std::vector<int>, std::uint64_t> after;
  for (std::size_t n = 1; n <= length; ++n) {
    double count = 0;
    for (const auto& string : all_strings(task, n)) {
      if (!is_word(words(task, string))) continue;
      ++count;
      std::vector<int> beginning;
      for (const int token : string) {
        after[beginning] |= std::uint64_t{1} << token;
        beginning.push_back(token);
      }
      after[string] |= std::uint64_t{1} << EOS;
    }
    if (count == 0) {
      EXPECT_THROW(task.check_length(n), InputError) << "length " << n;
    } else {
      EXPECT_NO_THROW(task.check_length(n)) << "length " << n;
      EXPECT_EQ(task.space(n), count) << "length " << n;
    }
  }
  for (const auto& [beginning, set] : after)
    if (!beginning.empty() && beginning.size() <= known) {
      EXPECT_EQ(task.solve(beginning).sets.back(), set) << words(task, beginning);
    }
}

/// Without the blanks between words of one character.
inline std::string joined(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Every word of length n is drawn about as often as the others.
inline void expect_uniform_words(const DenseTask& task, std::size_t n) {
  const double expected = *task.space(n), draws = 200 * expected;
  std::map<std::vector<int>, double> counts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(draws); ++i)
    ++counts[task.sample(n, make_draw(3, Stream::train, task.name(), n, i).rng).string];
  EXPECT_EQ(static_cast<double>(counts.size()), expected);
  for (const auto& [word, count] : counts) EXPECT_NEAR(count, 200, 5.5 * std::sqrt(200.0)) << words(task, word);
}

}  // namespace lengthwise
