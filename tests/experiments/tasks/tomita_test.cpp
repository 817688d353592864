#include <regex>

#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {
namespace {

bool is_word(int grammar, const std::string& x) {
  const auto matches = [&](const char* pattern) { return std::regex_match(x, std::regex(pattern)); };
  const auto count = [&](char c) { return std::count(x.begin(), x.end(), c); };
  switch (grammar) {
    case 1:
      return matches("1*");
    case 2:
      return matches("(10)*");
    case 3:
      return !std::regex_search(x, std::regex("(^|0)1(11)*0(00)*(1|$)"));
    case 4:
      return x.find("000") == std::string::npos;
    case 5:
      return count('0') % 2 == 0 && count('1') % 2 == 0;
    case 6:
      return (count('0') - count('1')) % 3 == 0;
    default:
      return matches("0*1*0*1*");
  }
}

class TomitaGrammars : public testing::TestWithParam<int> {
 protected:
  Values values() const { return {{"grammar", std::to_string(GetParam())}}; }
  std::vector<std::size_t> lengths() const {
    return GetParam() == 2 || GetParam() == 5 ? std::vector<std::size_t>{2, 4, 10, 30}
                                              : std::vector<std::size_t>{2, 3, 10, 30};
  }
};

// The option's next value is a language without words of odd length now and then: lengths of both.
TEST_P(TomitaGrammars, KeepTheContract) {
  const bool next_is_even = GetParam() == 1 || GetParam() == 4;
  expect_task_contract("tomita", values(), next_is_even ? std::vector<std::size_t>{2, 4, 10, 30} : lengths());
}
TEST_P(TomitaGrammars, AreTheirLanguages) {
  expect_language(*dense_task("tomita", values()), 9, 5,
                  [this](const std::string& word) { return is_word(GetParam(), joined(word)); });
}
TEST_P(TomitaGrammars, AreDrawnUniformly) { expect_uniform_words(*dense_task("tomita", values()), 4); }
TEST_P(TomitaGrammars, HaveTheirChance) {
  for (const std::size_t n : {2, 12}) expect_chance_of_sets(*task_with("tomita", values()), n);
}

INSTANTIATE_TEST_SUITE_P(All, TomitaGrammars, testing::Range(1, 8));

TEST(Tomita, LabelsByHand) {
  const auto task = dense_task("tomita", {{"grammar", "4"}});
  EXPECT_EQ(solved(*task, "0 0 1 0"), "EOS|0|1 EOS|1 EOS|0|1 EOS|0|1");
}

TEST(Tomita, RefusesAnEighthGrammar) {
  expect_input_error([] { task_with("tomita", {{"grammar", "8"}}); }, {"grammar", "8", "7"});
}

}  // namespace
}  // namespace lengthwise
