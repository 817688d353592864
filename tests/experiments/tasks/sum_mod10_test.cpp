#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(SumMod10, KeepsTheContract) { expect_task_contract("sum_mod10", {}, {1, 2, 3, 7, 12, 40, 80}); }

TEST(SumMod10, WithAPadKeepsTheContract) {
  for (const char* pad : {"icovr", "co"}) {
    const auto task = prompt_task("sum_mod10", {{"scratchpad", pad}});
    for (const std::size_t n : {1, 5, 20}) expect_prompts_and_answers(*task, {Stream::train, {n}, 100});
  }
}

TEST(SumMod10, AnswersByHand) {
  const auto task = prompt_task("sum_mod10");
  EXPECT_EQ(solved(*task, "7 2 4"), "3");
  EXPECT_EQ(solved(*task, "9"), "9");
  EXPECT_EQ(solved(*task, "5 5"), "0");
}

TEST(SumMod10, WritesItsSteps) {
  const auto task = prompt_task("sum_mod10", {{"scratchpad", "icovr"}});
  for (std::size_t i = 0; i < 500; ++i) {
    const auto sample = task->sample(2, Rng(i));
    if (words(*task, sample.prompt) != "7 5") continue;
    EXPECT_EQ(words(*task, sample.target),
              ">> 7 :: 7 + 0 == 0 7 [ 7 ] => 5 # >> 5 :: 5 + 7 == 1 2 [ 2 ] => # ANSWER 2");
    return;
  }
  FAIL() << "7 5 was not drawn";
}

TEST(SumMod10, ChanceIsAGuessOfADigit) { expect_chance(*task_with("sum_mod10"), 20, guess_symbol(10)); }

TEST(SumMod10, RefusesLengthZero) {
  expect_input_error([] { task_with("sum_mod10")->check_length(0); }, {"sum_mod10", "0", "starts at 1"});
}

}  // namespace
}  // namespace lengthwise
