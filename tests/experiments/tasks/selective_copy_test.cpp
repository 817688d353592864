#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(SelectiveCopy, KeepsTheContract) {
  expect_task_contract("selective_copy", {}, {35, 60, 100});
  expect_task_contract("selective_copy", {{"data", "2"}, {"symbols", "3"}}, {7, 8, 20});
}

TEST(SelectiveCopy, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("selective_copy", {{"data", "3"}}), ". c . . a b ."), "c a b");
}

TEST(SelectiveCopy, CountsTheWholeContext) {
  const auto task = prompt_task("selective_copy");
  EXPECT_EQ(task->example(50, make_draw(0, Stream::train, task->name(), 50, 0)).tokens.size(), 1 + 50);  // and BOS
}

// Seven places for three symbols: each is taken with probability 3/7.
TEST(SelectiveCopy, ScattersTheData) {
  const auto task = prompt_task("selective_copy", {{"data", "3"}});
  const int blank = tokens(*task, ".")[0];
  std::vector<double> taken(7);
  for (std::size_t i = 0; i < 1400; ++i) {
    const std::vector<int> prompt = task->sample(11, Rng(i)).prompt;
    for (std::size_t place = 0; place < 7; ++place) taken[place] += prompt.at(place) != blank;
  }
  for (const double count : taken) EXPECT_NEAR(count, 600, 5 * std::sqrt(600 * 4. / 7));
}

TEST(SelectiveCopy, CountsItsInputs) {
  EXPECT_EQ(task_with("selective_copy", {{"data", "2"}, {"symbols", "3"}})->space(7), 6 * 9);
}

TEST(SelectiveCopy, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {33, 60}) expect_chance(*task_with("selective_copy"), n, guess_symbol(16));
}

TEST(SelectiveCopy, RefusesWhatHasNoRoom) {
  expect_input_error([] { task_with("selective_copy")->check_length(32); },
                     {"length 32", "selective_copy.data is 16", "start at 33"});
}

}  // namespace
}  // namespace lengthwise
