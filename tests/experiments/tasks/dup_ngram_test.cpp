#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(DupNgram, KeepsTheContract) { expect_task_contract("dup_ngram", {}, {10, 11, 20, 80}); }

TEST(DupNgram, AnswersByHand) { EXPECT_EQ(solved(*prompt_task("dup_ngram"), "a b c d a b"), "a b c d a b"); }

// With a large alphabet nothing repeats by accident.
TEST(DupNgram, HasAPassageTwice) {
  const auto task = prompt_task("dup_ngram", {{"symbols", "1000000"}});
  std::map<std::size_t, double> firsts;
  for (std::size_t i = 0; i < 600; ++i) {
    const std::vector<int> string = task->sample(10, Rng(i)).prompt;
    std::size_t pairs = 0;
    for (std::size_t a = 0; a + 4 <= string.size(); ++a)
      for (std::size_t b = a + 4; b + 4 <= string.size(); ++b)
        if (std::equal(&string[a], &string[a] + 4, &string[b])) ++pairs, ++firsts[a * 100 + b];
    EXPECT_EQ(pairs, 1u);
  }
  EXPECT_EQ(firsts.size(), 6u);  // places 0 4, 0 5, 0 6, 1 5, 1 6, 2 6
  for (const auto& [places, count] : firsts) EXPECT_NEAR(count, 100, 5 * std::sqrt(100 * 5. / 6)) << places;
}

TEST(DupNgram, ChanceIsAGuessOfASymbol) { expect_chance(*task_with("dup_ngram"), 20, guess_symbol(26)); }

TEST(DupNgram, RefusesWhatHasNoRoom) {
  expect_input_error([] { task_with("dup_ngram")->check_length(7); },
                     {"length 7", "dup_ngram.gram is 4", "start at 8"});
}

}  // namespace
}  // namespace lengthwise
