// A task's option as second axis: what it refuses, what training draws, and evaluation over the grid.
#include "experiments/axis.h"

#include <gmock/gmock.h>

#include <cmath>

#include "experiments/run.h"
#include "experiments/settings.h"
#include "experiments/show.h"
#include "experiments/tasks/symbols.h"
#include "tests/experiments/files.h"

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// n bits, answered `copies` times over; defined for n <= 4 copies.
class Repeat final : public PromptTask {
 public:
  Repeat(const Options& options, Layout layout) : PromptTask(layout), copies_(options.count("copies")) {}
  void check_length(std::size_t n) const override {
    require(n >= 1 && n <= 4 * copies_, "axis_probe: length ", n, " with copies = ", copies_);
  }
  Sample sample(std::size_t n, Rng rng) const override {
    Sample drawn{.prompt = independent_symbols(n, 2, rng), .target = {}, .ids = {}};
    drawn.target = solve(drawn.prompt);
    return drawn;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    for (std::size_t i = 0; i < copies_; ++i) answer.insert(answer.end(), prompt.begin(), prompt.end());
    return answer;
  }
  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t n) const override { return copies_ * n; }
  int symbols() const override { return 2; }
  std::string symbol(int index) const override { return std::to_string(index); }
  double chance(std::size_t) const override { return 0.5 / static_cast<double>(copies_); }  // tells the copies apart

 private:
  std::size_t copies_;
};

const bool registered = register_task<Repeat>({
    .section = {"axis_probe",
                "Say a string several times.",
                {integer("copies", 2).at_least(1).at_most(9).says("times"), flag("loud", false).says("nothing")}},
    .length = "bits",
    .source = "tests/experiments/axis_test.cpp",
    .definition = "1",
});

TaskAxis axis(const std::string& text, const std::string& task = "axis_probe") {
  return make_axis(text, "--evaluate.axis", task, Options(tasks().at(task).section), Layout::causal);
}

