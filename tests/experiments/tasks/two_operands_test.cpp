// What add_dec and sub_dec have in common: digit counts, zero padding, columns that carry or borrow, and a count of the
// inputs.
#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

const char* const orders[] = {"plain", "rev_out", "rev_all"};
const char* const laws[] = {"any", "none", "hard"};
const char* const samplings[] = {"uniform_digits", "exact", "bucket_grid", "partially_uniform"};

/// A sample as a person would check it, from the words alone; most significant digit first, a minus in front.
struct Equation {
  std::string a, b, answer;
};

class TwoOperands : public testing::TestWithParam<const char*> {
 protected:
  std::string name() const { return GetParam(); }
  char sign() const { return name() == "add_dec" ? '+' : '-'; }

  Equation draw(const PromptTask& task, std::size_t n, std::size_t i, const std::string& order = "plain") const {
    const auto sample = task.sample(n, Rng(i));
    std::string prompt, answer;
    for (const int token : sample.prompt) prompt += task.word(token);
    for (const int token : sample.target) answer += task.word(token);
    Equation drawn{prompt.substr(0, prompt.find(sign())), prompt.substr(prompt.find(sign()) + 1), answer};
    if (order == "rev_all")
      for (std::string* operand : {&drawn.a, &drawn.b}) std::ranges::reverse(*operand);
    if (order != "plain") std::ranges::reverse(drawn.answer);
    return drawn;
  }
  void expect_right(const Equation& drawn) const {
    const long long a = std::stoll(drawn.a), b = std::stoll(drawn.b);
    EXPECT_EQ(std::stoll(drawn.answer), sign() == '+' ? a + b : a - b) << drawn.a << sign() << drawn.b;
  }

  /// By the written method, the smaller number below the larger.
  bool obeys(const std::string& law, std::string above, std::string below, int base = 10) const {
    if (std::pair(above.size(), above) < std::pair(below.size(), below)) std::swap(above, below);
    bool carry = false;
    for (std::size_t place = 0; place < above.size(); ++place) {
      const int x = above[above.size() - 1 - place] - '0';
      const int y = place < below.size() ? below[below.size() - 1 - place] - '0' : 0;
      const bool itself = sign() == '+' ? x + y >= base : x < y;
      carry = sign() == '+' ? x + y + carry >= base : x - carry < y;
      const bool leading = place + 1 == above.size(), owes = sign() == '-' && leading;  // no one to borrow from
      if (law == "none" && carry) return false;
      if (law == "hard" && (carry == owes || itself != (place == 0 && !owes))) return false;
    }
    return true;
  }
};

