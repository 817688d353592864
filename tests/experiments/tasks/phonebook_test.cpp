#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Phonebook, KeepsTheContract) {
  expect_task_contract("phonebook", {{"name", "2"}}, {1, 2, 20});
  expect_task_contract("phonebook", {{"name", "1"}, {"number", "1"}}, {1, 26});
}

TEST(Phonebook, AnswersByHand) {
  const auto task = prompt_task("phonebook");
  EXPECT_EQ(solved(*task, "a d b 4 1 0 7 c a a 9 3 3 5 | a d b"), "4 1 0 7");
  EXPECT_EQ(solved(*task, "a d b 4 1 0 7 c a a 9 3 3 5 | c a a"), "9 3 3 5");
}

TEST(Phonebook, NeverRepeatsAName) {
  const auto task = prompt_task("phonebook", {{"name", "1"}, {"number", "1"}});
  for (std::size_t i = 0; i < 100; ++i) {
    const std::vector<int> prompt = task->sample(26, Rng(i)).prompt;
    std::set<int> names;
    for (std::size_t entry = 0; entry < 26; ++entry) names.insert(prompt[2 * entry]);
    EXPECT_EQ(names.size(), 26u);
  }
}

TEST(Phonebook, ChanceIsAGuessOfADigit) {
  for (const std::size_t n : {1, 10})
    expect_chance(*task_with("phonebook"), n,
                  [](const Example&, Rng& rng) { return first_symbol + 26 + static_cast<int>(rng.below(10)); });
}

TEST(Phonebook, CountsItsInputs) {
  EXPECT_EQ(task_with("phonebook", {{"name", "1"}, {"number", "1"}})->space(2), 2 * 26 * 25 * 100);
}

TEST(Phonebook, RefusesMoreThanItsNames) {
  const auto task = task_with("phonebook", {{"name", "1"}});
  expect_input_error([&] { task->check_length(27); }, {"phonebook", "length 27", "26", "phonebook.name"});
  expect_input_error([&] { task->check_length(0); }, {"length 0"});
}

}  // namespace
}  // namespace lengthwise
