#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Induction, KeepsTheContract) {
  expect_task_contract("induction", {}, {3, 4, 10, 81});
  expect_task_contract("induction", {{"symbols", "2"}}, {6, 12});
}

TEST(Induction, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("induction"), "a c * b d a *"), "b");
  EXPECT_EQ(solved(*prompt_task("induction"), "* p *"), "p");
}

TEST(Induction, HidesTheMarkerAnywhere) {
  const auto task = prompt_task("induction");
  const int marker = tokens(*task, "*")[0];
  std::vector<double> places(10);
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::vector<int> prompt = task->sample(12, Rng(i)).prompt;
    EXPECT_EQ(std::count(prompt.begin(), prompt.end(), marker), 2);
    EXPECT_EQ(prompt.back(), marker);
    ++places.at(static_cast<std::size_t>(std::find(prompt.begin(), prompt.end(), marker) - prompt.begin()));
  }
  for (const double count : places) EXPECT_NEAR(count, 200, 5 * std::sqrt(200 * 0.9));
}

TEST(Induction, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {3, 40}) expect_chance(*task_with("induction"), n, guess_symbol(16));
}

TEST(Induction, CountsItsInputs) { EXPECT_EQ(task_with("induction")->space(4), 2 * 16 * 16); }

TEST(Induction, RefusesWhatHasNoRoom) {
  expect_input_error([] { task_with("induction")->check_length(2); }, {"induction", "length 2", "3"});
}

}  // namespace
}  // namespace lengthwise
