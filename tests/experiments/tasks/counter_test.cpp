#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {
namespace {

TEST(Counter, KeepsTheContract) {
  expect_task_contract("counter", {{"letters", "2"}}, {6, 12, 60});
  expect_task_contract("counter", {}, {12, 24});
}

TEST(Counter, LabelsByHand) {
  EXPECT_EQ(solved(*dense_task("counter"), "a a b b c c"), "a|b a|b b c c EOS");
  EXPECT_EQ(solved(*dense_task("counter", {{"letters", "2"}}), "a b"), "a|b EOS");
}

TEST(Counter, IsItsLanguage) {
  expect_language(*dense_task("counter"), 9, 2, [](const std::string& word) {
    const std::string x = joined(word);
    const std::size_t m = x.size() / 3;
    return x == std::string(m, 'a') + std::string(m, 'b') + std::string(m, 'c');
  });
  expect_language(*dense_task("counter", {{"letters", "2"}}), 12, 5, [](const std::string& word) {
    const std::string x = joined(word);
    return x == std::string(x.size() / 2, 'a') + std::string(x.size() / 2, 'b');
  });
}

TEST(Counter, HasItsChance) {
  for (const char* letters : {"2", "3", "4"})
    for (const std::size_t n : {12, 60}) expect_chance_of_sets(*task_with("counter", {{"letters", letters}}), n);
  for (const std::size_t n : {2, 4}) expect_chance_of_sets(*task_with("counter", {{"letters", "2"}}), n);
}

TEST(Counter, RefusesOtherLengths) {
  expect_input_error([] { task_with("counter")->check_length(7); },
                     {"no word has length 7", "counter.letters = 3", "3..24:3"});
}

}  // namespace
}  // namespace lengthwise
