#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Balanced, KeepsTheContract) {
  expect_task_contract("balanced", {}, {2, 4, 10, 40});
  expect_task_contract("balanced", {{"pairs", "1"}, {"corruption", "replace"}}, {2, 6, 80});
}

TEST(Balanced, AnswersByHand) {
  const auto task = prompt_task("balanced");
  EXPECT_EQ(solved(*task, "[ ( ) ] ( )"), "yes");
  EXPECT_EQ(solved(*task, "[ ( ] )"), "no");
  EXPECT_EQ(solved(*task, ") ("), "no");
}

/// How often each symbol occurs.
std::map<int, std::size_t> symbol_counts(const std::vector<int>& prompt) {
  std::map<int, std::size_t> counts;
  for (const int token : prompt) ++counts[token];
  return counts;
}

// A swap keeps every symbol's count, and a replacement changes two.
TEST(Balanced, CorruptsOneThing) {
  for (const char* corruption : {"swap", "replace"}) {
    const auto task = prompt_task("balanced", {{"corruption", corruption}});
    const int no = tokens(*task, "no")[0];
    for (std::size_t i = 0; i < 500; ++i) {
      const auto [prompt, target, ids] = task->pick(20, make_draw(0, Stream::train, task->name(), 20, i));
      ASSERT_EQ(prompt.size(), 20u);
      auto counts = symbol_counts(prompt);
      const bool even = counts[5] == counts[6] && counts[7] == counts[8];
      EXPECT_EQ(even, target[0] != no || corruption == std::string("swap"));
    }
  }
}

TEST(Balanced, ChanceIsACoin) {
  for (const char* corruption : {"swap", "replace"})
    for (const std::size_t n : {2, 20})
      expect_chance(*task_with("balanced", {{"corruption", corruption}}), n,
                    [](const Example&, Rng& rng) { return first_symbol + 4 + static_cast<int>(rng.below(2)); });
}

TEST(Balanced, RefusesOddLengths) {
  expect_input_error([] { task_with("balanced")->check_length(5); }, {"balanced", "length 5"});
}

}  // namespace
}  // namespace lengthwise
