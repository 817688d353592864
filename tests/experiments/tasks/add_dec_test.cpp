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

// Hints and blanks, and a base whose digits reach beyond 9.
TEST(AddDec, KeepsTheContractWithHintsAndBlanks) {
  expect_task_contract("add_dec", {{"base", "12"}, {"space_p", "0.85"}, {"hints", "9"}, {"sampling", "exact"}},
                       {1, 2, 3});
  expect_task_contract("add_dec", {{"carry", "hard"}, {"sampling", "bucket_grid"}, {"pad", "zero"}}, {2, 3, 5});
}

TEST(AddDec, WritesHintsBlanksAndOtherBases) {
  const auto answer = [](Values values, const char* prompt) { return solved(*prompt_task("add_dec", values), prompt); };
  EXPECT_EQ(answer({{"base", "2"}}, "1 1 + 1"), "1 0 0");
  EXPECT_EQ(answer({{"base", "16"}}, "f f + 1"), "1 0 0");
  EXPECT_EQ(answer({{"space_p", "0.5"}}, "_ 3 7 _ + _ 8"), "4 5");
  EXPECT_EQ(answer({{"hints", "9"}}, "#5 3 #4 7 + #4 8"), "#5 4 #4 5");
  EXPECT_EQ(answer({{"hints", "9"}, {"order", "rev_out"}}, "#5 9 #4 7 + #4 8"), "#4 5 #5 0 #6 1");
  EXPECT_EQ(answer({{"hints", "9"}, {"order", "rev_all"}}, "#0 7 #1 9 + #0 8"), "#0 5 #1 0 #2 1");
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

// Both counts uniform on 1 .. 4, and no operand 0; or the first 4 and the second uniform.
TEST(AddDec, SamplesTheGridOrOneSideOfIt) {
  for (const std::string sampling : {"bucket_grid", "partially_uniform"}) {
    const auto task = prompt_task("add_dec", {{"sampling", sampling}});
    std::map<std::pair<std::size_t, std::size_t>, double> cells;
    for (std::size_t i = 0; i < 3200; ++i) {
      const Sum sum = read(*task, "plain", task->sample(4, Rng(i)));
      ++cells[{sum.a.size(), sum.b.size()}];
      if (sampling == "bucket_grid") {
        EXPECT_NE(sum.a, "0");
        EXPECT_NE(sum.b, "0");
      } else {
        EXPECT_EQ(sum.a.size(), 4u);
      }
    }
    ASSERT_EQ(cells.size(), sampling == "bucket_grid" ? 16u : 4u);
    const double expected = 3200 / static_cast<double>(cells.size());
    for (const auto& [cell, count] : cells) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected));
  }
}

/// The columns of a + b that carry, from the units, and those that only pass a carry on.
std::pair<std::string, std::string> carries(const Sum& sum) {
  std::string carried, passed;
  int carry = 0;
  for (std::size_t place = 0; place < std::max(sum.a.size(), sum.b.size()); ++place) {
    int column = 0;
    for (const std::string& number : {sum.a, sum.b})
      if (place < number.size()) column += number[number.size() - 1 - place] - '0';
    passed += column == 9 ? '1' : '0';
    carry = column + carry > 9;
    carried += carry ? '1' : '0';
  }
  return {carried, passed};
}

TEST(AddDec, CarriesNowhereOrAllTheWay) {
  for (const char* sampling : {"uniform_digits", "exact", "bucket_grid"})
    for (std::size_t i = 0; i < 400; ++i) {
      const std::size_t n = 1 + i % 12;
      const auto sum = [&](const char* carry) {
        const auto task = prompt_task("add_dec", {{"carry", carry}, {"sampling", sampling}});
        const Sum drawn = read(*task, "plain", task->sample(n, Rng(i)));
        EXPECT_EQ(std::stoull(drawn.a) + std::stoull(drawn.b), std::stoull(drawn.sum));
        return drawn;
      };
      ASSERT_EQ(carries(sum("none")).first.find('1'), std::string::npos);
      const auto [carried, passed] = carries(sum("hard"));
      ASSERT_EQ(carried.find('0'), std::string::npos);
      ASSERT_EQ(passed, '0' + std::string(passed.size() - 1, '1'));
    }
}

