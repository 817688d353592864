#include "experiments/tasks/digits.h"
#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(AddK, KeepsTheContract) {
  expect_task_contract("add_k", {}, {1, 2, 3});
  expect_task_contract("add_k", {{"scratch_pad", "true"}, {"pad", "zero"}, {"order", "rev_all"}}, {1, 2, 10});
}

TEST(AddK, AnswersByHand) {
  const auto answer = [](Values values, const char* prompt) {
    const auto task = prompt_task("add_k", values);
    return words(*task, dynamic_cast<const DigitTask&>(*task).solve_by_steps(tokens(*task, prompt)));
  };
  EXPECT_EQ(answer({}, "3 7 + 8 + 1 2"), "5 7");
  EXPECT_EQ(answer({{"order", "rev_all"}}, "7 3 + 8 + 2 1"), "7 5");
  EXPECT_EQ(answer({{"scratch_pad", "true"}}, "3 7 + 8 + 1 2"), "3 7 > 4 5 > 5 7");
  EXPECT_EQ(answer({{"scratch_pad", "true"}, {"order", "rev_out"}}, "9 9 + 0 + 1"), "9 9 > 9 9 > 0 0 1");
  EXPECT_EQ(answer({{"pad", "zero"}}, "3 7 + 0 8 + 1 2"), "0 5 7");
  EXPECT_EQ(answer({{"pad", "zero"}, {"operands", "12"}}, "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1"), "0 1 2");
  EXPECT_EQ(answer({{"pad", "zero"}, {"operands", "11"}}, "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1"), "1 1");
}

TEST(AddK, KeepsThePadApart) {
  const auto task = prompt_task("add_k", {{"scratch_pad", "true"}});
  EXPECT_EQ(solved(*task, "3 7 + 8 + 1 2"), "5 7");
  EXPECT_EQ(task->pad_tokens(tokens(*task, "3 7 > 4 5 > 5 7")), 6u);
  EXPECT_EQ(task->pad_tokens(tokens(*task, "5 7")), 0u);
}

TEST(AddK, IsRightHoweverItIsWritten) {
  for (const char* order : {"plain", "rev_out", "rev_all"})
    for (const char* pad : {"none", "zero"}) {
      const auto task = prompt_task(
          "add_k", {{"order", order}, {"pad", pad}, {"operands", "9"}, {"base", "3"}, {"scratch_pad", "true"}});
      for (std::size_t i = 0; i < 100; ++i) {
        const auto [prompt, target, ids] = task->sample(1 + i % 40, Rng(i));
        ASSERT_EQ(words(*task, target), words(*task, dynamic_cast<const DigitTask&>(*task).solve_by_steps(prompt)));
        ASSERT_LE(target.size(), task->target_tokens(1 + i % 40));
      }
    }
}

TEST(AddK, SumsAreRight) {
  const auto task = prompt_task("add_k", {{"operands", "5"}});
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::size_t n = 1 + i % 18;
    const auto [prompt, target, ids] = task->sample(n, Rng(i));
    std::string text, sum;
    for (const int token : prompt) text += task->word(token);
    for (const int token : target) sum += task->word(token);
    std::istringstream numbers(text);
    unsigned long long expected = 0;
    std::size_t longest = 0;
    for (std::string number; std::getline(numbers, number, '+');) {
      EXPECT_TRUE(number.size() == 1 || number[0] != '0') << number;
      longest = std::max(longest, number.size());
      expected += std::stoull(number);
    }
    ASSERT_EQ(std::to_string(expected), sum) << text;
    ASSERT_EQ(longest, n);
  }
}

TEST(AddK, GivesIdsOfTwoAxes) {
  const Values values{{"scratch_pad", "true"}, {"pad", "zero"}, {"order", "rev_all"}, {"operands", "2"}};
  const auto ids = prompt_task("add_k", values)->example(1, make_draw(0, Stream::train, "add_k", 1, 0)).ids;
  // BOS a + b SEP, two digits > two digits
  EXPECT_EQ(ids.at("coupled"), (std::vector<double>{0, 2, 1, 2, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(ids.at("operand"), (std::vector<double>{0, 1, 2, 2, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(ids.at("digit"), (std::vector<double>{0, 1, 0, 1, 0, 1, 2, 0, 1, 2}));
}

// Three numbers below 100, the longest of two digits.
TEST(AddK, CountsItsInputs) {
  EXPECT_NEAR(*task_with("add_k")->space(1), 1e3, 1e-6);
  EXPECT_NEAR(*task_with("add_k")->space(2), 1e6 - 1e3, 1e-6);
  EXPECT_NEAR(*task_with("add_k", {{"sampling", "exact"}})->space(2), 90 * 90 * 90, 1e-6);
}

TEST(AddK, ChanceIsAGuessOfTheDigits) {
  expect_chance(*task_with("add_k"), 6, guess_symbol(10));
  expect_chance(*task_with("add_k", {{"scratch_pad", "true"}, {"pad", "zero"}}), 6, guess_symbol(10));
}

TEST(AddK, RefusesOneOperand) {
  expect_input_error([] { task_with("add_k", {{"operands", "1"}}); }, {"operands", "1", "2"});
}

}  // namespace
}  // namespace lengthwise
