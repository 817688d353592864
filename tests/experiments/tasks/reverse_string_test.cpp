#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(ReverseString, KeepsTheContract) {
  expect_task_contract("reverse_string", {}, {1, 2, 3, 7, 12, 40, 80});
  expect_task_contract("reverse_string", {{"symbols", "10"}}, {1, 2, 5, 80});
}

TEST(ReverseString, AnswersByHand) {
  const auto task = prompt_task("reverse_string", {{"symbols", "3"}});
  EXPECT_EQ(solved(*task, "a a b c"), "c b a a");
  EXPECT_EQ(solved(*task, "b"), "b");
}

TEST(ReverseString, EndsWithItsBeginning) {
  const auto task = prompt_task("reverse_string", {{"symbols", "8"}});
  const auto [prompt, target, ids] = task->pick(80, make_draw(0, Stream::train, task->name(), 80, 0));
  ASSERT_EQ(prompt.size(), 80u);
  ASSERT_EQ(target.size(), 80u);
  for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(target[79 - i], prompt[i]);
}

TEST(ReverseString, CouplesASymbolWithItsCopy) {
  EXPECT_EQ(task_with("reverse_string")->example(3, make_draw(0, Stream::train, "", 3, 0)).ids.at("coupled"),
            (std::vector<double>{0, 1, 2, 3, 4, 3, 2, 1}));
}

TEST(ReverseString, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 30}) expect_chance(*task_with("reverse_string"), n, guess_symbol(2));
}

TEST(ReverseString, RefusesAnEmptyAlphabet) {
  expect_input_error([] { task_with("reverse_string", {{"symbols", "0"}}); }, {"symbols", "0"});
}

}  // namespace
}  // namespace lengthwise
