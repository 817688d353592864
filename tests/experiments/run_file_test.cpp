#include "experiments/run_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/experiments/files.h"
#include "tests/experiments/sample_run.h"

namespace lengthwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(run_file, comes_back_as_it_was_written) {
  const Folder folder;
  write_run(folder / "a.h5", sample_run());
  const RunFile run = read_run(folder / "a.h5"), want = sample_run();
  EXPECT_EQ(run.facts.status, "complete");
  EXPECT_EQ(run.facts.config, sample_config);
  EXPECT_EQ(run.facts.seed, 3u);
  EXPECT_EQ(run.facts.seconds, 61.25);
  EXPECT_EQ(run.facts.train_positions, 82);
  ASSERT_EQ(run.train.size(), 2u);
  EXPECT_EQ(run.train[1].step, 200);
  EXPECT_EQ(run.train[1].loss, 0.0123);
  EXPECT_EQ(run.train[0].tokens, 40000);
  ASSERT_EQ(run.validation.size(), 1u);
  EXPECT_EQ(run.validation[0].exact_match, 0.95);
  const Evaluation* e = run.evaluation("teacher_forced");
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(run.evaluation("other"), nullptr);
  EXPECT_EQ(e->protocol, want.evaluations[0].protocol);
  EXPECT_THAT(e->settings.names(), ElementsAre("window"));
  EXPECT_THAT(e->lengths, ElementsAre(20, 40, 60, 80, 100));
  EXPECT_THAT(e->tokens, ElementsAre(42, 82, 122, 162, 202));
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t l = 0; l < 5; ++l) {
      const LengthScore &a = e->scores.at(s).at(l), &b = want.evaluations[0].scores[s][l];
      EXPECT_EQ(a.scored_tokens, b.scored_tokens);
      EXPECT_EQ(a.exact_match.low, b.exact_match.low);
      EXPECT_EQ(a.token_accuracy.high, b.token_accuracy.high);
      EXPECT_EQ(a.loss.value, b.loss.value);
      EXPECT_EQ(a.chance, 0.1);
      EXPECT_TRUE(std::isnan(a.never_stopped));
    }
  ASSERT_EQ(e->examples.size(), 5u);
  EXPECT_EQ(e->examples[4].size(), 4u);
  EXPECT_TRUE(e->examples[4][2].exact);
  EXPECT_FALSE(e->examples[4][3].exact);
  EXPECT_EQ(e->examples[4][3].tokens_right, 99);
  EXPECT_EQ(e->examples[4][3].loss, 1.5);
  ASSERT_EQ(run.model.size(), 3u);
  EXPECT_EQ(run.model[1].name, "t5.table");
  EXPECT_EQ(run.model[1].columns, 3u);
  EXPECT_EQ(run.model[1].values, want.model[1].values);
  EXPECT_EQ(run.model[2].values, want.model[2].values);
  EXPECT_EQ(e->by_position.get<double>("loss").at(0), 2);
  EXPECT_EQ(run.others.at("extra").get<double>("entropy").at(0), 3);
}

TEST(run_file, opens_in_python) {
  const Folder folder;
  write_run(folder / "a.h5", sample_run());
  expect_python(folder / "a.h5", R"(
for engine in ["h5netcdf", "netcdf4"]:
    e = open("evaluation/teacher_forced", engine)
    assert e.exact_match.dims == ("step", "length") and e.tokens.dims == ("length",)
    assert e.length.values.tolist() == [20, 40, 60, 80, 100] and e.step.values.tolist() == [100, 200]
    assert e.exact_match.sel(step=200, length=40) == 1 and e.exact_match_low.sel(step=200, length=60) < 0.5
    np.testing.assert_allclose(e.bits_per_token, e.loss / np.log(2))
    np.testing.assert_allclose(e.bits_per_token_high, e.loss_high / np.log(2))
    assert e.loss.attrs["units"] == "nats" and "loss: mean loss of a scored token (" in e.attrs["metrics"]
    assert e.attrs["position_policy"] == "sequential ids, never clamped" and e.attrs["window"] == 0
    assert e.never_stopped.isnull().all()
    x = open("examples/teacher_forced", engine)
    assert x.exact.dtype == bool and x.exact.dims == ("length", "example") and x.exact.mean() == 0.75
    t = open("train", engine)
    assert t.loss.dims == ("step",) and t.seconds.dtype == np.float64 and t.seconds.values.tolist() == [30, 61]
    m = open("model", engine)
    assert m["layer.0.query"].shape == (4, 4) and m["layer.0.query"].dtype == np.float32
    assert m["t5.table"].dims == ("size_2", "size_3") and m["t5.table"].values[1].tolist() == [4, 5, 6]
    r = open("/", engine)
    assert r.attrs["status"] == "complete" and r.attrs["schema_version"] == 1 and r.attrs["host"] == "é"
    assert r.attrs["config"].startswith("# resolved\n[run]\n")
assert all("description" in h5[g].attrs for g in ["train", "validation", "evaluation", "examples", "model"])
)");
}

