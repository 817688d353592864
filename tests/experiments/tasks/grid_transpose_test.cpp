#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(GridTranspose, KeepsTheContract) {
  expect_task_contract("grid_transpose", {}, {1, 2, 3, 6, 9});
  expect_task_contract("grid_transpose", {{"symbols", "2"}}, {2, 4, 8});
}

TEST(GridTranspose, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("grid_transpose"), "a b c  d a b  c d a"), "a d c b a d c b a");
}

TEST(GridTranspose, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 8}) expect_chance(*task_with("grid_transpose"), n, guess_symbol(4));
}

TEST(GridTranspose, HasNoWidth) {
  expect_input_error([] { task_with("grid_transpose", {{"width", "3"}}); }, {"width"});
}

}  // namespace
}  // namespace lengthwise
