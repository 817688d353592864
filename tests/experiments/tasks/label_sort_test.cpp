#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(LabelSort, KeepsTheContract) {
  expect_task_contract("label_sort", {}, {1, 2});
  expect_task_contract("label_sort", {{"digits", "2"}, {"labels", "30"}, {"order", "rev_all"}}, {1, 2, 3, 5});
}

TEST(LabelSort, AnswersByHand) {
  const auto task = prompt_task("label_sort"), reversed = prompt_task("label_sort", {{"order", "rev_all"}});
  EXPECT_EQ(solved(*task, "L2 : 3 7 , L0 : 4 , L5 : 9 0"), "L0 L2 L5");
  EXPECT_EQ(solved(*task, "L9 : 9 0 , L1 : 1 9"), "L1 L9");
  EXPECT_EQ(solved(*reversed, "L9 : 9 0 , L1 : 1 9"), "L9 L1");
  EXPECT_EQ(solved(*task, "L3 : 7 , L1 : 7 , L2 : 7"), "L3 L1 L2");
}

TEST(LabelSort, IsRightInLongPrompts) {
  for (const char* order : {"plain", "rev_all"}) {
    const auto task = prompt_task("label_sort", {{"order", order}, {"digits", "30"}});
    for (std::size_t i = 0; i < 100; ++i) {
      const auto [prompt, target, ids] = task->sample(100, Rng(i));
      ASSERT_EQ(words(*task, target), words(*task, task->solve(prompt)));
    }
  }
}

// Digit counts uniform on 1 .. 4, and no number that leads with 0.
TEST(LabelSort, DrawsEveryDigitCountAlike) {
  const auto task = prompt_task("label_sort", {{"digits", "4"}});
  std::map<std::size_t, double> counts;
  for (std::size_t i = 0; i < 400; ++i) {
    std::string text;
    for (const int token : task->sample(5, Rng(i)).prompt) text += task->word(token);
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
      const std::string number = item.substr(item.find(':') + 1);
      EXPECT_NE(number[0], '0');
      ++counts[number.size()];
    }
  }
  ASSERT_EQ(counts.size(), 4u);
  for (const auto& [size, count] : counts) EXPECT_NEAR(count, 500, 5 * std::sqrt(500 * 0.75)) << size;
}

TEST(LabelSort, GivesThePlacesOfDigits) {
  const auto task = prompt_task("label_sort", {{"digits", "3"}});
  for (std::size_t i = 0; i < 30; ++i) {
    const auto [prompt, target, ids] = task->sample(1, Rng(i));
    std::vector<double> expected{0, 0};  // label and colon
    for (std::size_t place = prompt.size() - 2; place > 0; --place) expected.push_back(static_cast<double>(place));
    expected.push_back(0);
    EXPECT_EQ(ids.at("digit"), expected);
  }
}

// One label of 100, numbers from 1 on; two of them.
TEST(LabelSort, CountsItsInputs) {
  EXPECT_NEAR(*task_with("label_sort", {{"digits", "2"}})->space(1), 100 * 99, 1e-6);
  EXPECT_NEAR(*task_with("label_sort", {{"digits", "1"}})->space(2), 100 * 99 * 81, 1e-6);
}

TEST(LabelSort, ChanceIsAGuessOfAnItem) {
  expect_chance(*task_with("label_sort"), 4,
                [](const Example& example, Rng& rng) { return example.targets[rng.below(example.answer)]; });
}

TEST(LabelSort, RefusesMoreItemsThanLabels) {
  expect_input_error(
      [] {
        task_with("label_sort", {{"labels", "5"}})->check_length(6);
      },
      {"length 6", "label_sort.labels is 5"});
}

}  // namespace
}  // namespace lengthwise
