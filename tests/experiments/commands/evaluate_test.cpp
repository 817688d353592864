// What `lengthwise evaluate` may change about a trained run, each kind through the program.
#include <gmock/gmock.h>

#include <cmath>

#include "experiments/run_file.h"
#include "tests/experiments/commands/trained.h"
#include "tests/experiments/sample_run.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

// Strings of 6 symbols have 14 tokens, those of 12 have 26.
class CopyRun : public Trained {
 public:
  explicit CopyRun(const std::string& options)
      : Trained(
            "--task.name=copy_repeat --train.lengths=1..6 --train.steps=5 --train.batch=8 --train.learning_rate=0.01 "
            "--evaluate.lengths=6,12 --evaluate.examples=8 --evaluate.undefined=mark " +
            options) {}

  /// The losses at lengths 6 and 12.
  std::vector<double> losses() const { return losses_of(read_run(path())); }
  std::vector<double> losses(const std::string& changes) const { return losses_of(evaluated(changes)); }
  Outcome evaluate(const std::string& changes) const { return program("evaluate", changes); }

 private:
  static std::vector<double> losses_of(const RunFile& run) {
    const auto& scores = run.evaluations.at(0).scores.back();
    return {scores.at(0).loss.value, scores.at(1).loss.value};
  }
};

TEST(EvaluateChanges, ScalingsOfRotaryPositions) {
  const CopyRun run("--encoding.name=rope");
  const std::vector<double> plain = run.losses();
  for (const char* scaling : {"linear", "ntk", "yarn", "llama3"}) {
    const auto scaled = run.losses(join("--rope.scaling=", scaling, " --rope.factor=4"));
    EXPECT_TRUE(std::isfinite(scaled[1])) << scaling;
    EXPECT_NE(scaled[1], plain[1]) << scaling;
    EXPECT_EQ(run.losses(join("--rope.scaling=", scaling, " --rope.factor=1")), plain) << scaling;
  }
  const auto dynamic = run.losses("--rope.scaling=dynamic_ntk");
  EXPECT_EQ(dynamic[0], plain[0]);  // no longer than training
  EXPECT_NE(dynamic[1], plain[1]);
  const std::string factors = "--rope.scaling=longrope --rope.short_factors=1,1,1,1 --rope.long_factors=1,1.5,2,2";
  const auto searched = run.losses(factors + " --rope.attention_factor=1");
  EXPECT_EQ(searched[0], plain[0]);
  EXPECT_NE(searched[1], plain[1]);
  const Outcome twice = run.evaluate("--rope.scaling=linear --rope.factor=4 --positions.scheme=interpolated");
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.output, HasSubstr("a second time"));
}

TEST(EvaluateChanges, PositionSchemes) {
  const CopyRun run("--encoding.name=rope");
  const std::vector<double> plain = run.losses();
  const auto interpolated = run.losses("--positions.scheme=interpolated");
  EXPECT_EQ(interpolated[0], plain[0]);
  EXPECT_NE(interpolated[1], plain[1]);
  // Division of ids and of frequencies are the same angles, but for rounding.
  EXPECT_NEAR(run.losses("--positions.scheme=interpolated --interpolated.factor=4")[1],
              run.losses("--rope.scaling=linear --rope.factor=4")[1], 1e-4);
  for (const char* as_trained : {"shifted", "jittered", "randomized --randomized.eval_ids=identity"})
    EXPECT_EQ(run.losses(join("--positions.scheme=", as_trained)), plain) << as_trained;
  const auto sampled = run.losses("--positions.scheme=randomized"),
             even = run.losses("--positions.scheme=randomized --randomized.eval_ids=even");
  EXPECT_TRUE(sampled[1] != plain[1] && even[1] != plain[1] && sampled[1] != even[1]);
  EXPECT_EQ(run.evaluate("--positions.scheme=randomized --randomized.range=20").code, 2);  // 26 tokens
}

