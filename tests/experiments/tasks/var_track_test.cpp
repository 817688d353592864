#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(VarTrack, KeepsTheContract) {
  expect_task_contract("var_track", {}, {31, 40, 80});
  expect_task_contract("var_track", {{"chains", "3"}, {"hops", "1"}}, {30, 60});
}

TEST(VarTrack, AnswersByHand) {
  const auto task = prompt_task("var_track");
  EXPECT_EQ(solved(*task, "w0 k3 = v7 w1 k5 = k3 w2 k1 = k5 w3 v7"), "k1 k3 k5");
  EXPECT_EQ(solved(*task, "k3 = v7 k4 = v8 k5 = k3 k1 = k4 k2 = k1 v8"), "k1 k2 k4");
}

TEST(VarTrack, FollowsChainsOfItsLength) {
  const auto task = prompt_task("var_track", {{"chains", "3"}, {"hops", "2"}});
  for (std::size_t i = 0; i < 200; ++i) {
    const auto [prompt, target, ids] = task->sample(40, Rng(i));
    EXPECT_EQ(target.size(), 3u);
    std::map<std::string, int> uses;
    for (const int token : prompt) ++uses[task->word(token)];
    EXPECT_EQ(uses["="], 9);
    EXPECT_EQ(uses[task->word(prompt.back())], 2);  // assigned once, asked for once
  }
}

TEST(VarTrack, ChanceIsAGuessAmongTheNames) {
  const auto task = task_with("var_track", {{"chains", "2"}});
  expect_chance(*task, 50, [&](const Example& example, Rng& rng) {
    std::vector<int> names;
    for (std::size_t row = 1; row < example.scored.front(); ++row)
      if (task->word(example.tokens[row]) == "=") names.push_back(example.tokens[row - 1]);
    return names[rng.below(names.size())];
  });
}

TEST(VarTrack, CountsItsInputs) {
  EXPECT_EQ(task_with("var_track", {{"hops", "0"}})->space(5), 64 * 64 * 2);  // one word before or behind
}

TEST(VarTrack, RefusesWhatHasNoRoom) {
  expect_input_error([] { task_with("var_track")->check_length(15); }, {"var_track", "length 15", "start at 16"});
  expect_input_error(
      [] {
        task_with("var_track", {{"chains", "13"}})->check_length(200);
      },
      {"65", "var_track.symbols = 128", "at least 130"});
}

}  // namespace
}  // namespace lengthwise
