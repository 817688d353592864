#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(CopyRepeat, KeepsTheContract) {
  expect_task_contract("copy_repeat", {}, {1, 2, 3, 7, 12, 40, 80});
  expect_task_contract("copy_repeat", {{"symbols", "100"}}, {1, 2, 5, 80});
}

TEST(CopyRepeat, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("copy_repeat"), "a b b a"), "a b b a");
  EXPECT_EQ(solved(*prompt_task("copy_repeat", {{"symbols", "30"}}), "29 0 29"), "29 0 29");
}

TEST(CopyRepeat, IsNeverTruncated) {
  const auto task = prompt_task("copy_repeat");
  for (const std::size_t n : {1, 50, 80, 5000}) {
    const auto [prompt, target, ids] = task->pick(n, make_draw(0, Stream::evaluation, task->name(), n, 0));
    EXPECT_EQ(prompt.size(), n);
    EXPECT_EQ(target, prompt);
  }
}

// BOS, three symbols, SEP, their copies: each row asks for the symbol of the next id.
TEST(CopyRepeat, CouplesASymbolWithItsCopy) {
  const std::vector<double> ids{0, 2, 3, 4, 1, 2, 3, 4};
  for (const char* name : {"copy_repeat", "copy_unique"})
    EXPECT_EQ(task_with(name)->example(3, make_draw(0, Stream::train, name, 3, 0)).ids.at("coupled"), ids);
  const Example hinted = task_with("copy_repeat", {{"hints", "3"}})->example(3, make_draw(0, Stream::train, "", 3, 0));
  EXPECT_EQ(hinted.ids.at("coupled"), (std::vector<double>{0, 2, 2, 3, 3, 4, 4, 1, 2, 2, 3, 3, 4, 4}));
}

TEST(CopyRepeat, DrawsEverySymbolAlike) {
  const auto task = prompt_task("copy_repeat", {{"symbols", "5"}});
  std::map<int, double> uses;
  const auto sample = task->pick(20000, make_draw(0, Stream::train, task->name(), 20000, 0));
  for (const int token : sample.prompt) ++uses[token];
  ASSERT_EQ(uses.size(), 5u);
  for (const auto& [token, count] : uses) EXPECT_NEAR(count, 4000, 5 * std::sqrt(20000 * 0.2 * 0.8)) << token;
}

TEST(CopyRepeat, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 30}) {
    expect_chance(*task_with("copy_repeat"), n, guess_symbol(2));
    expect_chance(*task_with("copy_repeat", {{"symbols", "7"}}), n, guess_symbol(7));
  }
}

TEST(CopyRepeat, RefusesAnEmptyAlphabet) {
  for (const char* symbols : {"0", "-1"})
    expect_input_error([&] { task_with("copy_repeat", {{"symbols", symbols}}); }, {"symbols", symbols});
}

}  // namespace
}  // namespace lengthwise
