#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {
namespace {

TEST(ShuffleDyck, KeepsTheContract) {
  expect_task_contract("shuffle_dyck", {}, {2, 4, 10, 40});
  expect_task_contract("shuffle_dyck", {{"pairs", "6"}}, {2, 30});
}

TEST(ShuffleDyck, LabelsByHand) {
  EXPECT_EQ(solved(*dense_task("shuffle_dyck"), "( [ ) ]"), "(|)|[ (|)|[|] (|[|] EOS|(|[");
}

TEST(ShuffleDyck, IsItsLanguage) {
  expect_language(*dense_task("shuffle_dyck"), 8, 3, [](const std::string& word) {
    int round = 0, square = 0;
    for (const char c : joined(word)) {
      round += (c == '(') - (c == ')');
      square += (c == '[') - (c == ']');
      if (round < 0 || square < 0) return false;
    }
    return round == 0 && square == 0;
  });
}

TEST(ShuffleDyck, IsDrawnUniformly) {
  expect_uniform_words(*dense_task("shuffle_dyck"), 4);
  expect_uniform_words(*dense_task("shuffle_dyck", {{"pairs", "3"}}), 4);
  expect_uniform_words(*dense_task("shuffle_dyck", {{"pairs", "1"}}), 8);
}

// Pairs share out evenly in long words, where single weights would vanish.
TEST(ShuffleDyck, DrawsLongWords) {
  const auto task = dense_task("shuffle_dyck", {{"pairs", "4"}});
  const auto string = task->sample(2000, Rng(1)).string;
  for (int s = 0; s < task->symbols(); ++s)
    EXPECT_NEAR(std::count(string.begin(), string.end(), first_symbol + s), 250, 80) << s;
  EXPECT_GT(*task->space(100), 0x1p32);
}

TEST(ShuffleDyck, HasItsChance) {
  for (const char* pairs : {"1", "2", "3"})
    for (const std::size_t n : {2, 4, 20}) expect_chance_of_sets(*task_with("shuffle_dyck", {{"pairs", pairs}}), n);
}

TEST(ShuffleDyck, RefusesOddLengths) {
  expect_input_error([] { task_with("shuffle_dyck")->check_length(7); }, {"shuffle_dyck", "length 7"});
}

}  // namespace
}  // namespace lengthwise
