#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(CycleNav, KeepsTheContract) { expect_task_contract("cycle_nav", {}, {1, 2, 3, 7, 12, 40, 80}); }

TEST(CycleNav, AnswersByHand) {
  const auto task = prompt_task("cycle_nav");
  EXPECT_EQ(solved(*task, "R R S L"), "1");
  EXPECT_EQ(solved(*task, "L"), "4");
  EXPECT_EQ(solved(*task, "L L L L L L"), "4");
  EXPECT_EQ(solved(*task, "S"), "0");
  EXPECT_EQ(solved(*task, "R R R R R R R"), "2");
}

TEST(CycleNav, ChanceIsAGuessOfAPlace) {
  for (const std::size_t n : {1, 40}) expect_chance(*task_with("cycle_nav"), n, guess_symbol(5));
}

TEST(CycleNav, RefusesLengthZero) {
  expect_input_error([] { task_with("cycle_nav")->check_length(0); }, {"cycle_nav", "0", "starts at 1"});
}

}  // namespace
}  // namespace lengthwise
