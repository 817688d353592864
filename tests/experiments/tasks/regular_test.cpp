#include <regex>

#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {
namespace {

struct Language {
  const char *name, *expression;
  std::vector<std::size_t> lengths;
  std::size_t enumerated, known;
};

class RegularLanguages : public testing::TestWithParam<Language> {
 protected:
  Values values() const { return {{"language", GetParam().name}}; }
};

// Multiples of four from 8 on have words of every language.
TEST_P(RegularLanguages, KeepTheContract) { expect_task_contract("regular", values(), {8, 12, 32}); }
TEST_P(RegularLanguages, AreTheirLanguages) {
  const std::regex expression(GetParam().expression);
  expect_language(*dense_task("regular", values()), GetParam().enumerated, GetParam().known,
                  [&](const std::string& word) { return std::regex_match(joined(word), expression); });
}
TEST_P(RegularLanguages, AreDrawnUniformly) {
  for (const std::size_t n : GetParam().lengths) expect_uniform_words(*dense_task("regular", values()), n);
}
TEST_P(RegularLanguages, HaveTheirChance) {
  for (const std::size_t n : GetParam().lengths) expect_chance_of_sets(*task_with("regular", values()), n);
}

INSTANTIATE_TEST_SUITE_P(All, RegularLanguages,
                         testing::Values(Language{"aa", "(aa)*", {6}, 12, 9}, Language{"aaaa", "(aaaa)*", {8}, 16, 11},
                                         Language{"abab", "(abab)*", {8}, 12, 7},
                                         Language{"abcde", "aa*bb*cc*dd*ee*", {5, 7}, 7, 2},
                                         Language{"ab_d_bc", "[ab]*d[bc]*", {1, 3}, 7, 5},
                                         Language{"012_02", "[012]*02*", {1, 3}, 8, 6}),
                         [](const auto& one) { return "language_" + std::string(one.param.name); });

TEST(Regular, LabelsByHand) {
  EXPECT_EQ(solved(*dense_task("regular"), "a b d c"), "a|b|d a|b|d EOS|b|c EOS|b|c");
  EXPECT_EQ(solved(*dense_task("regular", {{"language", "abcde"}}), "a a b c d e e"),
            "a|b a|b b|c c|d d|e EOS|e EOS|e");
}

}  // namespace
}  // namespace lengthwise
