#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(FlipFlop, KeepsTheContract) { expect_task_contract("flip_flop", {}, {2, 3, 10, 40}, {Layout::causal}); }

TEST(FlipFlop, LabelsByHand) {
  EXPECT_EQ(solved(*dense_task("flip_flop"), "w 1 i 0 r 1 w 0 i 1 r 0"), ". . . . 1 . . . . . 0 .");
}

TEST(FlipFlop, FollowsItsLaw) {
  const auto task = dense_task("flip_flop", {{"ignore", "0.6"}});
  std::map<std::string, double> counts;
  for (std::size_t i = 0; i < 50; ++i) {
    const auto string = task->sample(82, Rng(i)).string;
    EXPECT_EQ(task->word(string[0]), "w");
    EXPECT_EQ(task->word(string[162]), "r");
    for (std::size_t k = 2; k < 162; k += 2) {
      ++counts[task->word(string[k])];
      if (task->word(string[k]) == "i") counts["bits"] += task->word(string[k + 1]) == "1";
    }
  }
  EXPECT_NEAR(counts["i"], 2400, 5 * std::sqrt(4000 * 0.6 * 0.4));
  EXPECT_NEAR(counts["w"], 800, 5 * std::sqrt(4000 * 0.2 * 0.8));
  EXPECT_NEAR(counts["bits"], counts["i"] / 2, 5 * std::sqrt(counts["i"] / 4));
}

TEST(FlipFlop, CountsItsInputs) {
  EXPECT_EQ(task_with("flip_flop")->space(2), 2);
  EXPECT_EQ(task_with("flip_flop")->space(4), 50);
  EXPECT_EQ(task_with("flip_flop", {{"ignore", "1"}})->space(4), 8);
}

TEST(FlipFlop, ChanceIsACoin) {
  for (const std::size_t n : {2, 30})
    expect_chance(*task_with("flip_flop"), n,
                  [](const Example&, Rng& rng) { return first_symbol + 3 + static_cast<int>(rng.below(2)); });
}

TEST(FlipFlop, Refuses) {
  expect_input_error([] { task_with("flip_flop")->check_length(1); }, {"flip_flop", "length is 1", "starts at 2"});
  expect_input_error([] { task_with("flip_flop", {}, Layout::encoder); },
                     {"bidirectional", "model.attention = causal"});
}

}  // namespace
}  // namespace lengthwise
