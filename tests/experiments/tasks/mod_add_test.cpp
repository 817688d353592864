#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(ModAdd, KeepsTheContract) {
  expect_task_contract("mod_add", {}, {1, 2, 40});
  expect_task_contract("mod_add", {{"p", "5"}, {"operands", "0"}}, {1, 2, 7, 40});
}

TEST(ModAdd, AnswersByHand) {
  EXPECT_EQ(solved(*prompt_task("mod_add"), "45 60"), "8");
  EXPECT_EQ(solved(*prompt_task("mod_add"), "96 1"), "0");
  EXPECT_EQ(solved(*prompt_task("mod_add", {{"p", "5"}, {"operands", "4"}}), "4 4 4 0"), "2");
}

TEST(ModAdd, HasAsManyOperandsAsAskedFor) {
  EXPECT_EQ(prompt_task("mod_add")->sample(40, Rng(1)).prompt.size(), 2u);
  EXPECT_EQ(prompt_task("mod_add", {{"operands", "0"}})->sample(40, Rng(1)).prompt.size(), 40u);
  EXPECT_EQ(task_with("mod_add")->space(40), 97 * 97);
}

TEST(ModAdd, ChanceIsAGuessOfAResidue) { expect_chance(*task_with("mod_add", {{"p", "5"}}), 3, guess_symbol(5)); }

TEST(ModAdd, RefusesNoModulus) {
  expect_input_error([] { task_with("mod_add", {{"p", "1"}}); }, {"p", "1", "2"});
}

}  // namespace
}  // namespace lengthwise
