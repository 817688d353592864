#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

// Only 1 and a row of ones carry into the longest sum: too rare to be met at lengths above 9.
TEST(BinAdd, KeepsTheContract) {
  expect_task_contract("bin_add", {}, {3, 4, 5, 9, 40, 80}, {Layout::causal, Layout::encoder}, 9);
}

TEST(BinAdd, AnswersByHand) {
  const auto task = prompt_task("bin_add");
  EXPECT_EQ(solved(*task, "0 1 1 + 1 1"), "1 0 0 1 END");  // 6 + 3 = 9
  EXPECT_EQ(solved(*task, "1 + 1"), "0 1 END");
  EXPECT_EQ(solved(*task, "1 0 0 + 0 1 0"), "1 1 END");  // 1 + 2 = 3
}

// Sums of one number, as the authors' code fills lengths below 3.
TEST(BinAdd, FillsShortLengthsAsTheAuthors) {
  expect_task_contract("bin_add", {{"compat", "peer"}}, {1, 2, 3, 9}, {Layout::causal, Layout::encoder}, 9);
  const auto task = prompt_task("bin_add", {{"compat", "peer"}});
  std::set<std::string> one, two;
  for (std::size_t i = 0; i < 100; ++i) {
    one.insert(words(*task, task->sample(1, Rng(i)).prompt) + " -> " + words(*task, task->sample(1, Rng(i)).target));
    two.insert(words(*task, task->sample(2, Rng(i)).prompt) + " -> " + words(*task, task->sample(2, Rng(i)).target));
  }
  EXPECT_EQ(one, (std::set<std::string>{"0 -> 0 END"}));
  EXPECT_EQ(two, (std::set<std::string>{"0 0 -> 0 END", "0 1 -> 0 1 END", "1 0 -> 1 END"}));
  EXPECT_EQ(task->space(2), 3);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(task->sample(8, Rng(i)).prompt, prompt_task("bin_add")->sample(8, Rng(i)).prompt);
}

// The place of a bit, and what it belongs to; the sign and SEP before the units, END after the last bit.
TEST(BinAdd, CouplesBitsOfEqualSignificance) {
  const auto task = task_with("bin_add");
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < 60; ++i) {
    const Example example = task->example(6, make_draw(0, Stream::train, "", 6, i));
    double place = 1, operand = 1;
    for (std::size_t row = 1; row < example.tokens.size(); ++row, ++place) {
      const std::string word = task->word(example.tokens[row]);
      if (word == "+") operand = 2;
      if (word == "+" || word == "SEP") place = 0;
      EXPECT_EQ(example.ids.at("coupled")[row], place + 1) << row;
      EXPECT_EQ(example.ids.at("digit")[row], word == "END" ? 0 : place) << row;
      EXPECT_EQ(example.ids.at("operand")[row], operand) << row;
    }
    seen.insert(example.tokens.size());
  }
  EXPECT_GT(seen.size(), 1u);  // sums of several lengths
}

TEST(BinAdd, CountsItsInputs) {
  EXPECT_EQ(task_with("bin_add")->space(3), 1);
  EXPECT_EQ(task_with("bin_add")->space(4), 6);
  EXPECT_EQ(task_with("bin_add")->space(5), 7 + 9 + 7);
}

TEST(BinAdd, ChanceIsAGuessOfABitOrTheEnd) {
  for (const std::size_t n : {3, 40}) expect_chance(*task_with("bin_add"), n, guess_symbol(3));
}

TEST(BinAdd, RefusesTooShortALength) {
  expect_input_error([] { task_with("bin_add")->check_length(2); },
                     {"bin_add", "2", "starts at 3", "bin_add.compat = peer"});
}

}  // namespace
}  // namespace lengthwise
