#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Copy, KeepsTheContract) {
  expect_task_contract("copy", {}, {1, 2, 5, 20, 40});
  for (const char* variant : {"cmc2x", "rev_mc", "rev_mc2x", "rev_mcrv"})
    expect_task_contract("copy", {{"variant", variant}, {"symbols", "30"}}, {2, 5, 20});
}

TEST(Copy, OfOneSymbolKeepsTheContract) {
  for (const char* variant : {"rsc", "rsc2x", "rdc"}) expect_task_contract("copy", {{"variant", variant}}, {1, 5, 20});
}

TEST(Copy, AnswersByHand) {
  const auto answer = [](const char* variant, const char* prompt) {
    return solved(*prompt_task("copy", {{"variant", variant}, {"symbols", "5"}}), prompt);
  };
  EXPECT_EQ(answer("cmc", "c a d"), "c a d");
  EXPECT_EQ(answer("cmc2x", "c a d"), "c a d NEXT c a d");
  EXPECT_EQ(answer("rsc", "b b b"), "b b b");
  EXPECT_EQ(answer("rsc2x", "b b b"), "b b b b b b");
  EXPECT_EQ(answer("rdc", "b e | b b b"), "e e e");
  EXPECT_EQ(answer("rev_mc", "c a d"), "d a c");
  EXPECT_EQ(answer("rev_mc2x", "c a d"), "d a c NEXT d a c");
  EXPECT_EQ(answer("rev_mcrv", "c a d"), "d a c NEXT c a d");
}

TEST(Copy, CouplesASymbolWithItsCopies) {
  const std::map<std::string, std::vector<double>> expected{
      {"cmc", {0, 2, 3, 4, 1, 2, 3, 4}},                   // BOS, three symbols, SEP, three symbols
      {"cmc2x", {0, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}},     // NEXT
      {"rsc", {0, 2, 3, 4, 1, 2, 3, 4}},                   //
      {"rsc2x", {0, 2, 3, 4, 1, 2, 3, 4, 2, 3, 4}},        //
      {"rdc", {0, 0, 0, 1, 2, 3, 4, 1, 2, 3, 4}},          // a b |
      {"rev_mc", {0, 2, 3, 4, 5, 4, 3, 2}},                //
      {"rev_mc2x", {0, 2, 3, 4, 5, 4, 3, 2, 5, 4, 3, 2}},  //
      {"rev_mcrv", {0, 2, 3, 4, 5, 4, 3, 2, 1, 2, 3, 4}}};
  for (const auto& [variant, ids] : expected)
    EXPECT_EQ(
        task_with("copy", {{"variant", variant}})->example(3, make_draw(0, Stream::train, "", 3, 0)).ids.at("coupled"),
        ids)
        << variant;
}

TEST(Copy, ReplacesBySomethingElse) {
  const auto task = prompt_task("copy", {{"variant", "rdc"}, {"symbols", "3"}});
  std::set<std::string> seen;
  for (std::size_t i = 0; i < 200; ++i) seen.insert(words(*task, task->sample(1, Rng(i)).prompt));
  EXPECT_THAT(seen, testing::ElementsAre("a b | a", "a c | a", "b a | b", "b c | b", "c a | c", "c b | c"));
  EXPECT_EQ(task->space(1), 6);
}

TEST(Copy, ChanceIsAGuessOfASymbol) {
  for (const char* variant : {"cmc", "rsc", "rdc", "rev_mc"})
    expect_chance(*task_with("copy", {{"variant", variant}, {"symbols", "7"}}), 20, guess_symbol(7));
  for (const char* variant : {"cmc2x", "rev_mcrv"})
    expect_chance(*task_with("copy", {{"variant", variant}, {"symbols", "7"}}), 20, guess_symbol(8));
}

TEST(Copy, RefusesWhatItHasNot) {
  expect_input_error([] { task_with("copy", {{"symbols", "1"}}); }, {"symbols", "1", "2"});
  expect_input_error([] { task_with("copy", {{"variant", "rmc"}}); }, {"variant", "rmc", "rev_mc"});
}

}  // namespace
}  // namespace lengthwise
