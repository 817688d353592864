#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Sort, KeepsTheContract) {
  expect_task_contract("sort", {}, {1, 2, 3, 8, 16, 40});
  expect_task_contract("sort", {{"items", "int"}}, {1, 2, 3, 8, 16});
}

TEST(Sort, WithAPadKeepsTheContract) {
  for (const char* items : {"sym", "int"}) {
    const auto task = prompt_task("sort", {{"scratchpad", "icovr"}, {"items", items}});
    for (const std::size_t n : {1, 5, 16}) expect_prompts_and_answers(*task, {Stream::train, {n}, 200});
  }
}

TEST(Sort, AnswersByHand) {
  const auto symbols = prompt_task("sort"), integers = prompt_task("sort", {{"items", "int"}});
  EXPECT_EQ(solved(*symbols, "30 4 30"), "4 30 30");
  EXPECT_EQ(solved(*integers, "1 2 3 , 4 5 , 9 9 9 9"), "4 5 , 1 2 3 , 9 9 9 9");
}

// A pad is right when each step changes the places it says it does.
TEST(Sort, WritesItsSteps) {
  const auto task = prompt_task("sort", {{"scratchpad", "icor"}});
  for (std::size_t i = 0; i < 100; ++i) {
    const auto sample = task->sample(2, Rng(i));
    const std::string a = task->word(sample.prompt[0]), b = task->word(sample.prompt[1]);
    const bool swapped = std::stoi(b) < std::stoi(a);
    const std::string& least = swapped ? b : a;
    const std::string& most = swapped ? a : b;
    EXPECT_EQ(words(*task, sample.target), ">> " + a + " :: min == " + least + " => " + most + " # >> " + most +
                                               " :: min == " + most + " => # ANSWER " + least + " " + most);
  }
}

TEST(Sort, ChanceIsAGuess) {
  expect_chance(*task_with("sort"), 10, guess_symbol(50));
  expect_chance(*task_with("sort", {{"items", "int"}}), 10, guess_symbol(11));
}

TEST(Sort, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("sort")->check_length(0); }, {"sort", "0", "starts at 1"});
  expect_input_error([] { task_with("sort", {{"items", "real"}}); }, {"items", "real", "int"});
}

}  // namespace
}  // namespace lengthwise
