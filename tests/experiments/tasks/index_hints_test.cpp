#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(IndexHints, KeepTheContractOfEveryTaskThatTakesThem) {
  std::vector<std::string> names;
  for (const auto& [name, info] : tasks()) {
    if (!info.hintable) continue;
    names.push_back(name);
    expect_task_contract(name, {{"hints", "70"}}, {10, 11, 30});
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"copy", "copy_repeat", "copy_unique", "reverse_string"}));
}

TEST(IndexHints, NumberTheItemsOfPromptAndAnswer) {
  const auto task = prompt_task("reverse_string", {{"symbols", "3"}, {"hints", "9"}});
  EXPECT_EQ(solved(*task, "#4 a #5 b #6 c"), "#4 c #5 b #6 a");
}

TEST(IndexHints, WrapTheSampleOfTheTask) {
  const auto plain = prompt_task("copy_unique"), hinted = prompt_task("copy_unique", {{"hints", "20"}});
  for (std::size_t i = 0; i < 50; ++i) {
    const std::vector<int> prompt = hinted->sample(6, Rng(i)).prompt;
    std::vector<int> items;
    for (std::size_t t = 0; t < prompt.size(); ++t) {
      if (t % 2 == 1) {
        items.push_back(prompt[t]);
      } else {
        EXPECT_EQ(prompt[t], prompt[0] + static_cast<int>(t / 2));
      }
    }
    EXPECT_EQ(items, plain->sample(6, Rng(i)).prompt);
  }
}

// Length 6 of 20 hints: each of 15 starts with probability 1/15.
TEST(IndexHints, StartAnywhere) {
  const auto task = prompt_task("copy_unique", {{"hints", "20"}});
  std::map<std::string, double> starts;
  for (std::size_t i = 0; i < 3000; ++i) ++starts[task->word(task->sample(6, Rng(i)).prompt[0])];
  EXPECT_EQ(starts.size(), 15u);
  for (const auto& [hint, count] : starts) EXPECT_NEAR(count, 200, 5 * std::sqrt(200 * 14. / 15)) << hint;
}

TEST(IndexHints, CountAsRightInChance) {
  const std::size_t n = 5;
  expect_chance(*task_with("copy_repeat", {{"hints", "30"}}), n,
                [next = 0, hint = 0](const Example& e, Rng& rng) mutable {
                  const int place = next++ % 10;
                  if (place == 0) hint = e.tokens[1];
                  return place % 2 == 0 ? hint + place / 2 : first_symbol + static_cast<int>(rng.below(2));
                });
}

TEST(IndexHints, MustReachTheLength) {
  const auto task = task_with("copy_repeat", {{"hints", "10"}});
  EXPECT_NO_THROW(task->check_length(10));
  expect_input_error([&] { task->check_length(11); },
                     {"copy_repeat", "length 11", "11 items", "copy_repeat.hints is 10"});
  expect_input_error([&] { task->check_length(0); }, {"copy_repeat", "length is 0"});
  expect_input_error(
      [] {
        task_with("copy_unique", {{"symbols", "5"}, {"hints", "10"}})->check_length(6);
      },
      {"length 6", "copy_unique.symbols is 5"});
  expect_input_error([] { task_with("parity", {{"hints", "10"}}); }, {"parity", "hints"});
}

TEST(IndexHints, LeaveTheTaskWithoutThemAsItWas) {
  TaskInfo plain = tasks().at("copy_repeat");
  const Options options(plain.section);
  plain.hintable = false;
  plain.section.options.pop_back();
  EXPECT_EQ(definition_hash("copy_repeat", options), definition_hash(plain, Options(plain.section)));
}

}  // namespace
}  // namespace lengthwise