INSTANTIATE_TEST_SUITE_P(Tasks, TwoOperands, testing::Values("add_dec", "sub_dec"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(TwoOperands, KeepTheContract) {
  expect_task_contract(name(), {}, {1, 2, 3, 5, 10});
  for (const char* order : orders)
    for (const char* pad : {"none", "zero"})
      expect_task_contract(name(), {{"order", order}, {"pad", pad}, {"sampling", "exact"}}, {1, 2, 3, 30});
}

TEST_P(TwoOperands, KeepTheContractWithHintsBlanksAndCarries) {
  expect_task_contract(name(), {{"base", "12"}, {"space_p", "0.85"}, {"hints", "9"}, {"sampling", "exact"}}, {1, 2, 3});
  expect_task_contract(name(), {{"carry", "hard"}, {"sampling", "bucket_grid"}, {"pad", "zero"}}, {2, 3, 5});
  expect_task_contract(name(), {{"carry", "none"}, {"sampling", "partially_uniform"}}, {2, 3, 5});
}

TEST_P(TwoOperands, AreRightWithoutLeadingZerosOrPaddedOnTheSignificantSide) {
  for (const std::string order : orders)
    for (const std::string pad : {"none", "zero"}) {
      const auto task = prompt_task(name(), {{"order", order}, {"pad", pad}});
      for (std::size_t i = 0; i < 1000; ++i) {
        const std::size_t n = 1 + i % 17;
        const Equation drawn = draw(*task, n, i, order);
        ASSERT_NO_FATAL_FAILURE(expect_right(drawn));
        ASSERT_EQ(std::max(drawn.a.size(), drawn.b.size()), n);
        const std::string answer = drawn.answer.substr(drawn.answer[0] == '-');
        if (pad == "zero") {
          ASSERT_TRUE(drawn.a.size() == n && drawn.b.size() == n) << drawn.a << sign() << drawn.b;
          ASSERT_EQ(answer.size(), n + (sign() == '+')) << answer;
        } else {
          for (const std::string& number : {drawn.a, drawn.b, answer})
            ASSERT_TRUE(number.size() == 1 || number[0] != '0') << number;
        }
      }
    }
}

// The cells of digit counts of each sampling, all with the same probability.
TEST_P(TwoOperands, DrawEveryCellAlike) {
  const std::map<std::string, std::size_t> cells_of_4{
      {"uniform_digits", 7}, {"exact", 1}, {"bucket_grid", 16}, {"partially_uniform", 4}};
  for (const auto& [sampling, count] : cells_of_4) {
    const auto task = prompt_task(name(), {{"sampling", sampling}});
    std::map<std::pair<std::size_t, std::size_t>, double> cells;
    for (std::size_t i = 0; i < 200 * count; ++i) {
      const Equation drawn = draw(*task, 4, i);
      const std::size_t a = drawn.a.size(), b = drawn.b.size();
      ++cells[{a, b}];
      EXPECT_TRUE(sampling != "bucket_grid" || (drawn.a != "0" && drawn.b != "0"));
      EXPECT_TRUE(sampling != "uniform_digits" || std::max(a, b) == 4);
      EXPECT_TRUE(sampling != "partially_uniform" || a == 4);
      EXPECT_TRUE(sampling != "exact" || (a == 4 && b == 4));
    }
    EXPECT_EQ(cells.size(), count);
    for (const auto& [cell, seen] : cells) EXPECT_NEAR(seen, 200, 5 * std::sqrt(200)) << sampling;
  }
}

TEST_P(TwoOperands, CarryNowhereOrAllTheWay) {
  for (const char* sampling : samplings)
    for (const std::string law : {"none", "hard"}) {
      const auto task = prompt_task(name(), {{"carry", law}, {"sampling", sampling}});
      for (std::size_t i = 0; i < 400; ++i) {
        const Equation drawn = draw(*task, 1 + i % 12, i);
        ASSERT_TRUE(obeys(law, drawn.a, drawn.b)) << law << ' ' << drawn.a << sign() << drawn.b;
        expect_right(drawn);
      }
    }
}

// Base 3, two digits each: 3 .. 8.
TEST_P(TwoOperands, AreUniformOverWhatALawAllows) {
  const auto text = [](int number) { return join(number / 3, number % 3); };
  for (const std::string law : laws) {
    std::map<std::pair<std::string, std::string>, double> pairs;
    for (int a = 3; a < 9; ++a)
      for (int b = 3; b < 9; ++b)
        if (obeys(law, text(a), text(b), 3)) pairs[{text(a), text(b)}] = 0;
    const auto task = prompt_task(name(), {{"carry", law}, {"sampling", "exact"}, {"base", "3"}});
    const std::size_t allowed = pairs.size();
    EXPECT_EQ(task->space(2), allowed);
    for (std::size_t i = 0; i < 400 * allowed; ++i) {
      const Equation drawn = draw(*task, 2, i);
      ++pairs[{drawn.a, drawn.b}];
    }
    EXPECT_EQ(pairs.size(), allowed) << law;
    for (const auto& [pair, seen] : pairs)
      EXPECT_NEAR(seen, 400, 5 * std::sqrt(400)) << law << ' ' << pair.first << ' ' << pair.second;
  }
}

TEST_P(TwoOperands, CountTheInputsOfEveryLaw) {
  for (const std::string law : laws) {
    std::map<std::string, double> inputs;  // of length 2
    for (int a = 0; a < 100; ++a)
      for (int b = 0; b < 100; ++b) {
        const std::size_t first = std::to_string(a).size(), second = std::to_string(b).size();
        if (!obeys(law, std::to_string(a), std::to_string(b))) continue;
        if (std::max(first, second) == 2) ++inputs["uniform_digits"];
        if (first == 2 && second == 2) ++inputs["exact"];
        if (first == 2) ++inputs["partially_uniform"];
        if (a > 0 && b > 0) ++inputs["bucket_grid"];
        if (first == 2 && second == 1) ++inputs["one digit"];
      }
    for (const char* sampling : samplings)
      EXPECT_NEAR(*task_with(name(), {{"carry", law}, {"sampling", sampling}})->space(2), inputs[sampling], 1e-6)
          << law << ' ' << sampling;
    EXPECT_NEAR(*task_with(name(), {{"carry", law}, {"second_digits", "1"}})->space(2), inputs["one digit"], 1e-6)
        << law;
  }
}

// 9 . . 9 x + y and z 0 . . 0 x - y, however long: pairs that training and evaluation must not share.
TEST_P(TwoOperands, KnowHowFewALongChainLeaves) {
  const auto task = task_with(name(), {{"carry", "hard"}, {"second_digits", "1"}});
  EXPECT_NEAR(*task->space(40), sign() == '+' ? 45 : 9 * 45, 1e-6);
}

TEST_P(TwoOperands, HaveASecondOperandOfAnyDigits) {
  for (const std::size_t second : {1, 3})
    for (const char* pad : {"none", "zero"})
      for (const char* law : laws) {
        const Values values{{"second_digits", join(second)}, {"pad", pad}, {"carry", law}, {"sampling", "bucket_grid"}};
        const auto task = prompt_task(name(), values);
        // Nothing but the pairs of the largest digits makes the longest answer.
        expect_prompts_and_answers(*task, {Stream::train, {1, 2, 3, 6}, 60}, 0);
        for (std::size_t n = 1; n < 7; ++n) {
          const Equation drawn = draw(*task, n, n);
          const std::size_t width = std::max(n, second);
          EXPECT_EQ(drawn.a.size(), pad == std::string("zero") ? width : n);
          EXPECT_EQ(drawn.b.size(), pad == std::string("zero") ? width : second);
        }
      }
}

TEST_P(TwoOperands, OptionsThatCameLaterLeaveTheDefinitionAlone) {
  TaskInfo first = tasks().at(name());
  std::erase_if(first.section.options, [&](const OptionSpec& option) { return first.later.count(option.name) > 0; });
  EXPECT_EQ(first.section.options.size(), name() == "add_dec" ? 3u : 6u);
  EXPECT_EQ(definition_hash(name(), Options(tasks().at(name()).section)),
            definition_hash(first, Options(first.section)));
}

TEST_P(TwoOperands, RefuseWhatTheyHaveNot) {
  expect_input_error([&] { task_with(name())->check_length(0); }, {name(), "0", "starts at 1"});
  expect_input_error([&] { task_with(name(), {{"order", "reversed"}}); }, {"order", "reversed", "rev_out"});
  expect_input_error([&] { task_with(name(), {{"pad", "left"}}); }, {"pad", "left", "zero"});
  expect_input_error([&] { task_with(name(), {{"sampling", "even"}}); }, {"sampling", "even", "bucket_grid"});
  expect_input_error([&] { task_with(name(), {{"second_digits", "-1"}}); }, {"second_digits", "-1"});
  expect_input_error([&] { task_with(name(), {{"base", "2"}, {"carry", "hard"}}); }, {"carry", "hard", "base to 3"});
  expect_input_error([&] { task_with(name(), {{"base", "1"}}); }, {"base", "1", "2"});
  expect_input_error([&] { task_with(name(), {{"space_p", "1"}}); }, {"space_p", "1"});
  const auto hinted = task_with(name(), {{"hints", "4"}, {"second_digits", "8"}});
  expect_input_error([&] { hinted->check_length(2); }, {name(), "length 2", "digits", "hints is 4"});
}

}  // namespace
}  // namespace lengthwise
