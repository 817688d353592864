#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(BinMajority, KeepsTheContract) {
  for (const char* sampler : {"count_uniform", "iid"}) {
    expect_task_contract("bin_majority", {{"sampler", sampler}}, {2, 3, 9, 12, 80});
    expect_task_contract("maj_interleave", {{"sampler", sampler}}, {4, 6, 9, 20, 80});
  }
}

TEST(BinMajority, AnswersByHand) {
  const auto one = prompt_task("bin_majority"), three = prompt_task("maj_interleave");
  EXPECT_EQ(solved(*one, "1 0 1"), "1");
  EXPECT_EQ(solved(*one, "0 0 1 0"), "0");
  EXPECT_EQ(solved(*one, "0 1 1 0"), "0");  // a tie, which only independent bits have
  EXPECT_EQ(solved(*three, "1 0 0 1 0 1 0 1 1"), "1 0 1");
}

TEST(BinMajority, LeavesOffWhatExceedsAMultiple) {
  const auto task = prompt_task("maj_interleave");
  for (const std::size_t n : {9, 10, 11}) EXPECT_EQ(task->sample(n, Rng(1)).prompt.size(), 9u);
}

// The number of zeros of 20 bits: uniform on 0 .. 20 without 10, or binomial.
TEST(BinMajority, DrawsTheNumberOfZeros) {
  const auto counts = [](const char* sampler) {
    const auto task = prompt_task("bin_majority", {{"sampler", sampler}});
    std::vector<double> zeros(21);
    for (std::size_t i = 0; i < 4000; ++i) {
      const std::vector<int> prompt = task->sample(20, Rng(i)).prompt;
      ++zeros[static_cast<std::size_t>(std::count(prompt.begin(), prompt.end(), first_symbol))];
    }
    return zeros;
  };
  const std::vector<double> uniform = counts("count_uniform"), binomial = counts("iid");
  for (std::size_t k = 0; k <= 20; ++k) EXPECT_NEAR(uniform[k], k == 10 ? 0 : 200, k == 10 ? 0 : 70) << k;
  EXPECT_NEAR(binomial[10] / 4000, 0.1762, 5 * std::sqrt(0.1762 * 0.8238 / 4000));  // binomial(20, 10) / 2^20
}

TEST(BinMajority, CountsItsInputs) {
  EXPECT_EQ(task_with("bin_majority")->space(4), 16 - 6);
  EXPECT_EQ(task_with("bin_majority", {{"sampler", "iid"}})->space(4), 16);
  EXPECT_EQ(task_with("maj_interleave")->space(6), 2 * 2 * 2);
}

TEST(BinMajority, ChanceIsACoin) {
  for (const char* sampler : {"count_uniform", "iid"})
    for (const std::size_t n : {3, 4, 41}) {
      expect_chance(*task_with("bin_majority", {{"sampler", sampler}}), n, guess_symbol(2));
      expect_chance(*task_with("maj_interleave", {{"sampler", sampler}}), n, guess_symbol(2));
    }
}

TEST(BinMajority, RefusesFewerBitsThanStrings) {
  expect_input_error([] { task_with("maj_interleave")->check_length(2); },
                     {"maj_interleave", "length 2", "maj_interleave.strings is 3"});
  expect_input_error([] { task_with("bin_majority")->check_length(0); }, {"bin_majority", "length 0"});
}

}  // namespace
}  // namespace lengthwise
