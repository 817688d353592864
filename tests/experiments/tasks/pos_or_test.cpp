#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(PosOr, KeepsTheContract) {
  expect_task_contract("pos_or", {}, {1, 2, 3, 5, 9});
  expect_task_contract("pos_or", {{"space_p", "0.85"}, {"hints", "3"}}, {1, 2});
}

TEST(PosOr, AnswersByHand) {
  const auto task = prompt_task("pos_or");
  EXPECT_EQ(solved(*task, "0 1 0 | 0 0 0 0 0"), "0 1 0 0 0");
  EXPECT_EQ(solved(*task, "0 0 0 0 | 1"), "1 0 0 0");
  EXPECT_EQ(solved(*task, "0 0 | 0 1"), "0 1");
}

// Length 3: the pairs of lengths whose larger is 3, the 1 at each place of the shorter, in either when both have 3.
TEST(PosOr, DrawsEveryInput) {
  const auto task = prompt_task("pos_or");
  std::map<std::string, double> prompts;
  for (std::size_t i = 0; i < 5000; ++i) ++prompts[words(*task, task->sample(3, Rng(i)).prompt)];
  const std::map<std::string, double> expected{
      {"1 | 0 0 0", 1.},         {"1 0 | 0 0 0", .5},       {"0 1 | 0 0 0", .5},       {"0 0 0 | 1", 1.},
      {"0 0 0 | 1 0", .5},       {"0 0 0 | 0 1", .5},       {"1 0 0 | 0 0 0", 1. / 6}, {"0 1 0 | 0 0 0", 1. / 6},
      {"0 0 1 | 0 0 0", 1. / 6}, {"0 0 0 | 1 0 0", 1. / 6}, {"0 0 0 | 0 1 0", 1. / 6}, {"0 0 0 | 0 0 1", 1. / 6}};
  EXPECT_EQ(prompts.size(), task->space(3));
  for (const auto& [prompt, share] : expected)
    EXPECT_NEAR(prompts[prompt], 1000 * share, 5 * std::sqrt(1000 * share)) << prompt;
}

TEST(PosOr, CountsPlacesFromTheLeft) {
  const Example example = task_with("pos_or")->example(1, make_draw(0, Stream::train, "pos_or", 1, 0));
  EXPECT_EQ(example.ids.at("digit"), (std::vector<double>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(example.ids.at("coupled"), (std::vector<double>{0, 2, 1, 2, 1, 2}));
}

TEST(PosOr, ChanceIsAGuessOfThePlace) {
  for (const std::size_t n : {1, 2, 7}) {
    const auto guess = [n, at = std::size_t{0}, place = std::size_t{0}](const Example&, Rng& rng) mutable {
      if (at % n == 0) place = rng.below(n);
      return first_symbol + (at++ % n == place);
    };
    expect_chance(*task_with("pos_or"), n, guess);
  }
  EXPECT_NEAR(task_with("pos_or", {{"hints", "7"}})->chance(7), (1 + task_with("pos_or")->chance(7)) / 2, 1e-12);
}

TEST(PosOr, RefusesTooFewHints) {
  expect_input_error([] { task_with("pos_or", {{"hints", "3"}})->check_length(4); }, {"4 digits", "pos_or.hints is 3"});
}

}  // namespace
}  // namespace lengthwise
