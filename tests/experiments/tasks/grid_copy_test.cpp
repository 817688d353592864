#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(GridCopy, KeepsTheContract) {
  expect_task_contract("grid_copy", {}, {1, 2, 3, 6, 9});
  expect_task_contract("grid_copy", {{"symbols", "2"}, {"width", "5"}}, {1, 2, 3, 8});
}

TEST(GridCopy, LabelsEveryCellOfABidirectionalModel) {
  const auto task = task_with("grid_copy", {{"width", "3"}}, Layout::encoder);
  const Example example = task->example(2, make_draw(0, Stream::train, "grid_copy", 2, 0));
  EXPECT_EQ(example.tokens.size(), 6u);
  EXPECT_EQ(example.targets, example.tokens);
  EXPECT_EQ(example.scored, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(example.ids.at("row"), (std::vector<double>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(example.ids.at("column"), (std::vector<double>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(example.ids.at("digit"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(task->max_tokens(2), 6u);
}

// A cell and its copy share their ids; BOS and SEP have no place.
TEST(GridCopy, WritesTheGridAgainForACausalModel) {
  const auto task = task_with("grid_copy", {{"width", "1"}});
  const Example example = task->example(2, make_draw(0, Stream::train, "grid_copy", 2, 0));
  ASSERT_EQ(example.tokens.size(), 6u);
  EXPECT_EQ(example.ids.at("row"), (std::vector<double>{-1, 0, 1, -1, 0, 1}));
  EXPECT_EQ(example.ids.at("column"), (std::vector<double>{-1, 0, 0, -1, 0, 0}));
  EXPECT_EQ(example.ids.at("digit"), (std::vector<double>{0, 1, 2, 0, 1, 2}));
}

TEST(GridCopy, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 9}) expect_chance(*task_with("grid_copy"), n, guess_symbol(4));
}

TEST(GridCopy, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("grid_copy")->check_length(0); }, {"grid_copy", "starts at 1"});
  expect_input_error([] { task_with("grid_copy", {{"width", "5000"}}); }, {"width", "5000", "to 4096"});
  expect_input_error([] { task_with("grid_copy", {{"symbols", "0"}}); }, {"symbols", "0"});
}

}  // namespace
}  // namespace lengthwise