/// Fails unless `act` throws an InputError whose text has all the parts.
template <class Act>
void expect_refusal(Act act, const std::vector<std::string>& parts) {
  try {
    act();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& error) {
    for (const std::string& part : parts) EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(Axis, IsATaskForEachValue) {
  const TaskAxis made = axis("copies : 5,1..3,2");
  EXPECT_EQ(made.option, "copies");
  EXPECT_THAT(made.values, ElementsAre(1, 2, 3, 5));
  ASSERT_EQ(made.tasks.size(), 4u);
  EXPECT_EQ(made.tasks[3]->max_tokens(3), 3u + 15 + 2);
  EXPECT_EQ(made.draw_name(3), "axis_probe copies 5");
}

TEST(Axis, WithoutOneTheTaskIsAlone) {
  const TaskAxis made = axis("");
  ASSERT_EQ(made.tasks.size(), 1u);
  EXPECT_TRUE(made.option.empty() && made.values.empty());
  EXPECT_EQ(made.draw_name(0), "axis_probe");
  EXPECT_EQ(mixed(made), made.tasks[0]);
}

TEST(Axis, RefusesWhatIsNone) {
  expect_refusal([] { axis("2..5"); }, {"--evaluate.axis is '2..5'", "operands: 2..5"});
  expect_refusal([] { axis("copys: 2"); }, {"no integer option 'copys'", "Did you mean 'copies'"});
  expect_refusal([] { axis("loud: 2"); }, {"no integer option 'loud'", "Its integer options: copies"});
  expect_refusal([] { axis(": 2"); }, {"no integer option ''"});
  expect_refusal([] { axis("copies:"); }, {"--evaluate.axis is 'copies:'"});
  expect_refusal([] { axis("copies: 1..10"); }, {"--evaluate.axis is '1..10'", "from 1 to 9"});
  expect_refusal([] { axis("copies: 1,x"); }, {"entry 2, 'x'"});
  expect_refusal([] { axis("symbols: 2..3", "copy_repeat"); },
                 {"symbols = 3", "has 8 different tokens", "not 7", "must leave them as they are"});
}

// Each value equally often at each length, and the example is that value's own.
TEST(Axis, TrainingDrawsTheValueWhateverTheLength) {
  const TaskAxis made = axis("copies: 1..3");
  const auto task = mixed(made);
  EXPECT_EQ(task->name(), "axis_probe");
  EXPECT_EQ(task->max_tokens(3), 3u + 9 + 2);
  EXPECT_DOUBLE_EQ(task->chance(3), 0.5 * (1 + 0.5 + 1 / 3.0) / 3);
  EXPECT_THROW(task->check_length(5), InputError);  // which one copy alone does not have
  for (const Stream stream : {Stream::train, Stream::validation})
    for (const std::size_t n : {1, 4}) {
      std::vector<double> drawn(3);
      for (std::size_t i = 0; i < 1200; ++i) {
        const Draw draw = make_draw(1, stream, "axis_probe", n, i);
        const Example example = task->example(n, draw);
        const std::size_t value = example.answer / n - 1;
        ASSERT_EQ(example, made.tasks.at(value)->example(n, draw));
        ++drawn[value];
      }
      for (const double count : drawn) EXPECT_NEAR(count, 400, 5 * std::sqrt(1200 * 2 / 9.0));
    }
}

Experiment experiment(const std::vector<std::string>& more, const std::string& lengths = "2,4") {
  std::vector<std::string> all{"--task.name=axis_probe", "--train.lengths=1..4",          "--model.width=8",
                               "--model.heads=2",        "--evaluate.lengths=" + lengths, "--evaluate.examples=24",
                               "--run.name=grid"};
  all.insert(all.end(), more.begin(), more.end());
  return make_experiment(read_config(all_sections(), {}, all));
}

TEST(Axis, TrainingAndModelAreSizedByTheLargestValue) {
  EXPECT_EQ(experiment({}).model.shape.train_positions, 14u);  // two copies of 4
  EXPECT_EQ(experiment({"--train.axis=copies: 1..5"}).model.shape.train_positions, 4u + 20 + 2);
  EXPECT_EQ(experiment({"--evaluate.axis=copies: 1..5"}).model.shape.train_positions, 14u);
  expect_refusal(
      [] {
        experiment({"--train.axis=copies: 1..5", "--encoding.name=learned", "--learned.positions=20"});
      },
      {"learned.positions"});
}

TEST(Axis, EveryCellIsCheckedBeforeAnyWork) {
  expect_refusal([] { experiment({"--evaluate.axis=copies: 1,2"}, "2,6"); }, {"length 6 with copies = 1"});
  expect_refusal(
      [] {
        experiment({"--evaluate.axis=copies: 2,3", "--encoding.name=learned"});
      },
      {"serves positions 0 to 13", "length 4 (18 tokens)"});
  const auto cells =
      experiment({"--evaluate.axis=copies: 1..3", "--evaluate.undefined=mark", "--encoding.name=learned"}, "2,6")
          .evaluation_cells;
  std::vector<bool> undefined;
  std::vector<std::size_t> tokens;
  for (const Cell& cell : cells) undefined.push_back(cell.undefined), tokens.push_back(cell.tokens);
  EXPECT_THAT(undefined, ElementsAre(false, false, false, true, true, true));
  EXPECT_THAT(tokens, ElementsAre(6, 8, 10, 0, 20, 26));
}

/// An evaluation of an untrained model.
Evaluation evaluated(const Experiment& experiment) {
  ParameterStore<float> store(1);
  const Transformer<float> model(experiment.model, store);
  Evaluation evaluation = empty_evaluation(experiment);
  EXPECT_TRUE(evaluate_into(evaluation, experiment, model, {}, 7));
  return evaluation;
}

TEST(Axis, EvaluatedValuesThatTrainingLeavesOutAreNamed) {
  const auto said = [](const std::vector<std::string>& overrides) {
    const Experiment made = experiment(overrides);
    testing::internal::CaptureStderr();
    warn_of_evaluated(made, empty_evaluation(made));
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(said({"--train.axis=copies: 3,4"}),
              HasSubstr("evaluation uses copies = 2, which training (train.axis = copies: 3,4) never draws.\n"));
  EXPECT_THAT(said({"--train.axis=copies: 1,3", "--evaluate.axis=copies: 1..4"}),
              HasSubstr("uses copies = 2, 4, which"));
  for (const char* all : {"--train.axis=copies: 2,3", "--evaluate.axis=copies: 1..3"})
    EXPECT_THAT(said({all}), Not(HasSubstr("never draws"))) << all;
}

std::vector<double> losses(const std::vector<ExampleScore>& examples) {
  std::vector<double> all;
  for (const ExampleScore& example : examples) all.push_back(example.loss);
  return all;
}

TEST(Axis, EvaluationCoversTheGrid) {
  const Evaluation grid = evaluated(experiment({"--evaluate.axis=copies: 1..3"}));
  EXPECT_EQ(grid.axis, "copies");
  EXPECT_THAT(grid.axis_values, ElementsAre(1, 2, 3));
  EXPECT_THAT(grid.tokens, ElementsAre(6, 8, 10, 10, 14, 18));
  const auto& scores = grid.scores.at(0);
  ASSERT_EQ(scores.size(), 6u);
  for (std::size_t c = 0; c < 6; ++c) {
    const std::int64_t n = c < 3 ? 2 : 4, copies = static_cast<std::int64_t>(c) % 3 + 1;
    EXPECT_EQ(scores[c].scored_tokens, 24 * n * copies);
    EXPECT_DOUBLE_EQ(scores[c].chance, 0.5 / static_cast<double>(copies));
  }
  // The same cells alone, in another grid, or through another axis: the same examples; other values: others.
  const Evaluation alone = evaluated(experiment({"--evaluate.axis=copies: 2"}, "4"));
  EXPECT_EQ(losses(alone.examples.at(0)), losses(grid.examples.at(4)));
  const TaskAxis made = axis("copies: 1,2");
  EXPECT_NE(made.tasks[0]->example(4, make_draw(0, Stream::evaluation, made.draw_name(0), 4, 0)).tokens,
            made.tasks[0]->example(4, make_draw(0, Stream::evaluation, made.draw_name(1), 4, 0)).tokens);
}

TEST(Axis, TheRunFileHasItAsADimension) {
  const Folder folder;
  Experiment made = experiment({"--evaluate.axis=copies: 1..3", "--train.axis=copies: 1,2"});
  RunFile run;
  run.facts = facts_of(made, "");
  run.evaluations.push_back(evaluated(made));
  write_run(folder / "a.h5", run);
  const Evaluation back = read_run(folder / "a.h5").evaluations.at(0), &want = run.evaluations[0];
  EXPECT_EQ(back.axis, "copies");
  EXPECT_EQ(back.axis_values, want.axis_values);
  EXPECT_EQ(back.tokens, want.tokens);
  for (std::size_t c = 0; c < 6; ++c) {
    EXPECT_EQ(back.scores.at(0).at(c).loss.value, want.scores[0][c].loss.value);
    EXPECT_EQ(losses(back.examples.at(c)), losses(want.examples[c]));
  }
  expect_python(folder / "a.h5", R"(
e, x = open("evaluation/teacher_forced"), open("examples/teacher_forced")
assert e.loss.dims == ("step", "length", "copies") and e.tokens.dims == ("length", "copies")
assert e.copies.values.tolist() == [1, 2, 3] and e.tokens.sel(length=4, copies=3) == 18
assert x.loss.dims == ("length", "copies", "example")
np.testing.assert_allclose(x.loss.sum("example") / x.tokens_scored.sum("example"), e.loss[0])
)");

  // Alone: lengths x values. Beside another run: a table a value.
  EXPECT_THAT(show_runs({folder / "a.h5"}, {}),
              AllOf(HasSubstr("length  copies 1  copies 2  >copies 3"), HasSubstr("token accuracy"),
                    HasSubstr(">copies larger than any value of training")));
  run.facts.name = "other";
  write_run(folder / "b.h5", run);
  EXPECT_THAT(
      show_runs({folder / "a.h5", folder / "b.h5"}, {}),
      AllOf(HasSubstr("teacher_forced, copies 1, by length"), HasSubstr("teacher_forced, copies 3, by length")));
}

}  // namespace
}  // namespace lengthwise