TEST(run_file, a_run_that_has_nothing_yet) {
  const Folder folder;
  RunFile run;
  run.evaluations.emplace_back().name = "teacher_forced";
  run.evaluations[0].lengths = run.evaluations[0].tokens = {10, 20};
  write_run(folder / "a.h5", run);
  const RunFile back = read_run(folder / "a.h5");
  EXPECT_EQ(back.facts.status, "running");
  EXPECT_TRUE(back.train.empty() && back.model.empty());
  EXPECT_TRUE(back.evaluation("teacher_forced")->scores.empty());
  expect_python(folder / "a.h5", R"(
for engine in ["h5netcdf", "netcdf4"]:
    assert open("evaluation/teacher_forced", engine).exact_match.shape == (0, 2)
    assert open("train", engine).loss.shape == (0,)
)");
}

TEST(run_file, reads_scores_alone) {
  const Folder folder;
  write_run(folder / "a.h5", sample_run());
  const RunFile run = read_run(folder / "a.h5", Parts::scores);
  EXPECT_TRUE(run.model.empty() && run.others.empty());
  EXPECT_TRUE(run.evaluation("teacher_forced")->examples.empty());
  EXPECT_EQ(run.evaluation("teacher_forced")->scores.size(), 2u);
}

TEST(run_file, lengths_with_fewer_examples) {
  RunFile run = sample_run();
  run.evaluations[0].examples[1].resize(1);
  run.evaluations[0].examples[2].clear();
  const RunFile back = from_dataset(to_dataset(run));
  EXPECT_EQ(back.evaluations[0].examples[0].size(), 4u);
  EXPECT_EQ(back.evaluations[0].examples[1].size(), 1u);
  EXPECT_TRUE(back.evaluations[0].examples[2].empty());
}

TEST(run_file, other_files_are_refused) {
  const Folder folder;
  write_dataset(folder / "other.h5", Group{});
  EXPECT_THAT(refusal([&] { read_run(folder / "other.h5"); }),
              testing::AllOf(HasSubstr("other.h5"), HasSubstr("not a run file")));
  Group newer = to_dataset(sample_run());
  newer.attributes["schema_version"] = std::int64_t{2};
  write_dataset(folder / "newer.h5", newer);
  EXPECT_THAT(refusal([&] { read_run(folder / "newer.h5"); }), HasSubstr("newer program"));
}

// By hand: 3 of 4 right; tokens 2 + 2 + 2 + 4, of which 2 + 2 + 2 + 1 right; losses 0, 1, 1, 4.
TEST(run_file, summary_of_examples) {
  const std::vector<ExampleScore> examples{{true, 2, 2, 0}, {true, 2, 2, 1}, {true, 2, 2, 1}, {false, 1, 4, 4}};
  const LengthScore s = summarize(examples, Rng(1));
  EXPECT_EQ(s.examples, 4);
  EXPECT_EQ(s.scored_tokens, 10);
  EXPECT_EQ(s.exact_match.value, 0.75);
  EXPECT_EQ(s.exact_match.low, wilson(3, 4).low);
  EXPECT_DOUBLE_EQ(s.token_accuracy.value, 0.7);
  EXPECT_DOUBLE_EQ(s.loss.value, 0.6);
  EXPECT_LT(s.loss.low, 0.6);
  EXPECT_GT(s.loss.high, 0.6);
  EXPECT_TRUE(std::isnan(summarize({}, Rng(1)).exact_match.value));
}

// A window of 1023 tokens of mean loss 2 and one of a single token of loss 10 weigh by their tokens.
TEST(run_file, perplexity_over_unequal_windows) {
  const std::vector<ExampleScore> windows{{false, 0, 1023, 2046}, {false, 0, 1, 10}};
  EXPECT_NEAR(std::exp(summarize(windows, Rng(1)).loss.value), std::exp(2056.0 / 1024), 1e-12);
}

TEST(run_file, parameters_that_do_not_fit) {
  const std::vector<StoredParameter> found = sample_run().model;
  std::vector<ParameterShape> model(found.begin(), found.end());
  EXPECT_EQ(refusal([&] { check_parameters(model, found, "a.h5"); }), "nothing was refused");
  model[0].rows = 8;
  model[1].name = "fire.weight";
  const std::string text = refusal([&] { check_parameters(model, found, "a.h5"); });
  EXPECT_THAT(text, HasSubstr("'a.h5'"));
  EXPECT_THAT(text, HasSubstr("'layer.0.query' is 4 x 4, the model's is 8 x 4"));
  EXPECT_THAT(text, HasSubstr("'fire.weight' (2 x 3) is missing"));
  EXPECT_THAT(text, HasSubstr("'t5.table' (2 x 3) is not in the model"));
  EXPECT_THAT(text, Not(HasSubstr("t5.uses")));
}

TEST(run_file, reads_a_config_text) {
  const auto values =
      config_values("top = 1\r\n# a comment = no\n[rope]\n base=1e4 # theta\n[empty]\nkey =\n[text]\npath = a b.txt\n");
  EXPECT_EQ(values, (std::map<std::string, std::string>{
                        {"top", "1"}, {"rope.base", "1e4"}, {"empty.key", ""}, {"text.path", "a b.txt"}}));
}

}  // namespace
}  // namespace lengthwise