TEST(EvaluateChanges, LearnedTablesBeyondTheirEnd) {
  const CopyRun run("--encoding.name=learned");
  EXPECT_TRUE(std::isnan(run.losses()[1]));
  std::vector<double> found;
  for (const char* past : {"clamp", "tile", "resample", "resample --learned.kernel=cubic"}) {
    const auto served = run.losses(join("--learned.past=", past));
    EXPECT_EQ(served[0], run.losses()[0]) << past;
    EXPECT_TRUE(std::isfinite(served[1])) << past;
    found.push_back(served[1]);
  }
  std::ranges::sort(found);
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());  // four policies, four results
  const Outcome larger = run.evaluate("--learned.positions=64");
  EXPECT_EQ(larger.code, 2);
  EXPECT_THAT(larger.output, HasSubstr("learned.positions"));
}

TEST(EvaluateChanges, Grids) {
  const std::string grid = " --positions.scheme=grid --grid.columns=4";
  const CopyRun learned("--encoding.name=vit_learned --vit_learned.rows=4 --vit_learned.columns=4" + grid);
  const double cubic = learned.losses()[1];
  EXPECT_TRUE(std::isfinite(cubic));
  for (const char* change : {"--vit_learned.kernel=linear", "--vit_learned.kernel=nearest",
                             "--vit_learned.antialias=true", "--vit_learned.align_corners=true"}) {
    const double changed = learned.losses(change)[1];
    EXPECT_TRUE(std::isfinite(changed) && changed != cubic) << change;
  }
  const CopyRun fixed("--encoding.name=sincos2d" + grid);
  const auto rescaled = fixed.losses("--grid.reference_rows=4");  // of 4 rows in training
  EXPECT_EQ(rescaled[0], fixed.losses()[0]);
  EXPECT_NE(rescaled[1], fixed.losses()[1]);
}

TEST(EvaluateChanges, BlocksOfXpos) {
  const CopyRun run("--encoding.name=xpos");
  EXPECT_NE(run.losses("--xpos.block=4")[1], run.losses()[1]);
  EXPECT_EQ(run.losses("--xpos.block=64"), run.losses());
}

TEST(EvaluateChanges, AreNamedInTheFileAndWrittenWhereAsked) {
  const Folder folder;
  const CopyRun trained("--encoding.name=rope");
  const Outcome outcome = trained.evaluate("--rope.scaling=linear --rope.factor=2 --run.name=mine --run.output='" +
                                           (folder / "else") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("changed rope.scaling=linear rope.factor=2"));
  EXPECT_EQ(read_run(folder / "else/mine.h5").evaluations.size(), 1u);
}

TEST(EvaluateChanges, WhatTrainingFixedIsRefused) {
  const CopyRun run("--encoding.name=rope");
  for (const char* fixed : {"--rope.base=500", "--encoding.name=alibi", "--model.layers=3", "--task.name=parity"}) {
    const Outcome outcome = run.evaluate(fixed);
    EXPECT_EQ(outcome.code, 2) << fixed;
    EXPECT_THAT(outcome.output, HasSubstr(std::string(fixed).substr(2, std::string(fixed).find('=') - 2)));
  }
}

TEST(Evaluate, NeedsACompleteRunWithItsModel) {
  const Folder folder;
  const auto said = [&](const RunFile& run, const char* command = "evaluate") {
    write_run(folder / "a.h5", run);
    const Outcome outcome = shell(join("'", PROGRAM, "' ", command, " '", folder / "a.h5", "'"));
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    return outcome.output;
  };
  RunFile run = sample_run();
  run.facts.status = "failed", run.facts.status_reason = "the loss of step 2 is not a number";
  for (const char* command : {"evaluate", "generate"})
    EXPECT_THAT(said(run, command),
                HasSubstr("a.h5 has no trained model, as its run failed: the loss of step 2 is not a number\n"));
  run.facts.status = "interrupted", run.facts.command_line = "lengthwise run my.ini";
  EXPECT_THAT(said(run), HasSubstr("Its own command finishes it: lengthwise run my.ini\n"));
  run.facts.status = "complete", run.model.clear();
  EXPECT_THAT(said(run), HasSubstr("a.h5 holds no model"));
}

}  // namespace
}  // namespace lengthwise
