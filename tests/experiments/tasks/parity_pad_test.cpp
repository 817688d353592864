#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(ParityPad, KeepsTheContract) {
  for (const char* reversed : {"false", "true"})
    expect_task_contract("parity_pad", {{"reversed", reversed}}, {1, 2, 3, 7, 12, 80});
}

TEST(ParityPad, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("parity_pad"), "1 0 1 1"), "1 1 0 1");
  EXPECT_EQ(solved(*prompt_task("parity_pad", {{"reversed", "true"}}), "1 0 1 1"), "1 0 0 1");
}

TEST(ParityPad, EndsInTheParity) {
  const auto pad = prompt_task("parity_pad"), reversed = prompt_task("parity_pad", {{"reversed", "true"}}),
             parity = prompt_task("parity");
  for (std::size_t i = 0; i < 100; ++i) {
    const auto [prompt, target, ids] = pad->sample(1 + i, Rng(i));
    EXPECT_EQ(target.back(), parity->solve(prompt)[0]);
    EXPECT_EQ(reversed->solve(prompt).back(), target.back());
  }
}

// BOS, three bits, SEP, three parities
TEST(ParityPad, CouplesAParityWithTheBitToCome) {
  const auto ids = [](const char* reversed) {
    return task_with("parity_pad", {{"reversed", reversed}})->example(3, make_draw(0, Stream::train, "", 3, 0)).ids;
  };
  EXPECT_EQ(ids("false").at("coupled"), (std::vector<double>{0, 1, 2, 3, 1, 2, 3, 4}));
  EXPECT_EQ(ids("true").at("coupled"), (std::vector<double>{0, 2, 3, 4, 4, 3, 2, 1}));
}

TEST(ParityPad, ChanceIsACoin) {
  for (const std::size_t n : {1, 41}) expect_chance(*task_with("parity_pad"), n, guess_symbol(2));
}

TEST(ParityPad, RefusesLengthZero) {
  expect_input_error([] { task_with("parity_pad")->check_length(0); }, {"parity_pad", "starts at 1"});
}

}  // namespace
}  // namespace lengthwise
