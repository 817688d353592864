#include <numeric>

#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Parity, KeepsTheContract) {
  for (const char* sampler : {"iid", "count_uniform"})
    expect_task_contract("parity", {{"sampler", sampler}}, {1, 2, 3, 7, 12, 40, 80});
}

TEST(Parity, AnswersByHand) {
  const auto task = prompt_task("parity");
  EXPECT_EQ(solved(*task, "1 0 1 1"), "1");
  EXPECT_EQ(solved(*task, "1 1 0"), "0");
  EXPECT_EQ(solved(*task, "0"), "0");
  EXPECT_EQ(solved(*task, "1"), "1");
}

/// How often 0 .. n ones occur among 4000 prompts of n bits.
std::vector<double> counts_of_ones(const std::string& sampler, std::size_t n) {
  const auto task = prompt_task("parity", {{"sampler", sampler}});
  const int one = tokens(*task, "1")[0];
  std::vector<double> counts(n + 1);
  for (std::size_t i = 0; i < 4000; ++i) {
    const auto prompt = task->pick(n, make_draw(0, Stream::train, "parity", n, i)).prompt;
    ++counts[static_cast<std::size_t>(std::count(prompt.begin(), prompt.end(), one))];
  }
  return counts;
}

// At 39 bits there are no shares, and each of the 40 counts has probability 1/40.
TEST(Parity, CountUniformHasEveryCountAlike) {
  for (const double count : counts_of_ones("count_uniform", 39)) EXPECT_NEAR(count, 100, 5 * std::sqrt(100 * 39. / 40));
}

TEST(Parity, IidConcentratesAroundHalf) {
  const std::vector<double> counts = counts_of_ones("iid", 40);
  EXPECT_NEAR(counts[20] / 4000, 0.1254, 5 * std::sqrt(0.1254 * 0.8746 / 4000));  // binomial(40, 20) / 2^40
  EXPECT_EQ(std::accumulate(counts.begin(), counts.begin() + 5, 0.0), 0);
}

// Where ones stand must not tell how many there are.
TEST(Parity, CountUniformShuffles) {
  const auto task = prompt_task("parity", {{"sampler", "count_uniform"}});
  const int one = tokens(*task, "1")[0];
  double first = 0, last = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    const auto prompt = task->pick(40, make_draw(0, Stream::train, "parity", 40, i)).prompt;
    first += prompt.front() == one;
    last += prompt.back() == one;
  }
  for (const double ones : {first, last}) EXPECT_NEAR(ones / 4000, 0.5, 5 * std::sqrt(0.25 / 4000));
}

TEST(Parity, CouplesAllTokens) {
  EXPECT_EQ(task_with("parity")->example(3, make_draw(0, Stream::train, "", 3, 0)).ids.at("coupled"),
            (std::vector<double>{0, 1, 1, 1, 1, 1}));
}

TEST(Parity, ChanceIsACoin) {
  for (const char* sampler : {"iid", "count_uniform"})
    for (const std::size_t n : {1, 4, 41})
      expect_chance(*task_with("parity", {{"sampler", sampler}}), n, guess_symbol(2));
}

TEST(Parity, RefusesAnUnknownSampler) {
  expect_input_error([] { task_with("parity", {{"sampler", "idd"}}); }, {"sampler", "idd", "iid"});
}

// The scratch-pad that several tasks share is tested on this one.
TEST(Scratchpad, KeepsTheContract) {
  for (const char* pad : {"icovr", "co", "r"}) {
    const auto task = prompt_task("parity", {{"scratchpad", pad}});
    for (const std::size_t n : {1, 5, 40}) expect_prompts_and_answers(*task, {Stream::train, {n}, 100});
  }
}

TEST(Scratchpad, WritesTheStepsThatAreSwitchedOn) {
  const std::map<std::string, std::string> expected{
      {"icovr", ">> 1 :: 1 ^ 0 == 1 [ 1 ] => 1 # >> 1 :: 1 ^ 1 == 0 [ 0 ] => # ANSWER 0"},
      {"icov", ">> 1 :: 1 ^ 0 == 1 [ 1 ] # >> 1 :: 1 ^ 1 == 0 [ 0 ] # ANSWER 0"},
      {"co", ":: 1 ^ 0 == 1 # :: 1 ^ 1 == 0 # ANSWER 0"},
      {"i", ">> 1 # >> 1 # ANSWER 0"},
      {"v", "[ 1 ] # [ 0 ] # ANSWER 0"},
      {"r", "=> 1 # => # ANSWER 0"}};
  for (const auto& [parts, target] : expected) {
    const auto task = prompt_task("parity", {{"scratchpad", parts}});
    PromptTask::Sample sample;
    for (std::size_t i = 0; words(*task, sample.prompt) != "1 1"; ++i) sample = task->sample(2, Rng(i));
    EXPECT_EQ(words(*task, sample.target), target) << parts;
  }
}

TEST(Scratchpad, IsToldFromTheAnswer) {
  const auto task = prompt_task("parity", {{"scratchpad", "o"}});
  const Example example = task->example(2, make_draw(0, Stream::train, "parity", 2, 0));
  EXPECT_EQ(example.pad, 7u);  // twice `== bit #`, and ANSWER
  EXPECT_EQ(example.answer, 1u);
  EXPECT_EQ(example.scored.size(), 9u);  // and EOS
  EXPECT_EQ(task->pad_tokens(tokens(*task, "== 1 # ANSWER 1")), 4u);
  EXPECT_EQ(task->pad_tokens(tokens(*task, "== 1 # == 1")), 5u);  // a pad that never ends has no answer
  EXPECT_EQ(prompt_task("parity")->pad_tokens(tokens(*task, "1")), 0u);
}

TEST(Scratchpad, RefusesWhatItHasNot) {
  for (const char* parts : {"", "oc", "ii", "x", "icovrr", "None"})
    EXPECT_THROW(task_with("parity", {{"scratchpad", parts}}), InputError) << parts;
  expect_input_error([] { task_with("parity", {{"scratchpad", "oc"}}); }, {"parity.scratchpad is 'oc'", "icovr"});
  expect_input_error(
      [] {
        task_with("parity", {{"scratchpad", "o"}}, Layout::encoder);
      },
      {"parity.scratchpad", "model.attention = causal"});
}

}  // namespace
}  // namespace lengthwise
