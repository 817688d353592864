#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Count, KeepsTheContract) {
  expect_task_contract("count", {}, {2, 3, 7, 12, 40, 120});
  expect_task_contract("count", {{"text", "single"}, {"answer", "number"}}, {2, 9, 10, 99, 100, 120});
}

TEST(Count, AnswersByHand) {
  const auto mod10 = prompt_task("count"), number = prompt_task("count", {{"answer", "number"}});
  EXPECT_EQ(solved(*mod10, "a a a a"), "4");
  EXPECT_EQ(solved(*mod10, "a b c d e f g h i j k l"), "2");
  EXPECT_EQ(solved(*number, "a b c d e f g h i j k l"), "1 2");
  EXPECT_EQ(solved(*number, "a b c d e f g h i j"), "1 0");
}

TEST(Count, ChanceIsAGuessOfADigit) {
  for (const std::size_t n : {7, 120}) expect_chance(*task_with("count", {{"answer", "number"}}), n, guess_symbol(10));
}

TEST(Count, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("count")->check_length(0); }, {"count", "0", "starts at 1"});
  expect_input_error([] { task_with("count", {{"text", "many"}}); }, {"text", "many", "single"});
}

}  // namespace
}  // namespace lengthwise
