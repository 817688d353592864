#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(AssociativeRecall, KeepsTheContract) {
  expect_task_contract("ar", {}, {3, 4, 5, 20, 81, 129});
  expect_task_contract("ar", {{"symbols", "7"}}, {3, 5, 7});
}

TEST(AssociativeRecall, AnswersByHand) {
  const auto task = prompt_task("ar");
  EXPECT_EQ(solved(*task, "k3 v7 k1 v4 k3"), "v7");
  EXPECT_EQ(solved(*task, "k3 v7 k1 v4 k1"), "v4");
}

TEST(AssociativeRecall, NeverRepeatsAKeyOrValue) {
  const auto task = prompt_task("ar", {{"symbols", "40"}});
  for (std::size_t i = 0; i < 200; ++i) {
    const std::vector<int> prompt = task->sample(41, Rng(i)).prompt;
    EXPECT_EQ(std::set<int>(prompt.begin(), prompt.end()).size(), 40u);
  }
}

TEST(AssociativeRecall, ChanceIsAGuessAmongTheValues) {
  for (const std::size_t n : {5, 6, 41})
    expect_chance(*task_with("ar"), n,
                  [&](const Example& example, Rng& rng) { return example.tokens[2 + 2 * rng.below((n - 1) / 2)]; });
}

TEST(AssociativeRecall, RefusesWhatItCannotDraw) {
  const auto task = task_with("ar", {{"symbols", "20"}});
  EXPECT_NO_THROW(task->check_length(22));
  expect_input_error([&] { task->check_length(23); }, {"ar", "length 23", "11", "ar.symbols = 20", "at least 22"});
  expect_input_error([&] { task->check_length(2); }, {"length 2", "3"});
}

}  // namespace
}  // namespace lengthwise
