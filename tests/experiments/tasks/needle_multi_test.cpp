#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(NeedleMulti, KeepsTheContract) {
  expect_task_contract("needle_multi", {{"keys", "3"}, {"values", "2"}, {"queries", "2"}}, {21, 30, 80});
  const auto among_needles = prompt_task("needle_multi", {{"keys", "2"}, {"values", "2"}, {"haystack", "needles"}});
  expect_prompts_and_answers(*among_needles, {Stream::train, {10, 30, 81}, 500});
}

TEST(NeedleMulti, AnswersByHand) {
  const auto answer = [](const char* keys, const char* queries, const char* prompt) {
    return solved(*prompt_task("needle_multi", {{"keys", keys}, {"queries", queries}}), prompt);
  };
  EXPECT_EQ(answer("1", "1", "w0 k3 v7 w1 w2 k3"), "v7");
  EXPECT_EQ(answer("2", "1", "w0 k3 v7 w1 k5 v0 w2 k5"), "v0");
  EXPECT_EQ(answer("1", "1", "w0 k3 v7 w1 k3 v0 w2 k3"), "v7 v0");                 // several values
  EXPECT_EQ(answer("2", "2", "k3 v7 w0 k5 v0 k3 v1 k5 v2 k5 k3"), "v0 v2 v7 v1");  // several queries
}

TEST(NeedleMulti, HasTheNeedlesItIsAskedFor) {
  const auto task = prompt_task("needle_multi", {{"keys", "4"}, {"values", "2"}, {"queries", "3"}});
  for (std::size_t i = 0; i < 100; ++i) {
    const std::vector<int> prompt = task->sample(40, Rng(i)).prompt;
    std::map<char, int> kinds;
    for (const int token : prompt) ++kinds[task->word(token)[0]];
    EXPECT_EQ(kinds, (std::map<char, int>{{'k', 8 + 3}, {'v', 8}, {'w', 40 - 16 - 3}}));
  }
}

TEST(NeedleMulti, CanHideAmongNeedlesAlone) {
  const auto task = prompt_task("needle_multi", {{"haystack", "needles"}});
  for (const std::size_t n : {41, 42}) {
    std::map<std::string, int> uses;
    for (const int token : task->sample(n, Rng(1)).prompt) ++uses[task->word(token)];
    EXPECT_EQ(uses.size(), n - 1);  // only the asked key comes twice
    EXPECT_EQ(uses.count("w0"), n == 42);
  }
}

TEST(NeedleMulti, ChanceIsAGuessAmongTheValues) {
  const Values values{{"keys", "3"}, {"values", "2"}, {"queries", "2"}};
  const auto task = task_with("needle_multi", values);
  expect_chance(*task, 40, [&](const Example& example, Rng& rng) {
    std::vector<int> found;
    for (std::size_t row = 0; row < example.scored.front(); ++row)
      if (task->word(example.tokens[row])[0] == 'v') found.push_back(example.tokens[row]);
    return found[rng.below(found.size())];
  });
}

TEST(NeedleMulti, CountsItsInputs) { EXPECT_EQ(task_with("needle_multi")->space(7), 64 * 64 * 5); }

TEST(NeedleMulti, RefusesWhatItCannotHide) {
  expect_input_error([] { task_with("needle_multi", {{"queries", "2"}}); }, {"queries is 2", "keys is 1"});
  expect_input_error(
      [] {
        task_with("needle_multi", {{"keys", "4"}})->check_length(8);
      },
      {"length 8", "4", "start at 9"});
  expect_input_error(
      [] {
        task_with("needle_multi", {{"keys", "65"}})->check_length(200);
      },
      {"needle_multi.symbols = 128", "65", "at least 130"});
  expect_input_error(
      [] {
        task_with("needle_multi", {{"haystack", "needles"}})->check_length(200);
      },
      {"length 200", "99", "at least 198"});
}

}  // namespace
}  // namespace lengthwise
