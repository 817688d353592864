#include "experiments/tasks/task.h"

#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

/// Prompt "a b", target "c", with ids.
class Fixed final : public PromptTask {
 public:
  explicit Fixed(Layout layout) : PromptTask(layout) {}
  Sample sample(std::size_t, Rng) const override { return {{5, 6}, {7}, {{"digit", {2, 1, 3}}}}; }
  std::vector<int> solve(const std::vector<int>&) const override { return {7}; }
  std::size_t prompt_tokens(std::size_t) const override { return 2; }
  std::size_t target_tokens(std::size_t) const override { return 1; }
  int symbols() const override { return 3; }
  std::string symbol(int index) const override { return std::string(1, static_cast<char>('a' + index)); }
  double chance(std::size_t) const override { return 1; }
};

TEST(PromptTask, LaysOutForACausalModel) {
  const Fixed task(Layout::causal);
  const Example example = task.example(2, make_draw(0, Stream::train, "fixed", 2, 0));
  EXPECT_EQ(words(task, example.tokens), "BOS a b SEP c");
  EXPECT_EQ(example.scored, (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(words(task, example.targets), "c EOS");
  EXPECT_EQ(example.answer, 1u);
  EXPECT_EQ(example.ids.at("digit"), (std::vector<double>{0, 2, 1, 0, 3}));
  EXPECT_EQ(task.max_tokens(2), 5u);
  EXPECT_EQ(task.vocabulary(), 8);
}

TEST(PromptTask, LaysOutForAnEncoder) {
  const Fixed task(Layout::encoder);
  const Example example = task.example(2, make_draw(0, Stream::train, "fixed", 2, 0));
  EXPECT_EQ(words(task, example.tokens), "a b ANS");
  EXPECT_EQ(example.scored, (std::vector<std::size_t>{2}));
  EXPECT_EQ(words(task, example.targets), "c");
  EXPECT_EQ(example.answer, 1u);
  EXPECT_EQ(example.ids.at("digit"), (std::vector<double>{2, 1, 3}));
  EXPECT_EQ(task.max_tokens(2), 3u);
}

/// String "a b c"; right after "b": either of "b" and the end; after "c": the end.
class FixedLabels final : public DenseTask {
 public:
  using DenseTask::DenseTask;
  Sample sample(std::size_t, Rng) const override { return {{5, 6, 7}, solve({})}; }
  Labels solve(const std::vector<int>&) const override {
    return {.at = {1, 2}, .tokens = {}, .sets = {1 << 6 | 1 << EOS, 1 << EOS}};
  }
  int symbols() const override { return 3; }
  std::string symbol(int index) const override { return std::string(1, static_cast<char>('a' + index)); }
  double chance(std::size_t) const override { return 0.5; }
};

TEST(DenseTask, LaysOutForACausalModel) {
  const FixedLabels task(Layout::causal);
  const Example example = task.example(3, make_draw(0, Stream::train, "fixed", 3, 0));
  EXPECT_EQ(words(task, example.tokens), "BOS a b c");
  EXPECT_EQ(example.scored, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(example.target_sets, (std::vector<std::uint64_t>{0b1001000, 0b1000}));
  EXPECT_EQ(example.answer, 2u);
  EXPECT_EQ(task.max_tokens(3), 4u);
}

TEST(DenseTask, LaysOutForAnEncoder) {
  const FixedLabels task(Layout::encoder);
  const Example example = task.example(3, make_draw(0, Stream::train, "fixed", 3, 0));
  EXPECT_EQ(words(task, example.tokens), "a b c");
  EXPECT_EQ(example.scored, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(task.max_tokens(3), 3u);
}

// 5 + 3 and 5 + 8 have as many slots: an encoder must not read the carry off their number.
TEST(PromptTask, GivesAnEncoderTheSlotsOfTheLongestAnswer) {
  const auto task = prompt_task("add_dec", {}, Layout::encoder);
  std::set<std::size_t> answers;
  for (std::size_t i = 0; i < 100; ++i) {
    const Example example = task->example(1, make_draw(0, Stream::train, "add_dec", 1, i));
    answers.insert(example.answer);
    ASSERT_EQ(example.tokens.size(), 5u);
    ASSERT_EQ(std::vector<int>(example.tokens.end() - 2, example.tokens.end()), std::vector<int>(2, ANS));
    ASSERT_EQ(example.scored.size(), example.answer);
    ASSERT_EQ(example.ids.at("digit").size(), 5u);
  }
  EXPECT_EQ(answers, (std::set<std::size_t>{1, 2}));
}

TEST(PromptTask, RefusesLengthZero) {
  expect_input_error([] { task_with("parity")->check_length(0); }, {"parity", "0", "starts at 1"});
}

TEST(MakeDraw, IsKeyedByAllItsArguments) {
  const auto bits = [](const Draw& draw) { return draw.rng.bits(0); };
  const std::set<std::uint64_t> keys{
      bits(make_draw(0, Stream::train, "parity", 4, 9)),      bits(make_draw(1, Stream::train, "parity", 4, 9)),
      bits(make_draw(0, Stream::validation, "parity", 4, 9)), bits(make_draw(0, Stream::evaluation, "parity", 4, 9)),
      bits(make_draw(0, Stream::train, "copy", 4, 9)),        bits(make_draw(0, Stream::train, "parity", 9, 4)),
      bits(make_draw(0, Stream::train, "parity", 5, 9)),      bits(make_draw(0, Stream::train, "parity", 4, 10))};
  EXPECT_EQ(keys.size(), 8u);
  const Draw draw = make_draw(0, Stream::validation, "parity", 4, 9);
  EXPECT_EQ(draw.stream, Stream::validation);
  EXPECT_EQ(draw.index, 9u);
  EXPECT_EQ(bits(draw), bits(make_draw(0, Stream::validation, "parity", 4, 9)));
}

TEST(MakeTask, OffersTheNearestName) {
  expect_input_error([] { make_task("copy_repaet", Options(), Layout::causal); },
                     {"'copy_repaet'", "Did you mean 'copy_repeat'?", "add_dec"});
}

TEST(MakeTask, NamesTheTask) { EXPECT_EQ(task_with("reverse_string")->name(), "reverse_string"); }

// Bits of lengths 1 to 4 are 30 inputs. Below 16 inputs a thousand training examples hold every test.
TEST(Overlap, IsZeroWhereTheSpaceAllows) {
  const auto task = task_with("copy_repeat", {{"symbols", "2"}});
  for (const std::size_t n : {1, 2, 3}) EXPECT_EQ(overlap(*task, n, 0, 1000), 1) << n;
  for (const std::size_t n : {4, 5, 10, 20}) EXPECT_EQ(overlap(*task, n, 0, 1000), 0) << n;
  EXPECT_EQ(overlap(*task, 4, 0, 0), 0);
}

TEST(Overlap, CountsWhatIsShared) {
  // One training and one evaluation example of a single bit agree for about half of the seeds.
  const auto task = task_with("parity");
  double shared = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) shared += overlap(*task, 1, seed, 1);
  EXPECT_NEAR(shared / 400, 0.5, 5 * std::sqrt(0.25 / 400));
}

// The shares are of inputs: about 5/8, 1/8 and 2/8 of the 4096 bit strings of length 12, and together all of them.
TEST(PromptTask, SharesTheInputsAmongTheStreams) {
  const auto task = prompt_task("copy_repeat", {{"symbols", "2"}});
  const auto inputs = [&](Stream stream) {
    std::set<std::vector<int>> seen;
    for (std::size_t i = 0; i < 40000; ++i)
      seen.insert(task->pick(12, make_draw(0, stream, "copy_repeat", 12, i)).prompt);
    return static_cast<double>(seen.size());
  };
  const double train = inputs(Stream::train), validation = inputs(Stream::validation),
               evaluation = inputs(Stream::evaluation);
  EXPECT_EQ(train + validation + evaluation, 4096);
  EXPECT_NEAR(train / 4096, 5. / 8, 0.03);
  EXPECT_NEAR(validation / 4096, 1. / 8, 0.03);
  EXPECT_NEAR(evaluation / 4096, 2. / 8, 0.03);
}

TEST(PromptTask, DrawsFromAllInputsWhereAShareWouldBeEmpty) {
  const auto task = task_with("copy_repeat", {{"symbols", "1"}});
  EXPECT_EQ(overlap(*task, 6, 0, 10), 1);
}

TEST(DefinitionHash, IsStable) {
  // A new value means that stored results are of another task: change it only together with a definition.
  EXPECT_EQ(definition_hash("copy_repeat", Options(tasks().at("copy_repeat").section)), 1123679697535018004u);
}

// Results of a task's first definition stay comparable.
TEST(DefinitionHash, LeavesOutLaterOptionsAtTheirDefaults) {
  for (const auto& [name, later] : Values{{"bin_add", "compat"},
                                          {"bin_mul", "compat"},
                                          {"missing_dup", "compat"},
                                          {"passkey", "key"},
                                          {"solve_eq", "compat"},
                                          {"stack_manip", "compat"}}) {
    TaskInfo first = tasks().at(name);
    ASSERT_EQ(std::erase_if(first.section.options, [&](const OptionSpec& option) { return option.name == later; }), 1u);
    EXPECT_EQ(definition_hash(name, Options(tasks().at(name).section)), definition_hash(first, Options(first.section)))
        << name;
  }
}

TEST(DefinitionHash, DependsOnTheTaskAndItsDefinition) {
  const Options options(tasks().at("copy_repeat").section);
  EXPECT_NE(definition_hash("copy_repeat", options), definition_hash("reverse_string", options));
  TaskInfo changed = tasks().at("copy_repeat");
  changed.definition = "2" + changed.definition.substr(1);
  EXPECT_NE(definition_hash("copy_repeat", options), definition_hash(changed, options));
}

}  // namespace
}  // namespace lengthwise
