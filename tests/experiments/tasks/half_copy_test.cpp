#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(HalfCopy, KeepsTheContract) { expect_task_contract("half_copy", {}, {4, 6, 8, 20, 40, 100}); }

TEST(HalfCopy, AnswersByHand) {
  const auto task = prompt_task("half_copy", {{"symbols", "12"}});
  EXPECT_EQ(solved(*task, "a b c d e f g h"), "e f");
  EXPECT_EQ(solved(*task, "a b c d e f"), "d");
  EXPECT_EQ(solved(*task, "d c b a"), "b");
}

TEST(HalfCopy, ChanceIsAGuessAmongThePrompt) {
  for (const std::size_t n : {4, 40})
    expect_chance(*task_with("half_copy"), n,
                  [&](const Example& example, Rng& rng) { return example.tokens[1 + rng.below(n)]; });
}

TEST(HalfCopy, RefusesOddAndLongStrings) {
  const auto task = task_with("half_copy", {{"symbols", "10"}});
  for (const char* const n : {"2", "7", "12"})
    expect_input_error([&] { task->check_length(std::stoul(n)); }, {"half_copy", n, "even", "10"});
}

}  // namespace
}  // namespace lengthwise
