#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "encodings/registry.h"
#include "experiments/commands.h"

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string printed(int (*command)(const Invocation&), const std::string& argument, bool markdown = false) {
  const Section flags{"list", "", {flag("markdown", false)}};
  testing::internal::CaptureStdout();
  EXPECT_EQ(command({.arguments = {argument}, .flags = Options(flags, {{"markdown", markdown ? "true" : "false"}})}),
            done);
  return testing::internal::GetCapturedStdout();
}

TEST(list, encodings_and_schemes_have_a_line_each) {
  const std::string all = printed(list_command, "encodings");
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(all, '\n')), encodings().size() + 1);
  EXPECT_THAT(all, testing::ContainsRegex("rope  .*queries and keys +0 +extrapolate +arXiv:2104.09864"));
  const std::string numbered = printed(list_command, "schemes");
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(numbered, '\n')), schemes().size() + 1);
  EXPECT_THAT(numbered, testing::ContainsRegex("randomized  .*sequence +whole +arXiv:2305.16843"));
}

TEST(list, markdown_is_for_encodings) {
  EXPECT_THROW(printed(list_command, "tasks", true), InputError);
  testing::internal::GetCapturedStdout();
}

TEST(list, readme_has_the_table_of_encodings) {
  std::stringstream readme;
  readme << std::ifstream(SOURCE_DIR "/README.md").rdbuf();
  EXPECT_THAT(readme.str(), HasSubstr("\n" + printed(list_command, "encodings", true) + "\n"))
      << "replace the table by the output of `lengthwise list encodings --markdown`";
}

TEST(list, every_encoding_says_what_it_was_verified_against) {
  for (const auto& [name, info] : encodings()) EXPECT_NE(info.verified, "") << name;
}

TEST(describe, an_encoding_is_declared_and_measured) {
  EXPECT_THAT(printed(describe_command, "kerple"),
              AllOf(HasSubstr("arXiv:2205.09921"), HasSubstr("chijames/KERPLE"), HasSubstr("Options in [kerple]"),
                    HasSubstr("Measured, with default options")));
}

TEST(describe, options_say_whether_evaluate_may_change_them) {
  EXPECT_THAT(printed(describe_command, "vit_learned"),
              AllOf(testing::ContainsRegex("kernel .*size \\(evaluate may change it\\)"),
                    testing::ContainsRegex("prefix .*no place in it\n")));
}

TEST(describe, a_task_says_what_its_examples_show) {
  EXPECT_THAT(printed(describe_command, "group_word"),
              AllOf(HasSubstr("the first factor acts first"), HasSubstr("read      BOS x;"),
                    HasSubstr("lengthwise sample group_word --length 8")));
  EXPECT_THAT(
      printed(describe_command, "add_dec"),
      AllOf(HasSubstr("BOS p SEP y, after which EOS is right; a bidirectional model reads p and an ANS"),
            HasSubstr("chance    0.1 of a token"),
            HasSubstr("digit (abacus, abacus_ids), coupled (coupled, coupled_ids), operand (coupled_operand)")));
  EXPECT_THAT(printed(describe_command, "mines"), HasSubstr("reads p alone, each token labelled"));
}

TEST(describe, a_scheme_shows_what_it_does) {
  EXPECT_THAT(printed(describe_command, "interpolated"),
              AllOf(HasSubstr("real numbers, growing"), HasSubstr("sequence 0, 1, 2, 3\n"),
                    HasSubstr("sequence 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5\n")));
  EXPECT_THAT(printed(describe_command, "abacus_ids"),
              AllOf(HasSubstr("ids of digit"), HasSubstr("digit 0, 1, 2, 3, 0, 1, 2, 3\n")));
  for (const auto& [name, info] : schemes()) EXPECT_THAT(printed(describe_command, name), HasSubstr("8 tokens later"));
}

}  // namespace
}  // namespace lengthwise
