// What the tests of formal languages share.
#pragma once

#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {

/// Sets of right tokens in `count` training examples of length n.
std::set<std::uint64_t> sets_seen(const Task& task, std::size_t n, std::size_t count = 500);

/// A guess among the sets that words of length n have meets the chance.
void expect_chance_of_sets(const Task& task, std::size_t n);

/// All strings of `length` symbols.
std::vector<std::vector<int>> all_strings(const SymbolTask& task, std::size_t length);

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
void expect_uniform_words(const DenseTask& task, std::size_t n);

}  // namespace lengthwise
