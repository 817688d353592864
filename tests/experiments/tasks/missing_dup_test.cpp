#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(MissingDup, KeepsTheContract) { expect_task_contract("missing_dup", {}, {2, 3, 9, 14, 40, 81}); }

TEST(MissingDup, AnswersByHand) {
  const auto task = prompt_task("missing_dup");
  EXPECT_EQ(solved(*task, "0 1 1 0 ? 1"), "1");
  EXPECT_EQ(solved(*task, "0 ? 1 0 0 1 _"), "0");
  EXPECT_EQ(solved(*task, "? 1"), "1");
}

// Two bits, one of four places: 16 inputs, all of which occur.
TEST(MissingDup, CountsItsInputs) {
  const auto task = prompt_task("missing_dup");
  EXPECT_EQ(task->space(2), 4);
  EXPECT_EQ(task->space(5), 16);
  std::set<std::vector<int>> seen;
  for (std::size_t i = 0; i < 1000; ++i) seen.insert(task->sample(4, Rng(i)).prompt);
  EXPECT_EQ(seen.size(), 16u);
}

TEST(MissingDup, FillsLengthOneAsTheAuthors) {
  expect_task_contract("missing_dup", {{"compat", "peer"}}, {1, 2, 9});
  const auto sample = prompt_task("missing_dup", {{"compat", "peer"}})->sample(1, Rng(3));
  EXPECT_EQ(words(*task_with("missing_dup"), sample.prompt), "1");
  EXPECT_EQ(words(*task_with("missing_dup"), sample.target), "1");
  expect_input_error([] { task_with("missing_dup", {{"compat", "peer"}})->check_length(0); }, {"0", "starts at 1"});
}

TEST(MissingDup, ChanceIsACoin) {
  for (const std::size_t n : {2, 41}) expect_chance(*task_with("missing_dup"), n, guess_symbol(2));
}

TEST(MissingDup, RefusesTooShortALength) {
  expect_input_error([] { task_with("missing_dup")->check_length(1); }, {"missing_dup", "1", "starts at 2"});
}

}  // namespace
}  // namespace lengthwise
