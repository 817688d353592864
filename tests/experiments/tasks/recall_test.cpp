#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

const Values fuzzy{{"longest", "3"}, {"symbols", "8"}};

TEST(Recall, KeepsTheContract) {
  expect_task_contract("recall", {{"noise", "0.3"}, {"longest", "3"}, {"symbols", "8"}}, {16, 17, 60});
  for (const Layout layout : {Layout::causal, Layout::encoder})
    for (const Values& values : {Values{}, Values{{"noise", "0.3"}}, fuzzy}) {
      const auto task = dense_task("recall", values, layout);
      expect_strings_and_labels(*task, {Stream::train, {12, 40, 100}, 200});
    }
}

TEST(Recall, AnswersByHand) {
  const auto task = dense_task("recall");
  EXPECT_EQ(solved(*task, "k3 v7 k1 v4 k3 v7"), ". . . . v7 .");
  EXPECT_EQ(solved(*task, "k3 v7 n2 n9 k3 v7 k3 v7"), ". . . . v7 . v7 .");
  const auto runs = dense_task("recall", fuzzy);
  EXPECT_EQ(solved(*runs, "k3 k1 v2 v0 k3 v1 k3 k1 v2 v0 k3 v1"), ". . . . . . . v2 v0 . v1 .");
}

TEST(Recall, HidesTheValueFromABidirectionalModel) {
  const auto task = dense_task("recall", {}, Layout::encoder);
  EXPECT_EQ(solved(*task, "k3 v7 k1 v4 k3 ANS"), ". . . . . v7");
  const std::string string = words(*task, task->sample(20, Rng(1)).string);
  EXPECT_EQ(string.substr(string.size() - 4), " ANS");
}

TEST(Recall, EndsWithAKeyOfBefore) {
  for (const Values& values : {Values{}, Values{{"noise", "0.4"}}, fuzzy}) {
    const auto task = dense_task("recall", values);
    for (std::size_t i = 0; i < 200; ++i) {
      const auto [string, labels] = task->sample(12 + i % 7, Rng(i));
      ASSERT_FALSE(labels.at.empty());
      EXPECT_EQ(labels.at.back() + 2, string.size());  // the last token that is told what follows
    }
  }
}

// Noise and pairs have two tokens each.
TEST(Recall, HasNoiseAsOftenAsItSays) {
  const auto task = dense_task("recall", {{"noise", "0.3"}});
  double noise = 0, all = 0;
  for (std::size_t i = 0; i < 40; ++i)
    for (const int token : task->sample(400, Rng(i)).string) noise += task->word(token)[0] == 'n', ++all;
  EXPECT_NEAR(noise / all, 0.3, 5 * std::sqrt(0.3 * 0.7 / all * 2));
}

TEST(Recall, ChanceIsAGuessOfAValue) {
  expect_chance(*task_with("recall"), 40,
                [](const Example&, Rng& rng) { return first_symbol + 8 + static_cast<int>(rng.below(8)); });
}

TEST(Recall, RefusesWhatHasNoRoom) {
  expect_input_error([] { task_with("recall")->check_length(3); }, {"recall", "length 3", "start at 4"});
  expect_input_error([] { task_with("recall", {{"shortest", "2"}}); }, {"shortest is 2", "longest 1"});
}

}  // namespace
}  // namespace lengthwise
