#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Passkey, KeepsTheContract) {
  expect_task_contract("passkey", {}, {8, 9, 40, 100});
  expect_task_contract("passkey", {{"depth", "30"}}, {8, 40, 100});
  expect_task_contract("passkey", {{"key", "integer"}}, {8, 40, 100});
}

TEST(Passkey, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("passkey"), "w0 w1 KEY 4 1 0 7 7 w2 w3 KEY"), "4 1 0 7 7");
}

TEST(Passkey, HidesTheKeyAtItsDepth) {
  const auto prompt = [](const char* depth) {
    const auto task = prompt_task("passkey", {{"depth", depth}, {"digits", "1"}, {"filler", "3"}});
    return words(*task, task->sample(7, Rng(3)).prompt);
  };
  EXPECT_THAT(prompt("0"), testing::MatchesRegex("KEY [0-9] w0 w1 w2 w0 KEY"));
  EXPECT_THAT(prompt("50"), testing::MatchesRegex("w0 w1 KEY [0-9] w2 w0 KEY"));
  EXPECT_THAT(prompt("100"), testing::MatchesRegex("w0 w1 w2 w0 KEY [0-9] KEY"));
}

// Four filler words leave five places.
TEST(Passkey, HidesTheKeyAnywhere) {
  const auto task = prompt_task("passkey", {{"digits", "1"}});
  const int key = tokens(*task, "KEY")[0];
  std::map<std::ptrdiff_t, double> places;
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::vector<int> prompt = task->sample(7, Rng(i)).prompt;
    ++places[std::find(prompt.begin(), prompt.end(), key) - prompt.begin()];
  }
  EXPECT_EQ(places.size(), 5u);
  for (const auto& [place, count] : places) EXPECT_NEAR(count, 200, 5 * std::sqrt(200 * 0.8)) << place;
}

// 1 .. 50 for two digits: 50 keys, each as often, in a prompt of the same length.
TEST(Passkey, TheKeyMayBeAnInteger) {
  const auto task = prompt_task("passkey", {{"key", "integer"}, {"digits", "2"}});
  std::map<std::string, double> keys;
  for (std::size_t i = 0; i < 5000; ++i) {
    const auto sample = task->sample(9, Rng(i));
    EXPECT_EQ(sample.prompt.size(), 9u);
    ++keys[words(*task, sample.target)];
  }
  EXPECT_EQ(keys.size(), 50u);
  for (const char* key : {"1", "9", "1 0", "5 0"}) EXPECT_NEAR(keys[key], 100, 50) << key;
  EXPECT_EQ(keys.count("0"), 0u);
  EXPECT_EQ(solved(*prompt_task("passkey", {{"key", "integer"}}), "w0 w1 KEY 4 1 0 w2 w3 KEY"), "4 1 0");
}

TEST(Passkey, CountsItsInputs) {
  EXPECT_EQ(task_with("passkey", {{"digits", "1"}})->space(7), 50);
  EXPECT_EQ(task_with("passkey", {{"digits", "1"}, {"depth", "0"}})->space(7), 10);
  EXPECT_EQ(task_with("passkey", {{"key", "integer"}, {"depth", "0"}})->space(7), 50000);
  EXPECT_EQ(task_with("passkey", {{"key", "integer"}, {"digits", "2"}})->space(7), 9 * 5 + 41 * 4);
}

TEST(Passkey, ChanceIsAGuessOfADigit) {
  for (const char* key : {"digits", "integer"})
    for (const std::size_t n : {7, 100}) expect_chance(*task_with("passkey", {{"key", key}}), n, guess_symbol(10));
}

TEST(Passkey, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("passkey")->check_length(6); }, {"length 6", "passkey.digits is 5", "start at 7"});
  for (const char* depth : {"-2", "101"})
    expect_input_error([&] { task_with("passkey", {{"depth", depth}}); }, {"depth", depth, "100"});
  expect_input_error([] { task_with("passkey", {{"key", "integer"}, {"digits", "19"}}); }, {"digits is 19", "18"});
}

}  // namespace
}  // namespace lengthwise
