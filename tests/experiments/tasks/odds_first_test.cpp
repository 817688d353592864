#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(OddsFirst, KeepsTheContract) {
  expect_task_contract("odds_first", {}, {1, 2, 3, 7, 12, 40});
  expect_task_contract("odds_first", {{"order", "code"}, {"symbols", "10"}}, {1, 2, 5, 40});
}

TEST(OddsFirst, AnswersByHand) {
  const auto doc = prompt_task("odds_first", {{"symbols", "5"}}),
             code = prompt_task("odds_first", {{"symbols", "5"}, {"order", "code"}});
  EXPECT_EQ(solved(*doc, "a b c d e"), "a c e b d");
  EXPECT_EQ(solved(*code, "a b c d e"), "b d a c e");
  EXPECT_EQ(solved(*doc, "a b"), "a b");
  EXPECT_EQ(solved(*code, "a b"), "b a");
}

TEST(OddsFirst, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 30}) expect_chance(*task_with("odds_first"), n, guess_symbol(2));
}

TEST(OddsFirst, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("odds_first", {{"symbols", "0"}}); }, {"symbols", "0"});
  expect_input_error([] { task_with("odds_first", {{"order", "even"}}); }, {"order", "even", "doc"});
}

}  // namespace
}  // namespace lengthwise
