// Free-running decoding through the program: `generate`, and `evaluate.decoding = free_running`.
#include <gmock/gmock.h>

#include "tests/experiments/commands/trained.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

// Learns that an answer is one symbol and then ends; which symbol stays a guess, so that some answers are right.
const std::string parity =
    "--task.name=parity --train.lengths=3..5 --train.steps=80 --train.batch=16 --train.learning_rate=0.01 "
    "--encoding.name=alibi --evaluate.lengths=5,9 --evaluate.examples=64";

TEST(FreeRunning, GreedyAnswersAreRightWhereEveryArgMaxIs) {
  const Trained trained(parity);
  std::string shown;
  const RunFile free = trained.evaluated("--evaluate.decoding=free_running", &shown), forced = read_run(trained.path());
  EXPECT_THAT(shown, HasSubstr("endless"));
  const Evaluation* written = free.evaluation("free_running");
  ASSERT_TRUE(written);
  std::size_t right = 0;
  for (std::size_t l = 0; l < 2; ++l) {
    for (std::size_t e = 0; e < 64; ++e) {
      EXPECT_EQ(written->examples[l][e].exact, forced.evaluations[0].examples[l][e].exact) << l << " " << e;
      EXPECT_EQ(written->examples[l][e].tokens_scored, 1);
      right += written->examples[l][e].exact;
    }
    const LengthScore& score = written->scores.back()[l];
    EXPECT_TRUE(std::isnan(score.loss.value));
    EXPECT_GE(score.never_stopped, 0);
    EXPECT_LT(score.never_stopped, 0.5);
  }
  EXPECT_GT(right, 10u);
  EXPECT_LT(right, 118u);
}

TEST(FreeRunning, RefusesTasksWithoutAnAnswerToWrite) {
  const Outcome dense =
      shell(join("'", PROGRAM, "' run --task.name=flip_flop --train.lengths=3..6 --evaluate.decoding=free_running"));
  EXPECT_EQ(dense.code, 2);
  EXPECT_THAT(dense.output, HasSubstr("evaluate.decoding"));
  const Outcome encoder = shell(
      join("'", PROGRAM, "' run --task.name=parity --model.attention=bidirectional --evaluate.decoding=free_running"));
  EXPECT_EQ(encoder.code, 2);
}

TEST(Generate, AnswersAnExampleOrAPrompt) {
  const Trained trained(parity);
  const Outcome example = trained.program("generate", "--length=7 --index=3");
  EXPECT_EQ(example.code, 0) << example.output;
  for (const char* word : {"prompt     BOS ", "generated  ", "right      "})
    EXPECT_THAT(example.output, HasSubstr(word));
  const Outcome prompt = trained.program("generate", "--prompt '1 0 1 1'");
  EXPECT_EQ(prompt.code, 0) << prompt.output;
  EXPECT_THAT(prompt.output, HasSubstr("prompt     BOS 1 0 1 1 SEP"));
  EXPECT_THAT(prompt.output, HasSubstr("EOS"));
  EXPECT_EQ(trained.program("generate", "--prompt '1 0 1 1'").output, prompt.output);
  const Outcome drawn = trained.program("generate", "--prompt '1 0' --temperature=5 --seed=1 --tokens=30");
  EXPECT_EQ(drawn.code, 0) << drawn.output;
  EXPECT_NE(trained.program("generate", "--prompt '1 0' --temperature=5 --seed=2 --tokens=30").output, drawn.output);
}

TEST(Generate, SaysWhatItCannotRead) {
  const Trained trained(parity);
  const Outcome unknown = trained.program("generate", "--prompt '1 2'");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("'2' is no symbol of task parity"));
  EXPECT_EQ(trained.program("generate", "--prompt '1' --length=4").code, 2);
  EXPECT_EQ(trained.program("generate", "--prompt '1' --parity.sampler=count_uniform").code, 2);
}

TEST(Generate, GoesOnWithAText) {
  const Folder folder;
  std::ofstream(folder / "a.txt") << [] {
    std::string text;
    for (int i = 0; i < 400; ++i) text += "abcd";
    return text;
  }();
  const Trained trained("--task.name=text --text.path='" + folder / "a.txt" +
                        "' --train.lengths=16 --train.length_law=fixed --train.steps=60 --train.learning_rate=0.01 "
                        "--train.batch=8 --encoding.name=rope --evaluate.lengths=16 --evaluate.examples=64");
  const Outcome written = trained.program("generate", "--prompt=dabc --tokens=8");
  EXPECT_EQ(written.output, "dabcdabcdabc\n");
}

}  // namespace
}  // namespace lengthwise
