#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

// Two bits by two are the first to fill n - 1 bits.
TEST(BinMul, KeepsTheContract) { expect_task_contract("bin_mul", {}, {5, 6, 9, 40, 80}); }

TEST(BinMul, AnswersByHand) {
  const auto task = prompt_task("bin_mul");
  EXPECT_EQ(solved(*task, "1 1 * 1 0 1"), "1 1 1 1 END");  // 3 * 5 = 15
  EXPECT_EQ(solved(*task, "0 1 * 0 1 0"), "0 0 1 END");    // 2 * 2 = 4
  EXPECT_EQ(solved(*task, "1 * 1"), "1 END");
}

TEST(BinMul, FillsShortLengthsAsTheAuthors) {
  expect_task_contract("bin_mul", {{"compat", "peer"}}, {1, 2, 5, 9});
  const auto task = prompt_task("bin_mul", {{"compat", "peer"}});
  EXPECT_EQ(solved(*task, "0"), "END");
  for (const char* number : {"0 0", "1 0", "0 1"}) EXPECT_EQ(solved(*task, number), "0 END");
}

// BOS 1 * 1 SEP 1 END
TEST(BinMul, GivesIdsOfTwoAxes) {
  const auto ids = task_with("bin_mul")->example(3, make_draw(0, Stream::train, "", 3, 0)).ids;
  EXPECT_EQ(ids.at("coupled"), (std::vector<double>{0, 2, 1, 2, 1, 2, 3}));
  EXPECT_EQ(ids.at("operand"), (std::vector<double>{0, 1, 2, 2, 2, 2, 2}));
  EXPECT_EQ(ids.at("digit"), (std::vector<double>{0, 1, 0, 1, 0, 1, 0}));
}

TEST(BinMul, ChanceIsAGuessOfABitOrTheEnd) {
  for (const std::size_t n : {3, 40}) expect_chance(*task_with("bin_mul"), n, guess_symbol(3));
}

TEST(BinMul, RefusesTooShortALength) {
  expect_input_error([] { task_with("bin_mul")->check_length(2); }, {"bin_mul", "2", "starts at 3"});
}

}  // namespace
}  // namespace lengthwise
