#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(BucketSort, KeepsTheContract) {
  expect_task_contract("bucket_sort", {}, {1, 2, 3, 7, 12, 40, 80});
  expect_task_contract("bucket_sort", {{"symbols", "50"}}, {1, 2, 5, 40});
}

TEST(BucketSort, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("bucket_sort"), "c a d a"), "a a c d");
  EXPECT_EQ(solved(*prompt_task("bucket_sort", {{"symbols", "50"}}), "30 4 30"), "4 30 30");
}

TEST(BucketSort, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 30}) expect_chance(*task_with("bucket_sort"), n, guess_symbol(5));
}

TEST(BucketSort, RefusesAnEmptyAlphabet) {
  expect_input_error([] { task_with("bucket_sort", {{"symbols", "0"}}); }, {"symbols", "0"});
}

}  // namespace
}  // namespace lengthwise
