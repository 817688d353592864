#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

const char* const orders[] = {"plain", "rev_out", "rev_all"};

TEST(AddDec, KeepsTheContract) { expect_task_contract("add_dec", {}, {1, 2, 3, 5, 10}); }

class AddDecOptions : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(AddDecOptions, KeepTheContract) {
  const auto [order, pad] = GetParam();
  expect_task_contract("add_dec", {{"order", order}, {"pad", pad}, {"sampling", "exact"}}, {1, 2, 3, 30});
}

INSTANTIATE_TEST_SUITE_P(All, AddDecOptions,
                         testing::Combine(testing::ValuesIn(orders), testing::Values("none", "zero")),
                         [](const auto& one) { return join(std::get<0>(one.param), "_", std::get<1>(one.param)); });

TEST(AddDec, AnswersByHand) {
  const auto answer = [](const char* order, const char* pad, const char* prompt) {
    return solved(*prompt_task("add_dec", {{"order", order}, {"pad", pad}}), prompt);
  };
  EXPECT_EQ(answer("plain", "none", "3 7 + 8"), "4 5");
  EXPECT_EQ(answer("plain", "none", "9 9 9 + 1"), "1 0 0 0");
  EXPECT_EQ(answer("plain", "none", "0 + 0"), "0");
  EXPECT_EQ(answer("rev_out", "none", "3 7 + 8"), "5 4");
  EXPECT_EQ(answer("rev_all", "none", "7 3 + 8"), "5 4");
  EXPECT_EQ(answer("plain", "zero", "3 7 + 0 8"), "0 4 5");
  EXPECT_EQ(answer("rev_out", "zero", "3 7 + 0 8"), "5 4 0");
  EXPECT_EQ(answer("rev_all", "zero", "7 3 + 8 0"), "5 4 0");
  EXPECT_EQ(answer("plain", "none", "9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 + 1"),
            "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");  // beyond 64 bits
}

/// A sample as a person would check it: whole numbers, from the words alone.
struct Sum {
  std::string a, b, sum;  // most significant digit first
};

Sum read(const PromptTask& task, const std::string& order, const PromptTask::Sample& sample) {
  const auto digits = [&](const std::vector<int>& tokens, bool reversed) {
    std::string text;
    for (const int token : tokens) text += task.word(token);
    return reversed ? std::string(text.rbegin(), text.rend()) : text;
  };
  const std::string prompt = digits(sample.prompt, false);
  Sum sum{prompt.substr(0, prompt.find('+')), prompt.substr(prompt.find('+') + 1),
          digits(sample.target, order != "plain")};
  if (order == "rev_all")
    for (std::string* operand : {&sum.a, &sum.b}) std::reverse(operand->begin(), operand->end());
  return sum;
}

TEST(AddDec, SumsAreRightAndWithoutLeadingZeros) {
  for (const char* order : orders) {
    const auto task = prompt_task("add_dec", {{"order", order}});
    for (std::size_t i = 0; i < 2000; ++i) {
      const std::size_t n = 1 + i % 18;
      const Sum sum = read(*task, order, task->pick(n, make_draw(0, Stream::train, "add_dec", n, i)));
      ASSERT_EQ(std::stoull(sum.a) + std::stoull(sum.b), std::stoull(sum.sum)) << sum.a << " + " << sum.b;
      ASSERT_EQ(std::max(sum.a.size(), sum.b.size()), n);
      for (const std::string& number : {sum.a, sum.b, sum.sum})
        ASSERT_TRUE(number.size() == 1 || number[0] != '0') << number;
    }
  }
}

TEST(AddDec, PadsOnTheSignificantSide) {
  for (const char* order : orders) {
    const auto task = prompt_task("add_dec", {{"order", order}, {"pad", "zero"}});
    for (std::size_t i = 0; i < 500; ++i) {
      const std::size_t n = 1 + i % 18;
      const Sum sum = read(*task, order, task->pick(n, make_draw(0, Stream::train, "add_dec", n, i)));
      ASSERT_EQ(std::stoull(sum.a) + std::stoull(sum.b), std::stoull(sum.sum)) << sum.a << " + " << sum.b;
      ASSERT_EQ(sum.a.size(), n);
      ASSERT_EQ(sum.b.size(), n);
      ASSERT_EQ(sum.sum.size(), n + 1);
    }
  }
}

// n = 10: the 19 pairs of digit counts whose larger is 10, each with probability 1/19.
TEST(AddDec, DrawsEveryPairOfDigitCountsAlike) {
  const auto task = prompt_task("add_dec");
  std::map<std::pair<std::size_t, std::size_t>, double> pairs;
  for (std::size_t i = 0; i < 3800; ++i) {
    const Sum sum = read(*task, "plain", task->pick(10, make_draw(0, Stream::train, "add_dec", 10, i)));
    ++pairs[{sum.a.size(), sum.b.size()}];
  }
  EXPECT_EQ(pairs.size(), 19u);
  for (const auto& [sizes, count] : pairs) EXPECT_NEAR(count, 200, 5 * std::sqrt(200 * 18. / 19));
}

TEST(AddDec, ExactMeansBothOperands) {
  const auto task = prompt_task("add_dec", {{"sampling", "exact"}});
  for (std::size_t i = 0; i < 200; ++i) {
    const Sum sum = read(*task, "plain", task->pick(7, make_draw(0, Stream::train, "add_dec", 7, i)));
    EXPECT_EQ(sum.a.size(), 7u);
    EXPECT_EQ(sum.b.size(), 7u);
  }
}

TEST(AddDec, GivesTheSignificanceOfEachDigit) {
  const std::map<std::string, std::vector<double>> expected{// BOS, two digits, +, two digits, SEP, three digits
                                                            {"plain", {0, 2, 1, 0, 2, 1, 0, 3, 2, 1}},
                                                            {"rev_out", {0, 2, 1, 0, 2, 1, 0, 1, 2, 3}},
                                                            {"rev_all", {0, 1, 2, 0, 1, 2, 0, 1, 2, 3}}};
  for (const auto& [order, ids] : expected) {
    const auto task = prompt_task("add_dec", {{"order", order}, {"pad", "zero"}, {"sampling", "exact"}});
    EXPECT_EQ(task->example(2, make_draw(0, Stream::train, "add_dec", 2, 0)).ids.at("digit"), ids) << order;
  }
}

// By enumeration of the numbers 0 .. 99: 100 pairs have n = 1, the other 9900 have n = 2, 8100 of them twice two
// digits.
TEST(AddDec, CountsItsInputs) {
  const auto any = task_with("add_dec"), exact = task_with("add_dec", {{"sampling", "exact"}});
  EXPECT_EQ(any->space(1), 100);
  EXPECT_EQ(any->space(2), 9900);
  EXPECT_EQ(exact->space(1), 100);
  EXPECT_EQ(exact->space(2), 8100);
}

TEST(AddDec, ChanceIsAGuessOfADigit) {
  for (const std::size_t n : {1, 12}) expect_chance(*task_with("add_dec"), n, guess_symbol(10));
}

TEST(AddDec, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("add_dec")->check_length(0); }, {"add_dec", "0", "starts at 1"});
  expect_input_error([] { task_with("add_dec", {{"order", "reversed"}}); }, {"order", "reversed", "rev_out"});
  expect_input_error([] { task_with("add_dec", {{"pad", "left"}}); }, {"pad", "left", "zero"});
}

}  // namespace
}  // namespace lengthwise
