#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Connected, KeepsTheContract) {
  expect_task_contract("connected", {}, {2, 3, 5, 8});
  expect_task_contract("connected", {{"width", "4"}}, {1, 2, 3, 7});
}

TEST(Connected, AnswersByHand) {
  const auto task = prompt_task("connected");
  EXPECT_EQ(solved(*task, "X # .  . . .  # # X"), "yes");
  EXPECT_EQ(solved(*task, "X # .  # . .  . . X"), "no");  // corners do not connect
  EXPECT_EQ(solved(*task, "X . .  # # .  X . ."), "yes");
  EXPECT_EQ(solved(*prompt_task("connected", {{"width", "4"}}), "X # # X  . . . #"), "no");
}

TEST(Connected, ASlotWithoutAPlaceAnswersForABidirectionalModel) {
  const auto task = task_with("connected", {}, Layout::encoder);
  const Example example = task->example(2, make_draw(0, Stream::train, "connected", 2, 0));
  EXPECT_EQ(example.scored, std::vector<std::size_t>{4});
  EXPECT_EQ(example.tokens[4], ANS);
  EXPECT_EQ(example.ids.at("row"), (std::vector<double>{0, 0, 1, 1, -1}));
  EXPECT_EQ(example.ids.at("digit"), (std::vector<double>{1, 2, 3, 4, 0}));
}

TEST(Connected, ChanceIsACoin) {
  const auto task = task_with("connected");
  const std::vector<int> labels = tokens(*task, "yes no");
  for (const std::size_t n : {3, 12})
    expect_chance(*task, n, [&](const Example&, Rng& rng) { return labels[rng.below(2)]; });
}

// A fair guess would meet any mixture of the answers; this is whether they are mixed evenly.
TEST(Connected, AnswersYesAsOftenAsNo) {
  const auto task = task_with("connected");
  const int yes = tokens(*task, "yes")[0];
  for (const std::size_t n : {3, 12, 24}) {
    double count = 0;
    for (const Example& example : Draws{Stream::train, {n}, 1000}.examples(*task)) count += example.targets[0] == yes;
    EXPECT_NEAR(count / 1000, 0.5, 5 * std::sqrt(0.25 / 1000)) << n;
  }
}

TEST(Connected, RefusesASingleCell) {
  expect_input_error([] { task_with("connected")->check_length(1); }, {"1 x 1", "2 cells"});
}

}  // namespace
}  // namespace lengthwise
