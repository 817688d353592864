#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(CountUp, KeepsTheContract) { expect_task_contract("count_up", {}, {1, 2, 3, 20, 80, 200}); }

TEST(CountUp, AnswersByHand) {
  const auto task = prompt_task("count_up");
  EXPECT_EQ(solved(*task, "3 6"), "3 4 5 6");
  EXPECT_EQ(solved(*task, "17 17"), "17");
}

TEST(CountUp, StartsAnywhere) {
  const auto task = prompt_task("count_up", {{"symbols", "12"}});
  std::map<int, double> starts;
  for (std::size_t i = 0; i < 2000; ++i)
    ++starts[task->pick(3, make_draw(0, Stream::train, "count_up", 3, i)).prompt[0]];
  EXPECT_EQ(starts.size(), 10u);
  for (const auto& [start, count] : starts) EXPECT_NEAR(count, 200, 5 * std::sqrt(200 * 0.9)) << start;
}

TEST(CountUp, ChanceIsAGuessBetweenFirstAndLast) {
  for (const std::size_t n : {2, 7, 40})
    expect_chance(*task_with("count_up"), n,
                  [&](const Example& example, Rng& rng) { return example.tokens[1] + static_cast<int>(rng.below(n)); });
}

TEST(CountUp, RefusesMoreThanItsNumbers) {
  const auto task = task_with("count_up", {{"symbols", "40"}});
  EXPECT_NO_THROW(task->check_length(40));
  expect_input_error([&] { task->check_length(41); }, {"length 41", "count_up.symbols is 40", "1 .. symbols"});
  expect_input_error([&] { task->check_length(0); }, {"length 0"});
}

}  // namespace
}  // namespace lengthwise
