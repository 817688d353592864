#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(OddPatch, KeepsTheContract) {
  expect_task_contract("odd_patch", {}, {3, 4, 6, 9});
  expect_task_contract("odd_patch", {{"symbols", "2"}, {"width", "5"}}, {1, 2, 3, 8});
}

TEST(OddPatch, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("odd_patch", {{"width", "3"}}), "c c c  c a c"), "= = = = ! =");
}

// Right and wrong cells of one guess hang together: the mean over guesses is what has a known error.
TEST(OddPatch, ChanceIsAGuessOfTheCell) {
  for (const std::size_t n : {2, 7}) {
    const auto task = task_with("odd_patch");
    Rng rng(5);
    double right = 0, square = 0;
    const Draws batch{Stream::evaluation, {n}, 2000};
    for (const Example& example : batch.examples(*task)) {
      const std::size_t guess = rng.below(n * n);
      double share = 0;
      for (std::size_t i = 0; i < n * n; ++i)
        share += example.targets[i] == tokens(*task, i == guess ? "!" : "=")[0] ? 1 / static_cast<double>(n * n) : 0;
      right += share / 2000, square += share * share / 2000;
    }
    EXPECT_NEAR(right, task->chance(n), 5 * std::sqrt((square - right * right) / 2000)) << n;
  }
}

TEST(OddPatch, RefusesWhereNoneIsOdd) {
  expect_input_error([] { task_with("odd_patch")->check_length(1); }, {"1 x 1", "3 cells"});
  expect_input_error([] { task_with("odd_patch", {{"width", "2"}})->check_length(1); }, {"1 x 2"});
  expect_input_error([] { task_with("odd_patch", {{"symbols", "1"}}); }, {"odd_patch.symbols is 1", "2 at least"});
}

}  // namespace
}  // namespace lengthwise
