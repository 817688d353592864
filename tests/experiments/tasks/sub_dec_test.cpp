#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

class SubDecOptions : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST(SubDec, KeepsTheContract) { expect_task_contract("sub_dec", {}, {1, 2, 3, 5, 10}); }

TEST_P(SubDecOptions, KeepTheContract) {
  const auto [order, pad] = GetParam();
  expect_task_contract("sub_dec", {{"order", order}, {"pad", pad}, {"sampling", "exact"}}, {1, 2, 3, 30});
}

INSTANTIATE_TEST_SUITE_P(All, SubDecOptions,
                         testing::Combine(testing::Values("plain", "rev_out", "rev_all"),
                                          testing::Values("none", "zero")),
                         [](const auto& one) { return join(std::get<0>(one.param), "_", std::get<1>(one.param)); });

TEST(SubDec, KeepsTheContractWithHintsAndBlanks) {
  expect_task_contract("sub_dec", {{"base", "12"}, {"space_p", "0.85"}, {"hints", "9"}, {"order", "rev_out"}},
                       {1, 2, 3});
}

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
}

TEST(SubDec, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("sub_dec")->check_length(0); }, {"sub_dec", "0", "starts at 1"});
  expect_input_error([] { task_with("sub_dec", {{"order", "reversed"}}); }, {"order", "reversed", "rev_out"});
}

}  // namespace
}  // namespace lengthwise
