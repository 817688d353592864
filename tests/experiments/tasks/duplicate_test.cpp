#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Duplicate, KeepsTheContract) {
  expect_task_contract("duplicate", {}, {1, 2, 3, 7, 12, 40});
  expect_task_contract("duplicate", {{"symbols", "10"}}, {1, 2, 5, 40});
}

TEST(Duplicate, AnswersByHand) { EXPECT_EQ(solved(*prompt_task("duplicate"), "a b b"), "a b b a b b"); }

TEST(Duplicate, CouplesASymbolWithItsCopies) {
  EXPECT_EQ(task_with("duplicate")->example(2, make_draw(0, Stream::train, "", 2, 0)).ids.at("coupled"),
            (std::vector<double>{0, 2, 3, 1, 2, 3, 2, 3}));
}

TEST(Duplicate, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 30}) expect_chance(*task_with("duplicate"), n, guess_symbol(2));
}

TEST(Duplicate, RefusesAnEmptyAlphabet) {
  expect_input_error([] { task_with("duplicate", {{"symbols", "0"}}); }, {"symbols", "0"});
}

}  // namespace
}  // namespace lengthwise
