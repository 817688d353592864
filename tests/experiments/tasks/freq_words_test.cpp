#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(FreqWords, KeepsTheContract) { expect_task_contract("freq_words", {}, {3, 4, 20, 80}); }

TEST(FreqWords, AnswersByHand) {
  const auto task = prompt_task("freq_words", {{"symbols", "9"}});
  EXPECT_EQ(solved(*task, "c a c b a c"), "c a b");
  EXPECT_EQ(solved(*task, "d b a b a c"), "b a d");  // ties: first seen, first named
  EXPECT_EQ(solved(*task, "d d"), "d");
}

// Of two words the frequent one has 1 / (1 + 1/4) of the draws, and is either with probability 1/2.
TEST(FreqWords, FollowsZipf) {
  const auto task = prompt_task("freq_words", {{"symbols", "2"}, {"top", "1"}});
  double frequent = 0, a = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    const auto [prompt, target, ids] = task->sample(101, Rng(i));
    frequent += static_cast<double>(std::count(prompt.begin(), prompt.end(), target[0]));
    a += target[0] == first_symbol;
  }
  EXPECT_NEAR(frequent / 400 / 101, 0.8, 5 * std::sqrt(0.8 * 0.2 / 400 / 101));
  EXPECT_NEAR(a / 400, 0.5, 5 * std::sqrt(0.25 / 400));
}

TEST(FreqWords, ChanceIsAGuessOfAWord) {
  for (const std::size_t n : {5, 40}) expect_chance(*task_with("freq_words"), n, guess_symbol(100));
}

TEST(FreqWords, RefusesLengthZero) {
  expect_input_error([] { task_with("freq_words")->check_length(0); }, {"freq_words", "starts at 1"});
}

}  // namespace
}  // namespace lengthwise
