#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {
namespace {

TEST(BoolExpr, KeepsTheContract) { expect_task_contract("bool_expr", {}, {1, 2, 3, 10, 40}); }

TEST(BoolExpr, LabelsByHand) {
  EXPECT_EQ(solved(*dense_task("bool_expr"), "+ ~ 0 1"), "0|1|~|+|> 0|1|~|+|> 0|1|~|+|> EOS");
  EXPECT_EQ(solved(*dense_task("bool_expr", {{"arity", "1"}}), "~ 1"), "0|1|~ EOS");
}

// Read from the right, an operator takes its operands from a pile and puts one expression back.
TEST(BoolExpr, IsItsLanguage) {
  expect_language(*dense_task("bool_expr"), 7, 1, [](std::string word) {
    word = joined(word);
    std::size_t pile = 0;
    for (auto c = word.rbegin(); c != word.rend(); ++c) {
      const std::size_t operands = std::string("~+>").find(*c) + 1;  // 0 for a value
      if (pile < operands) return false;
      pile = pile - operands + 1;
    }
    return pile == 1;
  });
}

// Given three symbols, of the grammar with arity 2: ~ ~ v and + v v, where v is a value.
TEST(BoolExpr, FollowsTheGrammar) {
  const auto task = dense_task("bool_expr", {{"arity", "2"}, {"p", "0.8"}});
  double chains = 0;
  for (std::size_t i = 0; i < 4000; ++i) chains += words(*task, task->sample(3, Rng(i)).string)[0] == '~';
  const double chain = 0.4 * 0.4 * 0.2, sum = 0.4 * 0.2 * 0.2, share = chain / (chain + sum);
  EXPECT_NEAR(chains / 4000, share, 5 * std::sqrt(share * (1 - share) / 4000));
}

TEST(BoolExpr, HasItsChance) {
  for (const std::size_t n : {1, 2, 15}) expect_chance_of_sets(*task_with("bool_expr"), n);
}

TEST(BoolExpr, RefusesOperatorsItHasNot) {
  expect_input_error([] { task_with("bool_expr", {{"arity", "4"}}); }, {"arity", "4", "3"});
  expect_input_error([] { task_with("bool_expr", {{"p", "1"}}); }, {"p", "1"});
}

}  // namespace
}  // namespace lengthwise
