#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(ModArithBrackets, KeepsTheContract) {
  expect_task_contract("mod_arith_brackets", {}, {1, 2, 3, 4, 6, 9, 40, 81});
  expect_task_contract("mod_arith_brackets", {{"modulus", "3"}}, {1, 7, 40});
}

TEST(ModArithBrackets, AnswersByHand) {
  const auto task = prompt_task("mod_arith_brackets");
  EXPECT_EQ(solved(*task, "( ( - 2 ) + ( 3 * 4 ) )"), "0");  // 10
  EXPECT_EQ(solved(*task, "( 1 - ( 3 - - 4 ) )"), "4");      // -6
  EXPECT_EQ(solved(*task, "- 1"), "4");
  EXPECT_EQ(solved(*task, "( 3 )"), "3");
}

// By hand: 5 of each of the lengths 1 .. 4, then 3 operators times the pairs of sizes.
TEST(ModArithBrackets, CountsItsInputs) {
  const auto task = prompt_task("mod_arith_brackets");
  for (const std::size_t n : {1, 2, 3, 4}) EXPECT_EQ(task->space(n), 5) << n;
  EXPECT_EQ(task->space(5), 75);
  EXPECT_EQ(task->space(6), 150);
  EXPECT_EQ(task->space(8), 300);
  EXPECT_EQ(task->space(9), 3 * (75 * 5 + 3 * 25 + 5 * 75));
}

TEST(ModArithBrackets, SeesEveryExpressionOfAShortLength) {
  const auto task = prompt_task("mod_arith_brackets");
  std::set<std::vector<int>> seen;
  for (const Stream stream : every_stream)
    for (std::size_t i = 0; i < 3000; ++i) seen.insert(task->pick(6, make_draw(0, stream, task->name(), 6, i)).prompt);
  EXPECT_EQ(seen.size(), 150u);
}

TEST(ModArithBrackets, ChanceIsAGuessOfADigit) {
  for (const std::size_t n : {1, 40}) expect_chance(*task_with("mod_arith_brackets"), n, guess_symbol(5));
}

TEST(ModArithBrackets, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("mod_arith_brackets")->check_length(0); }, {"mod_arith_brackets", "starts at 1"});
  expect_input_error([] { task_with("mod_arith_brackets", {{"modulus", "1"}}); }, {"modulus", "1", "from 2"});
}

}  // namespace
}  // namespace lengthwise
