#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Mode, KeepsTheContract) {
  expect_task_contract("mode", {}, {1, 2, 3, 7, 20, 80});
  expect_task_contract("mode", {{"symbols", "2"}}, {5, 12, 41});
  expect_task_contract("majority", {}, {1, 3, 40});
}

TEST(Mode, AnswersByHand) {
  const auto task = prompt_task("mode");
  EXPECT_EQ(solved(*task, "b a b c"), "b");
  EXPECT_EQ(solved(*task, "e a e a c c e"), "e");
  EXPECT_EQ(solved(*task, "d"), "d");
}

TEST(Mode, HasNoTies) {
  const auto task = prompt_task("mode");
  for (std::size_t i = 0; i < 500; ++i) {
    std::map<int, int> counts;
    for (const int token : task->sample(2 + i % 12, Rng(i)).prompt) ++counts[token];
    int most = 0, holders = 0;
    for (const auto& [token, count] : counts) most = std::max(most, count);
    for (const auto& [token, count] : counts) holders += count == most;
    EXPECT_EQ(holders, 1);
  }
}

TEST(Mode, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 4, 30}) expect_chance(*task_with("mode"), n, guess_symbol(5));
  expect_chance(*task_with("majority"), 30, guess_symbol(26));
}

// Of three symbols: aaa or aab in some order. Of four: also aabc, which is not counted.
TEST(Mode, CountsItsInputs) {
  const auto task = task_with("mode");
  EXPECT_DOUBLE_EQ(*task->space(1), 5);
  EXPECT_DOUBLE_EQ(*task->space(2), 5);
  EXPECT_DOUBLE_EQ(*task->space(3), 5 + 5 * 4 * 3);
  EXPECT_DOUBLE_EQ(*task->space(4), 5 + 5 * 4 * 4);
}

TEST(Mode, RefusesAlphabetsItCannotDrawFrom) {
  for (const char* symbols : {"0", "1001"})
    expect_input_error([&] { task_with("mode", {{"symbols", symbols}}); }, {"symbols", symbols, "1000"});
}

}  // namespace
}  // namespace lengthwise
