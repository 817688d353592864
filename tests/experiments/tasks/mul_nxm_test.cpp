#include "experiments/tasks/digits.h"
#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(MulNxM, KeepsTheContract) {
  expect_task_contract("mul_nxm", {}, {1, 2, 10});
  expect_task_contract("mul_nxm", {{"base", "2"}, {"m", "1"}, {"scratch_pad", "true"}}, {1, 2, 5});
  expect_task_contract("mul_nxm", {{"sampling", "bucket_grid"}, {"pad", "zero"}, {"scratch_pad", "true"}}, {1, 2, 5});
  expect_task_contract("mul_nxm", {{"sampling", "partially_uniform"}}, {1, 2, 5});
}

TEST(MulNxM, AnswersByHand) {
  const auto answer = [](Values values, const char* prompt) {
    const auto task = prompt_task("mul_nxm", values);
    return words(*task, dynamic_cast<const DigitTask&>(*task).solve_by_steps(tokens(*task, prompt)));
  };
  EXPECT_EQ(answer({}, "3 7 * 2 5"), "9 2 5");
  EXPECT_EQ(answer({{"order", "rev_all"}}, "7 3 * 5 2"), "5 2 9");
  EXPECT_EQ(answer({{"pad", "zero"}}, "1 2 * 1 0"), "0 1 2 0");
  EXPECT_EQ(answer({{"scratch_pad", "true"}}, "3 7 * 2 5"), "1 8 5 + 7 4 = 1 8 5 > 9 2 5");
  EXPECT_EQ(answer({{"scratch_pad", "true"}, {"m", "3"}}, "3 7 * 1 0 5"), "1 8 5 + 0 + 3 7 = 1 8 5 > 1 8 5 > 3 8 8 5");
  EXPECT_EQ(answer({{"scratch_pad", "true"}, {"pad", "zero"}, {"order", "rev_out"}}, "9 9 * 1 1"),
            "9 9 0 + 9 9 0 = 9 9 0 0 > 9 8 0 1");
  EXPECT_EQ(answer({{"base", "2"}, {"m", "3"}}, "1 1 * 1 0 1"), "1 1 1 1");
}

TEST(MulNxM, KeepsThePadApart) {
  EXPECT_EQ(solved(*prompt_task("mul_nxm", {{"scratch_pad", "true"}}), "3 7 * 2 5"), "9 2 5");
  const auto task = prompt_task("mul_nxm", {{"scratch_pad", "true"}, {"m", "1"}});
  EXPECT_EQ(solved(*task, "3 7 * 5"), "1 8 5");
  EXPECT_EQ(task->pad_tokens(tokens(*task, "1 8 5 = 1 8 5")), 4u);
}

TEST(MulNxM, IsRightHoweverItIsWritten) {
  for (const char* order : {"plain", "rev_out", "rev_all"})
    for (const char* pad : {"none", "zero"}) {
      const auto task = prompt_task(
          "mul_nxm", {{"order", order}, {"pad", pad}, {"m", "6"}, {"hints", "60"}, {"scratch_pad", "true"}});
      for (std::size_t i = 0; i < 100; ++i) {
        const auto [prompt, target, ids] = task->sample(1 + i % 40, Rng(i));
        ASSERT_EQ(words(*task, target), words(*task, dynamic_cast<const DigitTask&>(*task).solve_by_steps(prompt)));
        ASSERT_LE(target.size(), task->target_tokens(1 + i % 40));
      }
    }
}

TEST(MulNxM, ProductsAreRight) {
  for (const char* m : {"1", "2", "9"}) {
    const auto task = prompt_task("mul_nxm", {{"m", m}});
    for (std::size_t i = 0; i < 300; ++i) {
      const std::size_t n = 1 + i % 9;
      const auto [prompt, target, ids] = task->sample(n, Rng(i));
      std::string text, product;
      for (const int token : prompt) text += task->word(token);
      for (const int token : target) product += task->word(token);
      const std::string a = text.substr(0, text.find('*')), b = text.substr(text.find('*') + 1);
      ASSERT_EQ(std::to_string(std::stoull(a) * std::stoull(b)), product) << text;
      ASSERT_EQ(a.size(), n);
      ASSERT_EQ(std::to_string(b.size()), m);
    }
  }
}

// BOS a * b b SEP, products of two digits, sums of three
TEST(MulNxM, GivesIdsOfTwoAxes) {
  const Draw draw = make_draw(0, Stream::train, "mul_nxm", 1, 0);
  const Values steps{{"scratch_pad", "true"}, {"pad", "zero"}, {"order", "rev_all"}};
  const auto ids = prompt_task("mul_nxm", steps)->example(1, draw).ids;
  EXPECT_EQ(ids.at("coupled"), (std::vector<double>{0, 2, 1, 0, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(ids.at("operand"), (std::vector<double>{0, 0, 0, 1, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2}));
  const auto plain = prompt_task("mul_nxm", {{"pad", "zero"}})->example(1, draw).ids;
  EXPECT_EQ(plain.at("coupled"), (std::vector<double>{0, 2, 1, 3, 2, 1, 4, 3, 2}));
  EXPECT_EQ(plain.at("digit"), (std::vector<double>{0, 1, 0, 2, 1, 0, 3, 2, 1}));
}

TEST(MulNxM, CountsItsInputs) {
  EXPECT_NEAR(*task_with("mul_nxm")->space(1), 10 * 90, 1e-9);
  EXPECT_NEAR(*task_with("mul_nxm", {{"sampling", "partially_uniform"}})->space(1), 10 * 100, 1e-9);
  EXPECT_NEAR(*task_with("mul_nxm", {{"sampling", "bucket_grid"}})->space(2), 99 * 99, 1e-9);
}

TEST(MulNxM, DrawsEveryCellAlike) {
  for (const std::string sampling : {"exact", "partially_uniform", "bucket_grid"}) {
    const auto task = prompt_task("mul_nxm", {{"sampling", sampling}, {"m", "3"}});
    std::map<std::pair<std::size_t, std::size_t>, double> cells;
    for (std::size_t i = 0; i < 2400; ++i) {
      const std::string prompt = words(*task, task->sample(4, Rng(i)).prompt);
      const std::size_t sign = prompt.find('*');
      ++cells[{sign / 2, (prompt.size() - sign) / 2}];
      EXPECT_TRUE(sampling != "bucket_grid" || (prompt[0] != '0' && prompt[sign + 2] != '0')) << prompt;
    }
    const std::size_t count = sampling == "exact" ? 1 : sampling == "bucket_grid" ? 12 : 3;
    ASSERT_EQ(cells.size(), count);
    const double expected = 2400. / static_cast<double>(count);
    for (const auto& [cell, seen] : cells) {
      EXPECT_NEAR(seen, expected, 5 * std::sqrt(expected));
      EXPECT_TRUE(sampling == "bucket_grid" || cell.first == 4);
      EXPECT_LE(cell.second, 3u);
    }
  }
}

TEST(MulNxM, ChanceIsAGuessOfTheDigits) { expect_chance(*task_with("mul_nxm"), 9, guess_symbol(10)); }

TEST(MulNxM, RefusesNoDigits) {
  expect_input_error([] { task_with("mul_nxm", {{"m", "0"}}); }, {"m", "0", "1"});
  expect_input_error(
      [] {
        task_with("mul_nxm", {{"hints", "4"}})->check_length(3);
      },
      {"5 digits", "mul_nxm.hints is 4"});
}

}  // namespace
}  // namespace lengthwise
