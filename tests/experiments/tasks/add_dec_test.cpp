#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

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

TEST(AddDec, WritesHintsBlanksAndOtherBases) {
  const auto answer = [](Values values, const char* prompt) { return solved(*prompt_task("add_dec", values), prompt); };
  EXPECT_EQ(answer({{"base", "2"}}, "1 1 + 1"), "1 0 0");
  EXPECT_EQ(answer({{"base", "16"}}, "f f + 1"), "1 0 0");
  EXPECT_EQ(answer({{"space_p", "0.5"}}, "_ 3 7 _ + _ 8"), "4 5");
  EXPECT_EQ(answer({{"hints", "9"}}, "#5 3 #4 7 + #4 8"), "#5 4 #4 5");
  EXPECT_EQ(answer({{"hints", "9"}, {"order", "rev_out"}}, "#5 9 #4 7 + #4 8"), "#4 5 #5 0 #6 1");
  EXPECT_EQ(answer({{"hints", "9"}, {"order", "rev_all"}}, "#0 7 #1 9 + #0 8"), "#0 5 #1 0 #2 1");
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

TEST(AddDec, ChanceIsAGuessOfADigit) {
  for (const std::size_t n : {1, 12}) expect_chance(*task_with("add_dec"), n, guess_symbol(10));
}

TEST(AddDec, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("add_dec", {{"base", "2"}, {"carry", "none"}}); }, {"carry", "none", "base to 3"});
  const auto hinted = task_with("add_dec", {{"hints", "10"}});
  EXPECT_NO_THROW(hinted->check_length(9));
  expect_input_error([&] { hinted->check_length(10); }, {"add_dec", "length 10", "11 digits", "add_dec.hints is 10"});
}

}  // namespace
}  // namespace lengthwise
