#include "experiments/packed.h"

#include <gmock/gmock.h>

#include "experiments/experiment.h"
#include "experiments/settings.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Task> task_named(const std::string& name) {
  return make_task(name, Options(tasks().at(name).section), Layout::causal);
}

Draw draw(std::size_t index, Stream stream = Stream::train) { return make_draw(1, stream, "copy_repeat", 2, index); }

// BOS p SEP p BOS p' SEP p' ..., whose beginning is cut away: every whole piece is a copy of a listed length, each
// answer and its end are scored, and nothing else.
TEST(Packed, LaysExamplesOneAfterAnother) {
  const auto one = task_named("copy_repeat"), many = packed(one, {2, 5}, 40);
  EXPECT_EQ(many->max_tokens(2), 40u);
  std::map<std::size_t, int> lengths;
  std::set<std::size_t> beginnings;
  for (std::size_t e = 0; e < 300; ++e) {
    const Example example = many->example(2, draw(e));
    ASSERT_LE(example.tokens.size(), 40u);
    ASSERT_EQ(example.scored.size(), example.targets.size());
    ASSERT_EQ(example.answer, example.scored.size());
    std::map<std::size_t, int> targets;
    for (std::size_t r = 0; r < example.scored.size(); ++r) targets[example.scored[r]] = example.targets[r];
    const auto& tokens = example.tokens;
    std::size_t at = 0;
    while (at < tokens.size() && tokens[at] != BOS) ++at;
    beginnings.insert(at);
    ASSERT_LT(at, tokens.size());
    for (std::size_t next; at < tokens.size(); at = next) {
      for (next = at + 1; next < tokens.size() && tokens[next] != BOS;) ++next;
      const std::size_t n = (next - at - 2) / 2;
      ++lengths[n];
      ASSERT_EQ(next - at, 2 * n + 2);
      ASSERT_EQ(tokens[at + n + 1], SEP);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(tokens[at + 1 + i], tokens[at + n + 2 + i]);
        ASSERT_EQ(targets.count(at + i), 0u);
        ASSERT_EQ(targets.at(at + n + 1 + i), tokens[at + 1 + i]);
      }
      ASSERT_EQ(targets.at(next - 1), EOS);
    }
  }
  EXPECT_EQ(lengths.size(), 2u);
  EXPECT_GT(lengths[5], 300);
  EXPECT_EQ(beginnings, (std::set<std::size_t>{0, 1, 2, 3, 4, 5}));  // the first example has 6 tokens
}

TEST(Packed, FillsItsTokensAndIsMadeAgain) {
  const auto many = packed(task_named("copy_repeat"), {2, 5}, 42);
  std::size_t most = 0;
  for (std::size_t e = 0; e < 100; ++e) {
    const Example example = many->example(2, draw(e));
    EXPECT_EQ(example, many->example(2, draw(e)));
    most = std::max(most, example.tokens.size());
    EXPECT_GE(example.tokens.size(), 42u - 12 + 1 - 5);  // the next one did not fit, and the cut
  }
  EXPECT_EQ(most, 42u);
}

// The same law for the examples behind the first: steps of 8 sequences, 2 alone for three of them.
TEST(Packed, DrawsFurtherLengthsByTheLawOfTraining) {
  const auto pieces = [](const Example& example) {
    std::set<std::size_t> lengths;
    for (std::size_t at = 0, begin = 0; at <= example.tokens.size(); ++at)
      if (at == example.tokens.size() || example.tokens[at] == BOS) {
        if (at < example.tokens.size() || begin > 0) lengths.insert(at - begin);
        begin = at;
      }
    lengths.erase(0);
    return lengths;
  };
  const auto climbing = packed(task_named("copy_repeat"), {2, 5}, 60, {.stair_steps = 3}, 8);
  for (std::size_t e = 0; e < 24; ++e) EXPECT_EQ(*pieces(climbing->example(2, draw(e))).rbegin(), 6u) << e;
  std::set<std::size_t> later;
  for (std::size_t e = 24; e < 60; ++e) later.merge(pieces(climbing->example(2, draw(e))));
  EXPECT_EQ(later.count(12), 1u);
  const auto alike = packed(task_named("copy_repeat"), {2, 5}, 60, {.per_batch = true}, 8);
  for (std::size_t e = 0; e < 24; ++e) EXPECT_EQ(*pieces(alike->example(5, draw(e))).rbegin(), 12u) << e;
  for (std::size_t e = 0; e < 24; ++e) EXPECT_EQ(*pieces(alike->example(2, draw(e))).rbegin(), 6u) << e;
}

TEST(Packed, KeepsTheIdsOfTokens) {
  const Example example = packed(task_named("add_dec"), {1, 2}, 50)->example(2, draw(3));
  ASSERT_FALSE(example.ids.empty());
  for (const auto& [channel, ids] : example.ids) EXPECT_EQ(ids.size(), example.tokens.size()) << channel;
}

// BOS p CODE SEP p: behind each CODE rows see from it on, all others from the sequence's begin.
TEST(Packed, KeepsWhatRowsSee) {
  const auto many = packed(task_named("compress"), {2, 3}, 50);
  for (std::size_t e = 0; e < 50; ++e) {
    const Example example = many->example(2, draw(e));
    const int code = many->vocabulary() - 1;
    ASSERT_EQ(example.first_seen.size(), example.tokens.size());
    std::size_t from = 0;
    for (std::size_t row = 0; row < example.tokens.size(); ++row) {
      if (example.tokens[row] == BOS) from = 0;
      EXPECT_EQ(example.first_seen[row], from) << row;
      if (example.tokens[row] == code) from = row;
    }
  }
}

TEST(Packed, LeavesOtherStreamsAlone) {
  const auto one = task_named("copy_repeat"), many = packed(one, {2, 5}, 40);
  for (const Stream stream : {Stream::validation, Stream::evaluation})
    EXPECT_EQ(many->example(5, draw(1, stream)), one->example(5, draw(1, stream)));
}

Experiment made(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"--model.width=16", "--model.heads=2", "--train.lengths=1..6"});
  return make_experiment(read_config(all_sections(), {}, overrides));
}

TEST(Packed, IsAskedForInTheConfig) {
  const Experiment experiment = made({"--task.name=copy_repeat", "--train.pack=64"});
  EXPECT_EQ(experiment.model.shape.train_positions, 64u);
  EXPECT_GT(experiment.task->example(6, draw(0)).tokens.size(), 14u);
  const auto refused = [](const std::vector<std::string>& overrides) -> std::string {
    try {
      made(overrides);
    } catch (const InputError& error) {
      return error.what();
    }
    return "not refused";
  };
  EXPECT_THAT(refused({"--task.name=copy_repeat", "--train.pack=13"}), HasSubstr("has up to 14 tokens"));
  EXPECT_THAT(refused({"--task.name=copy_repeat", "--train.pack=64", "--model.attention=bidirectional"}),
              HasSubstr("causal"));
  EXPECT_THAT(refused({"--task.name=text", "--text.corpus=kjv", "--train.pack=64"}), HasSubstr("cannot be packed"));
}

}  // namespace
}  // namespace lengthwise
