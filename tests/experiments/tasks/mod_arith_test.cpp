#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(ModArith, KeepsTheContract) {
  expect_task_contract("mod_arith", {}, {1, 2, 3, 8, 13, 40, 81});
  expect_task_contract("mod_arith", {{"modulus", "11"}}, {1, 5, 40});
}

TEST(ModArith, AnswersByHand) {
  const auto task = prompt_task("mod_arith");
  EXPECT_EQ(solved(*task, "2 + 3 * 4"), "4");          // 14
  EXPECT_EQ(solved(*task, "2 * 3 - 4 * 4"), "0");      // -10
  EXPECT_EQ(solved(*task, "1 - 3 - 4 + 0 * 2"), "4");  // -6
  EXPECT_EQ(solved(*task, "3"), "3");
  EXPECT_EQ(solved(*prompt_task("mod_arith", {{"modulus", "12"}}), "11 * 11 + 10"), "11");
}

// A digit, and with each further pair of tokens a sign and a digit; an even length has the expressions of one token
// less.
TEST(ModArith, CountsItsInputs) {
  const auto task = prompt_task("mod_arith");
  EXPECT_EQ(task->space(1), 5);
  EXPECT_EQ(task->space(2), 5);
  EXPECT_EQ(task->space(3), 75);
  EXPECT_EQ(task->space(4), 75);
  EXPECT_EQ(task->pick(40, make_draw(0, Stream::train, "mod_arith", 40, 0)).prompt.size(), 39u);
}

TEST(ModArith, ChanceIsAGuessOfADigit) {
  for (const std::size_t n : {1, 40}) expect_chance(*task_with("mod_arith"), n, guess_symbol(5));
}

TEST(ModArith, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("mod_arith")->check_length(0); }, {"mod_arith", "0", "starts at 1"});
  expect_input_error([] { task_with("mod_arith", {{"modulus", "1"}}); }, {"modulus", "1", "from 2"});
}

}  // namespace
}  // namespace lengthwise
