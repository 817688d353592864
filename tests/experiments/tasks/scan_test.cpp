#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

/// Every number of actions that some command has, by trying all of them.
std::vector<std::size_t> lengths(const Task& task) {
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n <= 60; ++n) {
    try {
      task.check_length(n);
      all.push_back(n);
    } catch (const InputError&) {
    }
  }
  return all;
}

TEST(Scan, KeepsTheContract) { expect_task_contract("scan", {}, {1, 2, 4, 10, 22, 24, 48}); }

// The counts of the original release and of the other split.
TEST(Scan, HasTheWholeGrammarAndBothSplits) {
  const auto task = task_with("scan");
  double all = 0, orig = 0, mcgill = 0;
  for (const std::size_t n : lengths(*task)) {
    all += *task->space(n);
    if (n <= 22) orig += *task->space(n);
    if (n <= 25) mcgill += *task->space(n);
  }
  EXPECT_EQ(all, 20910);
  EXPECT_EQ(orig, 16990);
  EXPECT_EQ(all - orig, 3920);
  EXPECT_EQ(mcgill, 17774);
  EXPECT_EQ(all - mcgill, 3136);
  EXPECT_EQ(lengths(*task).back(), 48u);
}

TEST(Scan, AnswersByHand) {
  const auto task = prompt_task("scan");
  EXPECT_EQ(solved(*task, "jump left twice"), "LTURN JUMP LTURN JUMP");
  EXPECT_EQ(solved(*task, "turn opposite right"), "RTURN RTURN");
  EXPECT_EQ(solved(*task, "look around left"), "LTURN LOOK LTURN LOOK LTURN LOOK LTURN LOOK");
  EXPECT_EQ(solved(*task, "walk after run thrice"), "RUN RUN RUN WALK");
  EXPECT_EQ(solved(*task, "turn left and walk opposite right"), "LTURN RTURN RTURN WALK");
}

// All commands of a length, from all streams, are different, and as many as the length has.
TEST(Scan, DrawsEveryCommandOfALength) {
  const auto task = prompt_task("scan");
  std::set<std::vector<int>> seen;
  for (const Stream stream : every_stream)
    for (std::size_t i = 0; i < 3000; ++i) seen.insert(task->pick(3, make_draw(0, stream, "scan", 3, i)).prompt);
  EXPECT_EQ(static_cast<double>(seen.size()), *task->space(3));
}

TEST(Scan, SplitsByLengthAreDisjoint) {
  const std::pair<const char*, std::size_t> splits[] = {{"orig", 22}, {"mcgill", 25}};
  for (const auto& [split, longest] : splits) {
    const auto task = task_with("scan", {{"split", split}});
    for (const std::size_t n : lengths(*task)) {
      const auto supply = [&, n = n](Stream stream) { task->check_supply(stream, n, 1); };
      const bool trained = n <= longest;
      for (const Stream stream : every_stream) {
        if (trained == (stream != Stream::evaluation))
          EXPECT_NO_THROW(supply(stream)) << n;
        else
          EXPECT_THROW(supply(stream), InputError) << n;
      }
    }
  }
}

TEST(Scan, ChanceIsAGuessOfAnAction) {
  expect_chance(*task_with("scan"), 16,
                [](const Example&, Rng& rng) { return first_symbol + 13 + static_cast<int>(rng.below(6)); });
}

TEST(Scan, RefusesLengthsThatNoCommandHas) {
  expect_input_error([] { task_with("scan")->check_length(49); }, {"scan", "49", "48", "length_law = list"});
  expect_input_error(
      [] {
        task_with("scan", {{"split", "orig"}})->check_supply(Stream::evaluation, 10, 1);
      },
      {"scan.split = orig", "10", "more than 22"});
}

}  // namespace
}  // namespace lengthwise
