#include <gmock/gmock.h>

#include <iostream>

#include "encodings/registry.h"
#include "experiments/commands.h"

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Section flags{"check", "", {flag("verbose", false)}};

int check(const std::string& name, bool verbose = false) {
  return check_command({.arguments = {name}, .flags = Options(flags, {{"verbose", verbose ? "true" : "false"}})});
}

TEST(check, a_line_a_check_or_a_line_a_combination) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(check("alibi"), done);
  const std::string brief = testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::ranges::count(brief, '\n'), 9);
  EXPECT_THAT(brief, AllOf(HasSubstr("alibi  gradients  ok"), HasSubstr("causality"), Not(HasSubstr("FAILED")),
                           Not(HasSubstr("sequential"))));

  testing::internal::CaptureStdout();
  EXPECT_EQ(check("alibi", true), done);
  const std::string every = testing::internal::GetCapturedStdout();
  EXPECT_THAT(every, AllOf(HasSubstr("alibi, sequential, causal"),
                           HasSubstr("alibi (learned_slopes = true), sequential, bidirectional"), HasSubstr("worst:")));
  EXPECT_GT(std::ranges::count(every, '\n'), 40);
}

TEST(check, unknown_names_are_refused) { EXPECT_THROW(check("alibbi"), InputError); }

// Adds the mean of all tokens to each, and says that it is relative, which is true, and causal, which is not.
template <class T>
class Leaking final : public Encoding<T> {
 public:
  explicit Leaking(const EncodingSetup<T>&) {}
  Variable<T> embed(const Variable<T>& x, const Context& context) const override {
    Array<T> sums = zeros<T>(x.rows(), x.cols());
    for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b)
      for (std::size_t i = context.offsets[b]; i < context.offsets[b + 1]; ++i)
        for (std::size_t j = context.offsets[b]; j < context.offsets[b + 1]; ++j)
          for (std::size_t c = 0; c < x.cols(); ++c) sums(i, c) += x.value()(j, c);
    return record<T>("leaking", std::move(sums), {x}, [](Array<T>&, Sink<T>&) {});  // and its gradient is missing
  }
};

// In a process of its own, since what is registered stays.
TEST(check, a_broken_encoding_fails) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        register_encoding<Leaking>({.section = {"leaking", "", {}}, .relative = true});
        std::cout.rdbuf(std::cerr.rdbuf());
        std::exit(check("leaking"));
      },
      testing::ExitedWithCode(failed),
      "leaking  gradients  FAILED(.|\n)*leaking  tiles      ok(.|\n)*leaking  causality  FAILED(.|\n)*changing token");
}

}  // namespace
}  // namespace lengthwise
