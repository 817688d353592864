#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(EvenPairs, KeepsTheContract) { expect_task_contract("even_pairs", {}, {1, 2, 3, 7, 12, 40, 80}); }

TEST(EvenPairs, AnswersByHand) {
  const auto task = prompt_task("even_pairs");
  EXPECT_EQ(solved(*task, "1 0 0 1"), "0");  // 10 and 01
  EXPECT_EQ(solved(*task, "0 1 0 1"), "1");
  EXPECT_EQ(solved(*task, "1"), "0");
}

TEST(EvenPairs, ChanceIsACoin) {
  for (const std::size_t n : {2, 40}) expect_chance(*task_with("even_pairs"), n, guess_symbol(2));
}

TEST(EvenPairs, RefusesLengthZero) {
  expect_input_error([] { task_with("even_pairs")->check_length(0); }, {"even_pairs", "0", "starts at 1"});
}

}  // namespace
}  // namespace lengthwise