TEST(AddDec, CountsTheInputsOfEveryLaw) {
  for (const std::string carry : {"any", "none", "hard"})
    for (const std::string sampling : {"uniform_digits", "exact", "bucket_grid", "partially_uniform"}) {
      double inputs = 0;  // of length 2
      for (int a = 0; a < 100; ++a)
        for (int b = 0; b < 100; ++b) {
          const Sum sum{std::to_string(a), std::to_string(b), ""};
          const std::size_t longer = std::max(sum.a.size(), sum.b.size());
          if (sampling == "bucket_grid" ? a == 0 || b == 0 : longer != 2) continue;
          if (sampling == "exact" && sum.a.size() + sum.b.size() != 4) continue;
          if (sampling == "partially_uniform" && sum.a.size() != 2) continue;
          const auto [carried, passed] = carries(sum);
          if (carry == "none" && carried.find('1') != std::string::npos) continue;
          if (carry == "hard" && (carried[0] != '1' || passed.find('0', 1) != std::string::npos)) continue;
          ++inputs;
        }
      EXPECT_NEAR(*task_with("add_dec", {{"carry", carry}, {"sampling", sampling}})->space(2), inputs, 1e-6)
          << carry << ' ' << sampling;
    }
}

// Equal significance, equal id; + and SEP come before the units.
TEST(AddDec, CouplesDigitsOfEqualSignificance) {
  const std::map<std::string, std::vector<double>> expected{{"plain", {0, 3, 2, 1, 3, 2, 1, 4, 3, 2}},
                                                            {"rev_out", {0, 3, 2, 1, 3, 2, 1, 2, 3, 4}},
                                                            {"rev_all", {0, 2, 3, 1, 2, 3, 1, 2, 3, 4}}};
  const Draw draw = make_draw(0, Stream::train, "add_dec", 2, 0);
  for (const auto& [order, ids] : expected) {
    const auto task = prompt_task("add_dec", {{"order", order}, {"pad", "zero"}});
    const Example example = task->example(2, draw);
    EXPECT_EQ(example.ids.at("coupled"), ids) << order;
    EXPECT_EQ(example.ids.at("operand"), (std::vector<double>{0, 1, 1, 2, 2, 2, 2, 2, 2, 2}));
    const auto encoder = prompt_task("add_dec", {{"order", order}, {"pad", "zero"}}, Layout::encoder);
    std::vector<double> without(ids.begin() + 1, ids.end());
    without.erase(without.begin() + 5);
    EXPECT_EQ(encoder->example(2, draw).ids.at("coupled"), without);
  }
}

TEST(AddDec, BlanksHaveNoIds) {
  const auto task = prompt_task("add_dec", {{"space_p", "0.5"}});
  const Example example = task->example(30, make_draw(0, Stream::train, "add_dec", 30, 0));
  double blanks = 0;
  for (std::size_t i = 0; i < example.tokens.size(); ++i) {
    if (task->word(example.tokens[i]) != "_") continue;
    ++blanks;
    for (const auto& [channel, ids] : example.ids) EXPECT_EQ(ids[i], 0) << channel;
  }
  EXPECT_NEAR(blanks / static_cast<double>(example.tokens.size()), 0.25, 0.15);
}

// Results of the first definition stay comparable.
TEST(AddDec, OptionsThatCameLaterLeaveTheDefinitionAlone) {
  TaskInfo first = tasks().at("add_dec");
  std::erase_if(first.section.options, [&](const OptionSpec& option) { return first.later.count(option.name) > 0; });
  EXPECT_EQ(first.section.options.size(), 3u);  // order, pad, sampling
  EXPECT_EQ(definition_hash("add_dec", Options(tasks().at("add_dec").section)),
            definition_hash(first, Options(first.section)));
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
  expect_input_error([] { task_with("add_dec", {{"base", "2"}, {"carry", "none"}}); }, {"carry", "none", "base to 3"});
  expect_input_error([] { task_with("add_dec", {{"base", "1"}}); }, {"base", "1", "2"});
  expect_input_error([] { task_with("add_dec", {{"space_p", "1"}}); }, {"space_p", "1"});
  const auto hinted = task_with("add_dec", {{"hints", "10"}});
  EXPECT_NO_THROW(hinted->check_length(9));
  expect_input_error([&] { hinted->check_length(10); }, {"add_dec", "length 10", "11 digits", "add_dec.hints is 10"});
}

}  // namespace
}  // namespace lengthwise
