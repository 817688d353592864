#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

const Values few{{"common", "2"}, {"often", "5"}, {"rarely", "2"}, {"symbols", "60"}};

TEST(CommonWords, KeepsTheContract) { expect_task_contract("common_words", few, {15, 16, 50, 100}); }

TEST(CommonWords, AnswersByHand) {
  const auto task = prompt_task("common_words", {{"often", "3"}, {"rarely", "2"}, {"symbols", "9"}});
  EXPECT_EQ(solved(*task, "c b a b d a c b c"), "b c");
}

TEST(CommonWords, HasWordsAsOftenAsItSays) {
  const auto task = prompt_task("common_words", few);
  std::map<int, int> uses;
  for (const int word : task->sample(17, Rng(1)).prompt) ++uses[word];
  std::multiset<int> counts;
  for (const auto& [word, count] : uses) counts.insert(count);
  EXPECT_EQ(counts, (std::multiset<int>{5, 5, 2, 2, 2, 1}));
}

TEST(CommonWords, ChanceIsAGuessAmongTheWords) {
  expect_chance(*task_with("common_words", few), 20, [](const Example& example, Rng& rng) {
    const std::set<int> words(example.tokens.begin() + 1, example.tokens.begin() + 21);
    return *std::next(words.begin(), static_cast<long>(rng.below(words.size())));
  });
}

TEST(CommonWords, RefusesWhatItCannotFill) {
  const auto task = task_with("common_words", few);
  expect_input_error([&] { task->check_length(9); }, {"common_words", "length 9", "start at 10"});
  EXPECT_NO_THROW(task->check_length(126));
  expect_input_error([&] { task->check_length(127); }, {"length 127", "61", "common_words.symbols is 60"});
  expect_input_error([] { task_with("common_words", {{"often", "3"}}); }, {"often is 3", "rarely is 3"});
}

}  // namespace
}  // namespace lengthwise
