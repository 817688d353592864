#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(GroupWord, KeepsTheContract) {
  expect_task_contract("group_word", {}, {1, 2, 3, 10, 40});
  expect_task_contract("group_word", {{"group", "z7"}, {"answer", "last"}}, {1, 5, 40});
  expect_task_contract("group_word", {{"group", "a5"}, {"factors", "elements"}}, {1, 2, 20});
  expect_task_contract("group_word", {{"group", "s5"}}, {6, 20});
}

TEST(GroupWord, ProductsByHand) {
  const auto product = [](const char* group, const char* string) {
    return solved(*dense_task("group_word", {{"group", group}, {"factors", "elements"}}), string);
  };
  EXPECT_EQ(product("z5", "1 1 0 4 3"), "1 2 2 1 4");
  EXPECT_EQ(product("s3", "213 231"), "213 321");  // 1 goes to 2, and 2 to 3
  EXPECT_EQ(product("s3", "231 213"), "231 132");
  EXPECT_EQ(product("a5", "23145 12453"), "23145 24153");
  EXPECT_EQ(solved(*dense_task("group_word", {{"answer", "last"}}), "213 231"), ". 321");
}

TEST(GroupWord, GroupsAreWholeAndGenerated) {
  const std::map<std::string, int> sizes{{"z2", 2},   {"z60", 60}, {"s3", 6}, {"s4", 24},
                                         {"s5", 120}, {"a4", 12},  {"a5", 60}};
  for (const auto& [group, size] : sizes) {
    const auto task = dense_task("group_word", {{"group", group}});
    EXPECT_EQ(task->symbols(), size) << group;
    std::set<int> factors, products;
    for (std::size_t i = 0; i < 20; ++i) {
      const auto [string, labels] = task->sample(400, Rng(i));
      factors.insert(string.begin(), string.end());
      products.insert(labels.tokens.begin(), labels.tokens.end());
    }
    EXPECT_EQ(factors.size(), 2u) << group;
    EXPECT_EQ(products.size(), static_cast<std::size_t>(size)) << group;
  }
}

// z2 is the running parity.
TEST(GroupWord, Z2IsParity) {
  const auto task = dense_task("group_word", {{"group", "z2"}});
  EXPECT_EQ(solved(*task, "1 0 1 1"), "1 1 0 1");
}

TEST(GroupWord, ChanceIsAGuessOfAnElement) {
  for (const std::size_t n : {1, 20}) {
    expect_chance(*task_with("group_word"), n, guess_symbol(6));
    expect_chance(*task_with("group_word", {{"group", "z5"}, {"answer", "last"}}), n, guess_symbol(5));
  }
}

TEST(GroupWord, RefusesOtherGroups) {
  for (const char* group : {"z1", "z61", "s2", "s6", "a3", "a6", "z", "d4", "s3x", "sss", "z10000"})
    expect_input_error([&] { task_with("group_word", {{"group", group}}); }, {"group_word.group", group, "z2 .. z60"});
}

}  // namespace
}  // namespace lengthwise
