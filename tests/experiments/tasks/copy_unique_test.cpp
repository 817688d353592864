#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(CopyUnique, KeepsTheContract) {
  expect_task_contract("copy_unique", {}, {1, 2, 3, 20, 80, 256});
  expect_task_contract("copy_unique", {{"symbols", "6"}}, {2, 3, 6});
}

TEST(CopyUnique, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("copy_unique", {{"symbols", "4"}}), "c a d"), "c a d");
}

TEST(CopyUnique, NeverRepeatsASymbol) {
  const auto task = prompt_task("copy_unique", {{"symbols", "30"}});
  std::map<int, double> first;
  for (std::size_t i = 0; i < 3000; ++i) {
    const auto sample = task->pick(1 + i % 30, make_draw(0, Stream::train, task->name(), 1 + i % 30, i));
    EXPECT_EQ(std::set<int>(sample.prompt.begin(), sample.prompt.end()).size(), 1 + i % 30);
    if (i % 30 == 29) ++first[sample.prompt[0]];
  }
  EXPECT_GT(first.size(), 20u);  // of 100 draws of the first of 30: 29 are expected to be seen
}

TEST(CopyUnique, ChanceIsAGuessAmongThePrompt) {
  const auto task = task_with("copy_unique");
  for (const std::size_t n : {2, 5, 40})
    expect_chance(*task, n, [&](const Example& example, Rng& rng) { return example.tokens[1 + rng.below(n)]; });
  EXPECT_EQ(task->chance(1), 1);
}

TEST(CopyUnique, RefusesMoreThanItsAlphabet) {
  const auto task = task_with("copy_unique", {{"symbols", "40"}});
  EXPECT_NO_THROW(task->check_length(40));
  const std::vector<std::string> parts{"length 41", "copy_unique.symbols is 40", "1 .. symbols"};
  expect_input_error([&] { task->check_length(41); }, parts);
  expect_input_error([&] { task->example(41, make_draw(0, Stream::train, "copy_unique", 41, 0)); }, parts);
  expect_input_error([&] { task->check_length(0); }, {"length 0"});
  expect_input_error([] { task_with("copy_unique", {{"symbols", "0"}}); }, {"symbols", "0"});
}

}  // namespace
}  // namespace lengthwise
