#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(SubDec, AnswersByHand) {
  const auto answer = [](const char* order, const char* pad, const char* prompt) {
    return solved(*prompt_task("sub_dec", {{"order", order}, {"pad", pad}}), prompt);
  };
  EXPECT_EQ(answer("plain", "none", "3 7 - 8"), "2 9");
  EXPECT_EQ(answer("plain", "none", "8 - 3 7"), "- 2 9");
  EXPECT_EQ(answer("plain", "none", "1 0 0 0 - 9 9 9"), "1");
  EXPECT_EQ(answer("plain", "none", "4 - 4"), "0");
  EXPECT_EQ(answer("rev_out", "none", "8 - 3 7"), "9 2 -");
  EXPECT_EQ(answer("rev_all", "none", "8 - 7 3"), "9 2 -");
  EXPECT_EQ(solved(*prompt_task("sub_dec", {{"hints", "9"}, {"order", "rev_out"}}), "#4 8 - #5 3 #4 7"), "#4 9 #5 2 -");
  EXPECT_EQ(answer("plain", "zero", "0 3 5 - 0 3 7"), "- 0 0 2");
  EXPECT_EQ(answer("rev_out", "zero", "0 3 5 - 0 3 7"), "2 0 0 -");
}

TEST(SubDec, GivesTheSignificanceOfEachDigit) {
  const auto task = prompt_task("sub_dec", {{"pad", "zero"}, {"sampling", "exact"}});
  bool negative = false;
  for (std::size_t i = 0; i < 20; ++i) {
    const auto sample = task->sample(2, Rng(i));
    std::vector<double> expected{2, 1, 0, 2, 1, 0, 2, 1};  // SEP has one too
    if (sample.target.size() == 3) expected.insert(expected.begin() + 6, 0), negative = true;
    EXPECT_EQ(sample.ids.at("digit"), expected);
  }
  EXPECT_TRUE(negative);
}

TEST(SubDec, ChanceIsAGuessOfADigitOrTheMinus) {
  for (const std::size_t n : {1, 12}) expect_chance(*task_with("sub_dec"), n, guess_symbol(11));
  const auto task = task_with("sub_dec", {{"second_digits", "3"}});
  expect_chance(*task, 2, guess_symbol(11));
  expect_chance(*task, 3, guess_symbol(11));
  expect_chance(*task, 4, guess_symbol(10));
}

}  // namespace
}  // namespace lengthwise
