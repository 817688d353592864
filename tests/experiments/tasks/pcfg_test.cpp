#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

// The longest prompts, binary functions of five letters each, are too rare to be met beyond two functions.
TEST(Pcfg, KeepsTheContract) {
  expect_task_contract("pcfg", {{"longest", "10"}}, {1, 2, 5, 9}, {Layout::causal, Layout::encoder}, 1);
  expect_task_contract("pcfg", {{"longest", "10"}, {"symbols", "26"}}, {2, 20}, {Layout::causal, Layout::encoder}, 1);
}

TEST(Pcfg, BeyondTheTrainedLengthsKeepsTheContract) {
  const auto task = prompt_task("pcfg");
  expect_prompts_and_answers(*task, {Stream::evaluation, {8, 9, 16, 40}, 200}, 1);
}

TEST(Pcfg, AnswersByHand) {
  const auto task = prompt_task("pcfg", {{"symbols", "26"}});
  EXPECT_EQ(solved(*task, "append swap_first_last f g h , repeat i j"), "h g f i j i j");
  EXPECT_EQ(solved(*task, "echo remove_first d k , e f"), "e f f");
  EXPECT_EQ(solved(*task, "repeat a b c"), "a b c a b c");
  EXPECT_EQ(solved(*task, "shift a b c"), "b c a");
  EXPECT_EQ(solved(*task, "prepend a b , c d"), "c d a b");
  EXPECT_EQ(solved(*task, "remove_second reverse a b , c"), "b a");
  EXPECT_EQ(solved(*task, "copy swap_first_last a"), "a");
}

TEST(Pcfg, KeepsStringsShort) {
  const auto task = prompt_task("pcfg", {{"longest", "12"}});
  for (std::size_t i = 0; i < 500; ++i) EXPECT_LE(task->sample(30, Rng(i)).target.size(), 12u);
}

TEST(Pcfg, ChanceIsAGuessOfASymbol) { expect_chance(*task_with("pcfg", {{"symbols", "8"}}), 3, guess_symbol(8)); }

TEST(Pcfg, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("pcfg")->check_length(0); }, {"pcfg", "0", "starts at 1"});
  expect_input_error([] { task_with("pcfg", {{"longest", "9"}}); }, {"longest", "9", "10"});
}

}  // namespace
}  // namespace lengthwise
