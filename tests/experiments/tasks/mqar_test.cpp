#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Mqar, KeepsTheContract) {
  expect_task_contract("mqar", {{"symbols", "64"}}, {48, 49, 80});
  expect_task_contract(
      "mqar", {{"pairs", "4"}, {"rewrites", "2"}, {"passes", "2"}, {"compose", "true"}, {"symbols", "64"}}, {54, 90});
  expect_task_contract("mqar", {{"pairs", "4"}, {"filler", "peer"}, {"symbols", "20"}}, {24, 60});
  expect_task_contract("mqar", {{"pairs", "4"}, {"filler", "blank"}, {"symbols", "20"}}, {24, 60});
}

TEST(Mqar, AnswersByHand) {
  const auto task = [](Values values) {
    values["pairs"] = "2";
    values["filler"] = "blank";
    return dense_task("mqar", values);
  };
  EXPECT_EQ(solved(*task({}), "k3 v7 k1 v4 k1 . . . k3 ."), ". . . . v4 . . . v7 .");
  EXPECT_EQ(solved(*task({{"rewrites", "1"}}), "k3 v7 k1 v4 k3 v9 k1 . k3 ."), ". . . . . . v4 . v9 .");
  EXPECT_EQ(solved(*task({{"passes", "2"}}), "k3 v7 k1 v4 k1 v4 k3 v7 k3 . k1 ."), ". . . . . . . . v7 . v4 .");
  EXPECT_EQ(solved(*task({{"compose", "true"}}), "k3 k5 v7 k3 k6 v4 k3 k6 . k3 k5 ."), ". . . . . . . v4 . . v7 .");
}

TEST(Mqar, AsksForEachKeyOnce) {
  const auto task = dense_task("mqar", {{"symbols", "64"}});
  for (std::size_t i = 0; i < 200; ++i) {
    const auto [string, labels] = task->sample(60, Rng(i));
    ASSERT_EQ(labels.at.size(), 8u);
    std::map<int, int> uses;
    for (const int token : string) ++uses[token];
    for (const std::size_t at : labels.at) {
      EXPECT_GE(at, 16u);
      EXPECT_EQ(at % 2, 0u);
      EXPECT_EQ(uses[string[at]], 2);
    }
  }
}

// A grid of two by two keys: each half is that of two keys.
TEST(Mqar, ComposesKeysThatShareTheirHalves) {
  const auto task = dense_task("mqar", {{"compose", "true"}, {"pairs", "4"}});
  const std::vector<int> string = task->sample(24, Rng(1)).string;
  for (const std::size_t half : {0, 1}) {
    std::map<int, int> uses;
    for (std::size_t pair = 0; pair < 4; ++pair) ++uses[string[3 * pair + half]];
    EXPECT_EQ(uses.size(), 2u);
    for (const auto& [token, count] : uses) EXPECT_EQ(count, 2);
  }
}

// One key, three slots of weights 1, 1/2, 1/3 (power 0) or alike (power 1).
TEST(Mqar, PrefersEarlySlots) {
  const std::map<std::string, std::vector<double>> expected{{"0", {6. / 11, 3. / 11, 2. / 11}},
                                                            {"1", {1. / 3, 1. / 3, 1. / 3}}};
  for (const auto& [power, shares] : expected) {
    const auto task = dense_task("mqar", {{"pairs", "1"}, {"power", power}});
    std::vector<double> counts(3);
    for (std::size_t i = 0; i < 2000; ++i) ++counts.at((task->sample(8, Rng(i)).labels.at.at(0) - 2) / 2);
    for (std::size_t slot = 0; slot < 3; ++slot) {
      const double share = shares[slot];
      EXPECT_NEAR(counts[slot] / 2000, share, 5 * std::sqrt(share * (1 - share) / 2000)) << power << ", " << slot;
    }
  }
}

TEST(Mqar, FillsSafelyOrAsThePeer) {
  const auto queries = [](const char* filler) {
    const auto task = dense_task("mqar", {{"pairs", "2"}, {"symbols", "8"}, {"filler", filler}});
    std::size_t labels = 0;
    for (std::size_t i = 0; i < 100; ++i) labels += task->sample(40, Rng(i)).labels.at.size();
    return labels;
  };
  EXPECT_EQ(queries("safe"), 200u);
  EXPECT_EQ(queries("blank"), 200u);
  EXPECT_GT(queries("peer"), 400u);  // of 16 empty slots in 18 a quarter makes a key
}

TEST(Mqar, ChanceIsAGuessAmongTheValues) {
  expect_chance(*task_with("mqar", {{"pairs", "4"}, {"rewrites", "2"}}), 40,
                [](const Example& example, Rng& rng) { return example.tokens[2 + 2 * rng.below(6)]; });
}

TEST(Mqar, RefusesWhatHasNoRoom) {
  expect_input_error([] { task_with("mqar")->check_length(31); }, {"mqar", "length 31", "start at 32", "mqar.pairs"});
  EXPECT_NO_THROW(task_with("mqar")->check_length(32));
  expect_input_error(
      [] {
        task_with("mqar", {{"symbols", "14"}})->check_length(32);
      },
      {"mqar.symbols = 14", "at least 16"});
  expect_input_error([] { task_with("mqar", {{"rewrites", "9"}}); }, {"rewrites is 9", "pairs is 8"});
}

}  // namespace
}  // namespace lengthwise
