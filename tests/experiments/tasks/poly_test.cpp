#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Poly, KeepsTheContract) { expect_task_contract("poly", {}, {1, 2, 3, 8, 16, 40}); }

TEST(Poly, WithAPadKeepsTheContract) {
  for (const char* pad : {"icovr", "ov"}) {
    const auto task = prompt_task("poly", {{"scratchpad", pad}});
    for (const std::size_t n : {1, 5, 16}) expect_prompts_and_answers(*task, {Stream::train, {n}, 100});
  }
}

TEST(Poly, AnswersByHand) {
  const auto task = prompt_task("poly");
  EXPECT_EQ(solved(*task, "x = -2 : 3 x ^ 2 + -1 x ^ 0"), "1");  // 11
  EXPECT_EQ(solved(*task, "x = -2 : 3 x ^ 3"), "6");             // -24
  EXPECT_EQ(solved(*task, "x = 0 : 2 x ^ 0 + 1 x ^ 3"), "2");    // 0^0 is 1
}

TEST(Poly, WritesItsSteps) {
  const auto task = prompt_task("poly", {{"scratchpad", "icovr"}});
  const auto value = [](const std::string& word) { return std::stoi(word); };
  for (std::size_t i = 0; i < 100; ++i) {
    const auto sample = task->sample(2, Rng(i));
    std::istringstream text(words(*task, sample.prompt));
    std::vector<std::string> p(std::istream_iterator<std::string>(text), {});
    ASSERT_EQ(p.size(), 13u);
    std::string expected;
    int sum = 0;
    for (const std::size_t term : {4u, 9u}) {
      int result = value(p[term]);
      for (int power = 0; power < value(p[term + 3]); ++power) result *= value(p[2]);
      sum = ((sum + result) % 10 + 10) % 10;
      const std::string written = p[term] + " x ^ " + p[term + 3];
      expected += ">> " + written + " :: " + p[term] + " * " + p[2] + " ^ " + p[term + 3] +
                  " == " + (result < 0 ? "- " : "+ ") + std::to_string(std::abs(result) / 10) + " " +
                  std::to_string(std::abs(result) % 10) + " [ " + std::to_string(sum) + " ] => " +
                  (term == 4 ? p[9] + " x ^ " + p[12] + " " : "") + "# ";
    }
    EXPECT_EQ(words(*task, sample.target), expected + "ANSWER " + std::to_string(sum));
  }
}

TEST(Poly, ChanceIsAGuessOfADigit) { expect_chance(*task_with("poly"), 20, guess_symbol(10)); }

TEST(Poly, RefusesLengthZero) {
  expect_input_error([] { task_with("poly")->check_length(0); }, {"poly", "0", "starts at 1"});
}

}  // namespace
}  // namespace lengthwise
