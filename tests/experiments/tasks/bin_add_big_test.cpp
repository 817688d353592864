#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(BinAddBig, KeepsTheContract) { expect_task_contract("bin_add_big", {}, {4, 5, 6, 9}); }

TEST(BinAddBig, AnswersByHand) {
  const auto task = prompt_task("bin_add_big");
  EXPECT_EQ(solved(*task, "1 0 1 + 1 1 ="), "1 0 0 0");
  EXPECT_EQ(solved(*task, "1 + 1 ="), "1 0");
  EXPECT_EQ(solved(*task, "1 0 0 0 + 1 ="), "1 0 0 1");
  EXPECT_EQ(solved(*task,
                   "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
                   "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 + 1 ="),
            "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
            "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");  // beyond 64 bits
}

// The longest answer is too rare in long prompts for the contract to meet it.
TEST(BinAddBig, IsRightInLongPrompts) {
  const auto task = prompt_task("bin_add_big");
  for (std::size_t i = 0; i < 500; ++i) {
    const auto [prompt, target, ids] = task->sample(10 + i % 200, Rng(i));
    ASSERT_EQ(prompt.size(), 10 + i % 200);
    ASSERT_LE(target.size(), task->target_tokens(prompt.size()));
    ASSERT_EQ(words(*task, target), words(*task, task->solve(prompt)));
  }
}

// Length 12: ten bits, of which the first number has 1 .. 9 with probability 1/9 each.
TEST(BinAddBig, DividesTheBitsEvenly) {
  const auto task = prompt_task("bin_add_big");
  const int plus = tokens(*task, "+")[0], one = tokens(*task, "1")[0];
  std::map<std::ptrdiff_t, double> sizes;
  for (std::size_t i = 0; i < 1800; ++i) {
    const std::vector<int> prompt = task->sample(12, Rng(i)).prompt;
    const auto sign = std::find(prompt.begin(), prompt.end(), plus);
    ++sizes[sign - prompt.begin()];
    EXPECT_EQ(prompt[0], one);
    EXPECT_EQ(sign[1], one);
  }
  EXPECT_EQ(sizes.size(), 9u);
  for (const auto& [size, count] : sizes) EXPECT_NEAR(count, 200, 5 * std::sqrt(200 * 8. / 9)) << size;
}

// BOS 1 + 1 = SEP 1 0
TEST(BinAddBig, GivesThePlacesOfBits) {
  const Example example = task_with("bin_add_big")->example(4, make_draw(0, Stream::train, "", 4, 0));
  EXPECT_EQ(example.ids.at("digit"), (std::vector<double>{0, 1, 0, 1, 0, 0, 2, 1}));
  EXPECT_EQ(example.ids.at("coupled"), (std::vector<double>{0, 2, 1, 2, 1, 1, 3, 2}));
}

// 1+1=; 10+1=, 11+1=, 1+10=, 1+11=
TEST(BinAddBig, CountsItsInputs) {
  EXPECT_EQ(task_with("bin_add_big")->space(4), 1);
  EXPECT_EQ(task_with("bin_add_big")->space(5), 4);
}

TEST(BinAddBig, ChanceIsACoin) {
  for (const std::size_t n : {5, 30}) expect_chance(*task_with("bin_add_big"), n, guess_symbol(2));
}

TEST(BinAddBig, RefusesWhatHasNoRoom) {
  expect_input_error([] { task_with("bin_add_big")->check_length(3); }, {"bin_add_big", "length 3", "4"});
}

}  // namespace
}  // namespace lengthwise
