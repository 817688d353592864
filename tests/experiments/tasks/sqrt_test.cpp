#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Sqrt, KeepsTheContract) { expect_task_contract("sqrt", {}, {1, 2, 3, 7, 12, 40, 81}); }

TEST(Sqrt, AnswersByHand) {
  const auto task = prompt_task("sqrt");
  EXPECT_EQ(solved(*task, "1 0 1 0 1"), "1 0 0");  // 21
  EXPECT_EQ(solved(*task, "1 1 0 0 1"), "1 0 1");  // 25
  EXPECT_EQ(solved(*task, "0 0 0 1"), "0 1");
  EXPECT_EQ(solved(*task, "1"), "1");
}

TEST(Sqrt, GoesBeyondMachineWords) {
  const auto task = prompt_task("sqrt");
  std::string square = "1", root = "1";  // 2^300
  for (int i = 0; i < 300; ++i) square += " 0";
  for (int i = 0; i < 150; ++i) root += " 0";
  EXPECT_EQ(solved(*task, square), root);
}

TEST(Sqrt, ChanceIsACoin) {
  for (const std::size_t n : {2, 40}) expect_chance(*task_with("sqrt"), n, guess_symbol(2));
}

TEST(Sqrt, RefusesLengthZero) {
  expect_input_error([] { task_with("sqrt")->check_length(0); }, {"sqrt", "0", "starts at 1"});
}

}  // namespace
}  // namespace lengthwise
