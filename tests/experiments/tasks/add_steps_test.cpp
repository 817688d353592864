#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(AddSteps, KeepsTheContract) { expect_task_contract("add_steps", {}, {1, 2, 3}); }

TEST(AddSteps, WithAPadKeepsTheContract) {
  for (const char* pad : {"icovr", "cv"}) {
    const auto task = prompt_task("add_steps", {{"scratchpad", pad}});
    for (const std::size_t n : {1, 2, 12}) expect_prompts_and_answers(*task, {Stream::train, {n}, 200}, 2);
  }
}

TEST(AddSteps, AnswersByHand) {
  const auto task = prompt_task("add_steps");
  EXPECT_EQ(solved(*task, "5 7 + 6"), "6 3");
  EXPECT_EQ(solved(*task, "0 + 0"), "0");
  EXPECT_EQ(solved(*task, "1 + 9 9 9"), "1 0 0 0");
}

TEST(AddSteps, WritesItsSteps) {
  const auto task = prompt_task("add_steps", {{"scratchpad", "icovr"}});
  for (std::size_t i = 0; i < 20000; ++i) {
    const auto sample = task->sample(2, Rng(i));
    if (words(*task, sample.prompt) != "5 7 + 6") continue;
    EXPECT_EQ(words(*task, sample.target),
              ">> 7 + 6 :: 7 + 6 + 0 == 1 3 [ 1 ] => 5 + # >> 5 + :: 5 + + 1 == 0 6 [ 0 ] => + # ANSWER 6 3");
    return;
  }
  FAIL() << "5 7 + 6 was not drawn";
}

TEST(AddSteps, ChanceIsAGuessOfADigit) { expect_chance(*task_with("add_steps"), 20, guess_symbol(10)); }

TEST(AddSteps, RefusesLengthZero) {
  expect_input_error([] { task_with("add_steps")->check_length(0); }, {"add_steps", "0", "starts at 1"});
}

}  // namespace
}  // namespace lengthwise
