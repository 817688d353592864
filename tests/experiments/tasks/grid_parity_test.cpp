#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(GridParity, KeepsTheContract) {
  expect_task_contract("grid_parity", {}, {1, 2, 3, 6, 9});
  expect_task_contract("grid_parity", {{"width", "5"}}, {1, 2, 3, 8});
}

TEST(GridParity, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("grid_parity"), "1 0 1  0 1 0  1 1 1"), "0 0 0 1 1 1 1 1 1");
  EXPECT_EQ(solved(*prompt_task("grid_parity", {{"width", "2"}}), "1 0  1 1  0 0"), "1 1 0 0 0 0");
}

TEST(GridParity, ChanceIsACoin) {
  // Cells of a row share their label: a column of one cell has independent ones.
  for (const std::size_t n : {1, 8}) expect_chance(*task_with("grid_parity", {{"width", "1"}}), n, guess_symbol(2));
}

TEST(GridParity, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("grid_parity")->check_length(0); }, {"grid_parity", "starts at 1"});
  expect_input_error([] { task_with("grid_parity", {{"width", "5000"}}); }, {"width", "5000", "to 4096"});
}

}  // namespace
}  // namespace lengthwise
