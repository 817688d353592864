#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(SolveEq, KeepsTheContract) {
  expect_task_contract("solve_eq", {}, {3, 4, 5, 6, 8, 11, 40, 81});
  expect_task_contract("solve_eq", {{"modulus", "3"}}, {7, 12, 40});
}

TEST(SolveEq, AnswersByHand) {
  const auto task = prompt_task("solve_eq");
  EXPECT_EQ(solved(*task, "( x - ( - 3 ) ) = 1"), "3");
  EXPECT_EQ(solved(*task, "( 2 - x ) = 4"), "3");
  EXPECT_EQ(solved(*task, "- x = 4"), "1");
  EXPECT_EQ(solved(*task, "x = 4"), "4");
}

// 5 equations each of x, -x, (x), (-x); then (A op B): two operators, two digits of which either is hidden.
TEST(SolveEq, CountsItsInputs) {
  const auto task = prompt_task("solve_eq");
  for (const std::size_t n : {3, 4, 5, 6}) EXPECT_EQ(task->space(n), 5) << n;
  EXPECT_EQ(task->space(7), 2 * 2 * 5 * 5);
  std::set<std::vector<int>> seen;
  for (const Stream stream : every_stream)
    for (std::size_t i = 0; i < 2000; ++i) seen.insert(task->pick(7, make_draw(0, stream, task->name(), 7, i)).prompt);
  EXPECT_EQ(seen.size(), 100u);
}

// ( A op B ): from the last bracket, the first and A itself the next digit is A.
TEST(SolveEq, HidesTheNextDigitFromAUniformToken) {
  const auto task = prompt_task("solve_eq", {{"modulus", "1000"}});
  const int unknown = tokens(*task, "x")[0];
  double first = 0;
  for (std::size_t i = 0; i < 2000; ++i)
    first += task->pick(7, make_draw(0, Stream::train, task->name(), 7, i)).prompt[1] == unknown;
  EXPECT_NEAR(first / 2000, 0.6, 5 * std::sqrt(0.24 / 2000));
}

TEST(SolveEq, FillsShortLengthsAsTheAuthors) {
  const Values peer{{"compat", "peer"}};
  expect_task_contract("solve_eq", peer, {1, 2, 3, 8});
  const auto task = prompt_task("solve_eq", peer);
  for (const auto& [n, prompt] : {std::pair{1, "0"}, {2, "0 0"}}) {
    const auto sample = task->sample(static_cast<std::size_t>(n), Rng(3));
    EXPECT_EQ(words(*task, sample.prompt), prompt);
    EXPECT_EQ(words(*task, sample.target), "0");
    EXPECT_EQ(task->space(static_cast<std::size_t>(n)), 1);
  }
}

TEST(SolveEq, ChanceIsAGuessOfADigit) {
  for (const std::size_t n : {3, 40}) expect_chance(*task_with("solve_eq"), n, guess_symbol(5));
}

TEST(SolveEq, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("solve_eq")->check_length(2); }, {"solve_eq", "2", "starts at 3"});
  expect_input_error([] { task_with("solve_eq", {{"modulus", "0"}}); }, {"modulus", "0", "from 2"});
}

}  // namespace
}  // namespace lengthwise
