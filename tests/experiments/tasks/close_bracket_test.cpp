#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(CloseBracket, KeepsTheContract) {
  expect_task_contract("close_bracket", {}, {1, 2, 3, 10, 40});
  expect_task_contract("close_bracket", {{"pairs", "2"}}, {4, 5, 80});
}

TEST(CloseBracket, AnswersByHand) {
  const auto task = prompt_task("close_bracket");
  EXPECT_EQ(solved(*task, "[ ( ( ) ("), ")");
  EXPECT_EQ(solved(*task, "[ ( < > )"), "]");
  EXPECT_EQ(solved(*task, "{"), "}");
}

// n = 2: two open ones, 16 strings; n = 3: ((( has 64, (() has 16, ()( has 16.
TEST(CloseBracket, CountsItsInputs) {
  const auto task = task_with("close_bracket");
  EXPECT_EQ(task->space(1), 4);
  EXPECT_EQ(task->space(2), 16);
  EXPECT_EQ(task->space(3), 96);
}

// The partner must not always be near.
TEST(CloseBracket, AsksFarBackToo) {
  const auto task = prompt_task("close_bracket");
  double near = 0, far = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto prompt = task->pick(60, make_draw(0, Stream::train, task->name(), 60, i)).prompt;
    std::size_t place = prompt.size();
    for (int open = 0; open <= 0;) open += (prompt[--place] - first_symbol) % 2 == 0 ? 1 : -1;
    near += place == 59;
    far += place < 30;
  }
  EXPECT_GT(near, 400);
  EXPECT_GT(far, 50);
}

TEST(CloseBracket, ChanceIsAGuessOfAKind) {
  for (const std::size_t n : {1, 20})
    expect_chance(*task_with("close_bracket"), n,
                  [](const Example&, Rng& rng) { return first_symbol + 1 + 2 * static_cast<int>(rng.below(4)); });
}

TEST(CloseBracket, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("close_bracket")->check_length(0); }, {"close_bracket", "starts at 1"});
  for (const char* pairs : {"0", "30"})
    expect_input_error([&] { task_with("close_bracket", {{"pairs", pairs}}); }, {"pairs", pairs, "from 1 to 29"});
}

}  // namespace
}  // namespace lengthwise
