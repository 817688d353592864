#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {
namespace {

TEST(ResetDyck, KeepsTheContract) { expect_task_contract("reset_dyck", {}, {1, 2, 3, 10, 40}); }

TEST(ResetDyck, LabelsByHand) {
  EXPECT_EQ(solved(*dense_task("reset_dyck"), "( ( ) # ( )"), "(|)|# (|)|# (|)|# EOS|(|# (|)|# EOS|(|#");
}

TEST(ResetDyck, IsItsLanguage) {
  expect_language(*dense_task("reset_dyck"), 8, 4, [](const std::string& word) {
    int open = 0;
    for (const char c : joined(word)) {
      open = c == '#' ? 0 : open + (c == '(' ? 1 : -1);
      if (open < 0) return false;
    }
    return open == 0;
  });
}

// Of length 2: () has weight 1, ## has 0.5 * 0.5, (# has 0.5.
TEST(ResetDyck, FollowsTheWeights) {
  const auto task = dense_task("reset_dyck", {{"reset", "0.5"}});
  std::map<std::string, double> counts;
  for (std::size_t i = 0; i < 1750; ++i) ++counts[joined(words(*task, task->sample(2, Rng(i)).string))];
  EXPECT_NEAR(counts["()"], 1000, 5 * std::sqrt(1000));
  EXPECT_NEAR(counts["(#"], 500, 5 * std::sqrt(500));
  EXPECT_NEAR(counts["##"], 250, 5 * std::sqrt(250));
}

TEST(ResetDyck, HasItsChance) {
  for (const std::size_t n : {1, 2, 15}) expect_chance_of_sets(*task_with("reset_dyck"), n);
}

TEST(ResetDyck, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("reset_dyck")->check_length(0); }, {"reset_dyck", "starts at 1"});
  for (const char* reset : {"0", "-1"})
    expect_input_error([&] { task_with("reset_dyck", {{"reset", reset}}); }, {"reset", reset, "above 0"});
}

}  // namespace
}  // namespace lengthwise
