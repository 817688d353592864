#include "experiments/tasks/digits.h"
#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(AddK, KeepsTheContract) {
  expect_task_contract("add_k", {}, {1, 2, 3});
  expect_task_contract("add_k", {{"scratch_pad", "true"}, {"pad", "zero"}, {"order", "rev_all"}}, {1, 2, 10});
  expect_task_contract("add_k", {{"carry", "hard"}, {"operands", "4"}}, {1, 2, 3});
  expect_task_contract("add_k", {{"carry", "none"}, {"sampling", "bucket_grid"}}, {2, 3});
  expect_task_contract("add_k", {{"sampling", "partially_uniform"}, {"pad", "zero"}}, {1, 2, 3});
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

const char* const samplings[] = {"uniform_digits", "exact", "bucket_grid", "partially_uniform"};

/// In a base up to 10, most significant digit first.
std::string text(int number, int base) {
  const std::string units(1, static_cast<char>('0' + number % base));
  return number < base ? units : text(number / base, base) + units;
}

/// By the written method.
bool obeys(const std::string& law, const std::vector<std::string>& operands, int base) {
  std::size_t longest = 0;
  for (const std::string& number : operands) longest = std::max(longest, number.size());
  for (std::size_t place = 0; place < longest; ++place) {
    int column = 0;
    for (const std::string& number : operands)
      if (place < number.size()) column += number[number.size() - 1 - place] - '0';
    if (law == "none" && column >= base) return false;
    if (law == "hard" && (place == 0 ? column < base : column != base - 1)) return false;
  }
  return true;
}

bool in_law(const std::string& sampling, const std::vector<std::string>& operands, std::size_t n) {
  std::set<std::size_t> sizes;
  for (const std::string& number : operands) {
    if (sampling == "bucket_grid" && number == "0") return false;
    sizes.insert(number.size());
  }
  return sampling == "bucket_grid"         ? *sizes.rbegin() <= n
         : sampling == "uniform_digits"    ? *sizes.rbegin() == n
         : sampling == "partially_uniform" ? operands[0].size() == n && *sizes.rbegin() == n
                                           : *sizes.begin() == n && *sizes.rbegin() == n;
}

std::vector<std::string> operands_of(const PromptTask& task, const std::vector<int>& prompt) {
  std::vector<std::string> operands(1);
  for (const int token : prompt)
    if (task.word(token) == "+")
      operands.emplace_back();
    else
      operands.back() += task.word(token);
  return operands;
}

// Three numbers of up to two digits in base 4: every input that a law allows comes, as often as others of its digit
// counts, and no other.
TEST(AddK, DrawsAndCountsWhatTheLawsAllow) {
  for (const std::string law : {"any", "none", "hard"})
    for (const std::string sampling : samplings) {
      std::map<std::vector<std::size_t>, std::set<std::vector<std::string>>> cells;
      double inputs = 0;
      for (int number = 0; number < 16 * 16 * 16; ++number) {
        const std::vector<std::string> operands{text(number / 256, 4), text(number / 16 % 16, 4), text(number % 16, 4)};
        if (!in_law(sampling, operands, 2) || !obeys(law, operands, 4)) continue;
        cells[{operands[0].size(), operands[1].size(), operands[2].size()}].insert(operands);
        ++inputs;
      }
      const auto task = prompt_task("add_k", {{"carry", law}, {"sampling", sampling}, {"base", "4"}});
      EXPECT_NEAR(*task->space(2), inputs, 1e-6) << law << ' ' << sampling;

      std::map<std::vector<std::string>, double> seen;
      const std::size_t draws = 20000;
      for (std::size_t i = 0; i < draws; ++i) ++seen[operands_of(*task, task->sample(2, Rng(i)).prompt)];
      for (const auto& [counts, tuples] : cells) {
        const double expected = static_cast<double>(draws) / static_cast<double>(cells.size() * tuples.size());
        double in_cell = 0;
        for (const auto& tuple : tuples) {
          in_cell += seen[tuple];
          EXPECT_NEAR(seen[tuple], expected, 2 + 5 * std::sqrt(expected)) << law << ' ' << sampling;
        }
        const double alike = expected * static_cast<double>(tuples.size());
        EXPECT_NEAR(in_cell, alike, 5 * std::sqrt(alike)) << law << ' ' << sampling;
      }
      double allowed = 0;
      for (const auto& [tuple, count] : seen) allowed += in_law(sampling, tuple, 2) && obeys(law, tuple, 4) ? count : 0;
      EXPECT_EQ(allowed, draws) << law << ' ' << sampling;
    }
}

// Nine operands of ten digits each leave a column one way to sum to nine, and a way more to stay below ten.
TEST(AddK, FillsColumnsThatLeaveNoChoice) {
  for (const std::string law : {"none", "hard"}) {
    const auto task = prompt_task("add_k", {{"carry", law}, {"sampling", "exact"}, {"operands", "9"}});
    for (std::size_t i = 0; i < 50; ++i) {
      const auto operands = operands_of(*task, task->sample(10, Rng(i)).prompt);
      ASSERT_TRUE(obeys(law, operands, 10) && in_law("exact", operands, 10));
    }
  }
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

TEST(AddK, RefusesOneOperandAndTooManyForItsCarries) {
  expect_input_error([] { task_with("add_k", {{"operands", "1"}}); }, {"operands", "1", "2"});
  expect_input_error(
      [] {
        task_with("add_k", {{"operands", "10"}, {"carry", "none"}});
      },
      {"add_k.carry is none", "10 operands", "operands below add_k.base"});
}

}  // namespace
}  // namespace lengthwise
