#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Mines, KeepsTheContract) {
  expect_task_contract("mines", {}, {1, 2, 3, 6, 9});
  expect_task_contract("mines", {{"width", "5"}}, {1, 2, 3, 8});
}

TEST(Mines, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("mines"), ". M .  . . .  M . ."), "1 M 1 2 2 1 M 1 0");
  EXPECT_EQ(solved(*prompt_task("mines", {{"width", "4"}}), "M M . .  M . . M"), "M M 2 1 M 3 2 M");
  EXPECT_EQ(solved(*prompt_task("mines"), "M M M  M . M  M M M"), "M M M M 8 M M M M");
}

TEST(Mines, HasATenthToAQuarterOfMines) {
  const auto task = prompt_task("mines");
  const int mine = tokens(*task, "M")[0];
  std::set<std::ptrdiff_t> counts;
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto prompt = task->pick(12, make_draw(0, Stream::train, "mines", 12, i)).prompt;
    counts.insert(std::count(prompt.begin(), prompt.end(), mine));
  }
  EXPECT_EQ(*counts.begin(), 14);
  EXPECT_EQ(*counts.rbegin(), 36);
  EXPECT_EQ(counts.size(), 23u);
}

TEST(Mines, CountsItsInputs) {
  EXPECT_EQ(prompt_task("mines")->space(1), 1);                         // no mine
  EXPECT_EQ(prompt_task("mines")->space(2), 1 + 4);                     // none or one
  EXPECT_EQ(prompt_task("mines", {{"width", "4"}})->space(2), 8 + 28);  // one or two of 8
}

TEST(Mines, ChanceIsAGuessOfALabel) {
  const auto task = task_with("mines");
  const std::vector<int> labels = tokens(*task, "M 0 1 2 3 4 5 6 7 8");
  for (const std::size_t n : {2, 8})
    expect_chance(*task, n, [&](const Example&, Rng& rng) { return labels[rng.below(10)]; });
}

TEST(Mines, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("mines")->check_length(0); }, {"mines", "starts at 1"});
  expect_input_error([] { task_with("mines", {{"width", "5000"}}); }, {"width", "5000", "to 4096"});
}

}  // namespace
}  // namespace lengthwise
