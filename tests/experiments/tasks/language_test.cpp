#include "experiments/tasks/language.h"

#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {
namespace {

TEST(Weighted, FollowsTheShares) {
  Rng rng(1);
  std::vector<double> counts(4);
  for (int i = 0; i < 4000; ++i) ++counts[weighted(rng, {0, 3, 0, 1})];
  EXPECT_EQ(counts[0] + counts[2], 0);
  EXPECT_NEAR(counts[1], 3000, 5 * std::sqrt(750));
}

/// Words a^i b^j with i >= j, at weights 1 and 3.
class Fewer final : public MachineTask {
 public:
  Fewer() : MachineTask(Layout::causal, {"a", "b"}) {}
  // 0, 2, 4, ...: as only; 1, 3, ...: bs too; half of it is the number of as over bs.
  std::optional<std::size_t> next(std::size_t state, int symbol) const override {
    if (symbol == 0) return state % 2 ? std::nullopt : std::optional(state + 2);
    if (state < 2) return {};
    return (state | 1) - 2;
  }
  bool accepts(std::size_t) const override { return true; }
  std::size_t states(std::size_t n) const override { return 2 * n + 2; }
  double weight(int symbol) const override { return symbol == 0 ? 1 : 3; }
  Labels solve(const std::vector<int>&) const override { return {}; }
};

TEST(MachineTask, DrawsByTheWeightsAndLabelsWhatCanFollow) {
  const Fewer task;
  EXPECT_EQ(task.space(4), 3);  // aaaa, aaab, aabb
  std::map<std::string, double> counts;
  std::map<std::string, std::string> labels;
  for (std::size_t i = 0; i < 1300; ++i) {
    const auto [string, found] = task.sample(4, Rng(i));
    ++counts[joined(words(task, string))];
    labels[joined(words(task, string))] = words(task, found, 4);
  }
  EXPECT_NEAR(counts["aaaa"], 100, 5 * std::sqrt(100));
  EXPECT_NEAR(counts["aaab"], 300, 5 * std::sqrt(300));
  EXPECT_NEAR(counts["aabb"], 900, 5 * std::sqrt(900));
  EXPECT_EQ(labels["aabb"], "EOS|a|b EOS|a|b EOS|b EOS");
  EXPECT_EQ(task.chance(4), 1.0 / 3);
  EXPECT_EQ(task.chance(1), 1);
}

TEST(MachineTask, NamesTheNearestLengths) {
  expect_input_error(
      [] {
        task_with("tomita", {{"grammar", "5"}})->check_length(7);
      },
      {"tomita", "no word has length 7", "6 and 8", "train.length_law = list"});
  expect_input_error(
      [] {
        task_with("regular", {{"language", "abcde"}})->check_length(3);
      },
      {"length 3", "words are 5"});
  expect_input_error([] { task_with("regular")->check_length(0); }, {"length is 0"});
}

}  // namespace
}  // namespace lengthwise
