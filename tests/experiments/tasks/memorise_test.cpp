#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Memorise, KeepsTheContract) {
  expect_task_contract("memorise", {}, {1, 2, 20, 100});
  expect_task_contract("memorise", {{"symbols", "7"}}, {3, 5});
}

// Every example of every length and stream tells the same facts, and no two keys the same one.
TEST(Memorise, HasOneMap) {
  const auto task = dense_task("memorise", {{"symbols", "20"}});
  std::map<int, int> facts;
  std::set<int> values;
  for (const Stream stream : every_stream)
    for (std::size_t i = 0; i < 100; ++i) {
      const auto [string, labels] = task->pick(1 + i % 9, make_draw(i, stream, "memorise", 1 + i % 9, i));
      for (std::size_t k = 0; k < string.size(); ++k) {
        EXPECT_EQ(facts.emplace(string[k], labels.tokens[k]).first->second, labels.tokens[k]);
        values.insert(labels.tokens[k]);
      }
    }
  EXPECT_EQ(facts.size(), 10u);
  EXPECT_EQ(values.size(), 10u);
  for (const auto& [key, value] : facts) EXPECT_EQ(words(*task, {key, value}).substr(0, 1), "k");
  for (const int value : values) EXPECT_EQ(task->word(value)[0], 'v');
}

TEST(Memorise, ChanceIsAGuessOfAValue) {
  for (const std::size_t n : {1, 30})
    expect_chance(*task_with("memorise"), n,
                  [](const Example&, Rng& rng) { return first_symbol + 128 + static_cast<int>(rng.below(128)); });
}

TEST(Memorise, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("memorise")->check_length(0); }, {"memorise", "starts at 1"});
  expect_input_error([] { task_with("memorise", {{"symbols", "1"}}); }, {"symbols", "1"});
}

}  // namespace
}  // namespace lengthwise
