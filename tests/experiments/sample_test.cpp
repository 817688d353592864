#include "experiments/sample.h"

#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(ShowExample, PutsTargetsAndIdsUnderTheirRows) {
  const auto task = task_with("add_dec");
  Example example;
  example.tokens = tokens(*task, "BOS 3 7 + 8 SEP 4 5");
  example.scored = {5, 6, 7};
  example.targets = tokens(*task, "4 5 EOS");
  example.answer = 2;
  example.ids["digit"] = {0, 2, 1, 0, 1, 0, 2, 1};
  EXPECT_EQ(show_example(*task, example),
            "8 tokens, 3 scored\n"
            "input   BOS  3  7  +  8  SEP  4    5\n"
            "target                     4  5  EOS\n"
            "digit     0  2  1  0  1    0  2    1\n");
}

TEST(ShowExample, StacksTheMembersOfASet) {
  const auto task = task_with("copy_repeat");
  Example example{.tokens = tokens(*task, "BOS a b"), .scored = {1, 2}};
  example.target_sets = {std::uint64_t{1} << EOS | 1u << first_symbol, std::uint64_t{1} << (first_symbol + 1)};
  EXPECT_EQ(show_example(*task, example),
            "3 tokens, 2 scored\n"
            "input   BOS    a  b\n"
            "target       EOS  b\n"
            "or             a\n");
}

TEST(ShowExample, TellsWhereRowsBeginToSee) {
  const auto task = task_with("copy_repeat");
  EXPECT_EQ(
      show_example(*task, {.tokens = tokens(*task, "BOS a b"), .first_seen = {0, 0, 1}, .scored = {2}, .targets = {5}}),
      "3 tokens, 1 scored\n"
      "input      BOS  a  b\n"
      "target             a\n"
      "sees from    0  0  1\n");
}

TEST(ShowExample, BreaksLongLines) {
  const auto task = task_with("copy_repeat");
  const std::string shown = show_example(*task, task->example(100, make_draw(0, Stream::train, "copy_repeat", 100, 0)));
  std::istringstream lines(shown);
  std::size_t words = 0, longest = 0;
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, line.size());
    std::istringstream cells(line);
    std::string label;
    cells >> label;
    if (label == "input")
      words += static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(cells), {}));
  }
  EXPECT_EQ(words, 202u);  // BOS, 100 symbols, SEP, 100 symbols
  EXPECT_LE(longest, 100u);
  EXPECT_GT(longest, 90u);
}

TEST(SampleText, ShowsTheExamplesOfAStream) {
  const auto task = task_with("reverse_string");
  const std::string text = sample_text(*task, {3, 5}, 2, 7, Stream::validation);
  EXPECT_THAT(text, testing::StartsWith("reverse_string, length 3\n\n"));
  EXPECT_THAT(text, testing::HasSubstr("reverse_string, length 5\n\n"));
  for (const std::size_t n : {3, 5})
    for (const std::size_t index : {0, 1})
      EXPECT_THAT(text, testing::HasSubstr(show_example(
                            *task, task->example(n, make_draw(7, Stream::validation, "reverse_string", n, index)))));
  EXPECT_NE(text, sample_text(*task, {3, 5}, 2, 8, Stream::validation));
}

TEST(SampleText, RefusesLengthsTheTaskHasNot) {
  expect_input_error([] { sample_text(*task_with("copy_unique"), {257}, 1, 0); }, {"257"});
}

}  // namespace
}  // namespace lengthwise
