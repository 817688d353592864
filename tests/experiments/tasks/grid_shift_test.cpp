#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(GridShift, KeepsTheContract) {
  expect_task_contract("grid_shift", {}, {1, 2, 3, 6, 9});
  expect_task_contract("grid_shift", {{"down", "5"}, {"right", "0"}, {"width", "3"}}, {1, 2, 3, 8});
}

TEST(GridShift, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("grid_shift", {{"width", "3"}}), "a b c  d a d"), "d d a c a b");
  EXPECT_EQ(solved(*prompt_task("grid_shift", {{"width", "3"}, {"down", "0"}, {"right", "4"}}), "a b c  d a d"),
            "c a b d d a");
}

TEST(GridShift, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 8}) expect_chance(*task_with("grid_shift"), n, guess_symbol(4));
}

TEST(GridShift, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("grid_shift")->check_length(0); }, {"grid_shift", "starts at 1"});
  expect_input_error([] { task_with("grid_shift", {{"width", "5000"}}); }, {"width", "5000", "to 4096"});
  expect_input_error([] { task_with("grid_shift", {{"symbols", "0"}}); }, {"symbols", "0"});
  for (const char* way : {"down", "right"})
    expect_input_error([&] { task_with("grid_shift", {{way, "-1"}}); }, {way, "-1", "from 0"});
}

}  // namespace
}  // namespace lengthwise
