#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {

std::set<std::uint64_t> sets_seen(const Task& task, std::size_t n, std::size_t count) {
  std::set<std::uint64_t> seen;
  for (const Example& example : Draws{Stream::train, {n}, count}.examples(task))
    seen.insert(example.target_sets.begin(), example.target_sets.end());
  return seen;
}

void expect_chance_of_sets(const Task& task, std::size_t n) {
  const auto seen = sets_seen(task, n);
  const std::vector<std::uint64_t> sets(seen.begin(), seen.end());
  expect_chance(task, n, [&](const Example&, Rng& rng) { return sets[rng.below(sets.size())]; });
}

std::vector<std::vector<int>> all_strings(const SymbolTask& task, std::size_t length) {
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

void expect_uniform_words(const DenseTask& task, std::size_t n) {
  const double expected = *task.space(n), draws = 200 * expected;
  std::map<std::vector<int>, double> counts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(draws); ++i)
    ++counts[task.sample(n, make_draw(3, Stream::train, task.name(), n, i).rng).string];
  EXPECT_EQ(static_cast<double>(counts.size()), expected);
  for (const auto& [word, count] : counts) EXPECT_NEAR(count, 200, 5.5 * std::sqrt(200.0)) << words(task, word);
}

}  // namespace lengthwise
