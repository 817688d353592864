#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(SortUnique, KeepsTheContract) {
  expect_task_contract("sort_unique", {}, {2, 3, 20, 80});
  expect_task_contract("sort_unique", {{"symbols", "6"}}, {2, 3, 6});
}

TEST(SortUnique, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("sort_unique", {{"symbols", "5"}}), "c a e d"), "a c d e");
  EXPECT_EQ(solved(*prompt_task("sort_unique"), "200 3 19"), "3 19 200");
}

TEST(SortUnique, ChanceIsAGuessAmongThePrompt) {
  const auto task = task_with("sort_unique");
  for (const std::size_t n : {2, 5, 40})
    expect_chance(*task, n, [&](const Example& example, Rng& rng) { return example.tokens[1 + rng.below(n)]; });
}

TEST(SortUnique, RefusesMoreThanItsAlphabet) {
  const auto task = task_with("sort_unique", {{"symbols", "40"}});
  EXPECT_NO_THROW(task->check_length(40));
  expect_input_error([&] { task->check_length(41); }, {"length 41", "sort_unique.symbols is 40", "1 .. symbols"});
  expect_input_error([&] { task->check_length(0); }, {"length 0"});
}

}  // namespace
}  // namespace lengthwise
