#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Compress, KeepsTheContract) {
  expect_task_contract("compress", {}, {1, 2, 3, 10, 40});
  expect_task_contract("compress", {{"symbols", "60"}}, {1, 5, 20});
}

TEST(Compress, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("compress"), "c a o c CODE"), "c a o c");
  EXPECT_EQ(solved(*prompt_task("compress", {{"symbols", "30"}}), "29 0 CODE"), "29 0");
}

// BOS a b CODE SEP a b, and a b CODE ANS ANS: rows behind CODE see none before it.
TEST(Compress, HidesThePromptBehindItsCode) {
  using Rows = std::vector<std::size_t>;
  const auto example = [](Layout layout) {
    return task_with("compress", {}, layout)->example(2, make_draw(0, Stream::train, "compress", 2, 0));
  };
  EXPECT_EQ(example(Layout::causal).first_seen, (Rows{0, 0, 0, 0, 3, 3, 3}));
  EXPECT_EQ(example(Layout::encoder).first_seen, (Rows{0, 0, 0, 2, 2}));
}

TEST(Compress, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {1, 30}) expect_chance(*task_with("compress"), n, guess_symbol(15));
}

TEST(Compress, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("compress")->check_length(0); }, {"compress", "starts at 1"});
  expect_input_error([] { task_with("compress", {{"symbols", "0"}}); }, {"symbols", "0"});
  expect_input_error([] { task_with("compress")->read_prompt("a b CODE"); }, {"compress", "--prompt"});
}

}  // namespace
}  // namespace lengthwise
