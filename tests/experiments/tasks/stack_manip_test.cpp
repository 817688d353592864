#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(StackManip, KeepsTheContract) { expect_task_contract("stack_manip", {}, {2, 3, 7, 12, 40}); }

TEST(StackManip, AnswersByHand) {
  const auto task = prompt_task("stack_manip");
  EXPECT_EQ(solved(*task, "0 1 POP P1 P0"), "0 1 0 END");
  EXPECT_EQ(solved(*task, "1 POP"), "END");
  EXPECT_EQ(solved(*task, "1 POP POP POP P0 P1"), "1 0 END");  // nothing happens to an empty stack
  EXPECT_EQ(solved(*task, "0 1 1 P0 POP POP"), "1 0 END");
}

TEST(StackManip, CountsItsInputs) {
  EXPECT_EQ(task_with("stack_manip")->space(2), 2 * 3);
  EXPECT_EQ(task_with("stack_manip")->space(3), 2 * 3 * 3 + 2 * 2 * 3);
}

TEST(StackManip, FillsLengthOneAsTheAuthors) {
  expect_task_contract("stack_manip", {{"compat", "peer"}}, {1, 2, 7});
  const auto task = prompt_task("stack_manip", {{"compat", "peer"}});
  std::set<std::string> seen;
  for (std::size_t i = 0; i < 50; ++i)
    seen.insert(words(*task, task->sample(1, Rng(i)).prompt) + " -> " + words(*task, task->sample(1, Rng(i)).target));
  EXPECT_EQ(seen, (std::set<std::string>{"0 -> 0 END", "1 -> 1 END"}));
}

TEST(StackManip, ChanceIsAGuessOfABitOrTheEnd) {
  for (const std::size_t n : {2, 40}) expect_chance(*task_with("stack_manip"), n, guess_symbol(3));
}

TEST(StackManip, RefusesTooShortALength) {
  expect_input_error([] { task_with("stack_manip")->check_length(1); }, {"stack_manip", "1", "starts at 2"});
}

}  // namespace
}  // namespace lengthwise
