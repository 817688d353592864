// Whole runs, started as a user starts them.
#include "experiments/run.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "experiments/settings.h"
#include "files.h"

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Outcome program(const std::string& arguments) { return shell(std::string("'") + PROGRAM + "' " + arguments); }

// A run of a moment: 24 steps of a small model with dropout, validated and evaluated on the way.
std::string tiny(const Folder& folder, const std::string& more = "") {
  return "run --task.name=copy_repeat --train.lengths=1..6 --train.steps=24 --train.batch=8 --train.warmup=2 "
         "--model.width=16 --model.heads=2 --model.dropout=0.1 --encoding.name=t5 --evaluate.lengths=3,6,12 "
         "--evaluate.examples=16 --evaluate.every=10 --train.validate_every=8 --run.name=tiny --run.output='" +
         (folder / "out") + "' " + more;
}

std::string file(const Folder& folder) { return folder / "out/tiny.h5"; }

// Everything that a run measured or learned, as the bytes of its figures.
std::vector<std::string> numbers(const std::string& path) {
  const Group root = read_dataset(path);
  std::vector<std::string> all;
  const auto bytes = []<class V>(const std::vector<V>& values) {
    if constexpr (std::is_same_v<V, std::string>)
      return std::string();
    else
      return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(V));
  };
  const auto visit = [&](const auto& self, const Group& group) -> void {
    for (const auto& [name, variable] : group.variables)
      if (name != "seconds") all.push_back(name + std::visit(bytes, variable.values));
    for (const auto& [name, inner] : group.groups) self(self, inner);
  };
  visit(visit, root);
  return all;
}

TEST(Run, SameBitsAtAnyThreadCountAndEveryTime) {
  const Folder first;
  ASSERT_EQ(program(tiny(first, "--run.threads=1")).code, 0);
  const auto expected = numbers(file(first));
  EXPECT_GT(expected.size(), 40u);
  for (const char* threads : {"1", "2", "2", "3", "8"}) {
    const Folder again;
    ASSERT_EQ(program(tiny(again, std::string("--run.threads=") + threads)).code, 0);
    EXPECT_EQ(numbers(file(again)), expected) << threads << " threads";
  }
}

TEST(Run, FileHoldsWhatHappened) {
  const Folder folder;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  const RunFile run = read_run(file(folder));
  EXPECT_EQ(run.facts.status, "complete");
  EXPECT_EQ(run.train.size(), 24u);
  EXPECT_EQ(run.validation.size(), 3u);
  ASSERT_EQ(run.evaluations.size(), 1u);
  EXPECT_EQ(run.evaluations[0].steps, (std::vector<std::int64_t>{10, 20, 24}));
  EXPECT_EQ(run.evaluations[0].lengths, (std::vector<std::int64_t>{3, 6, 12}));
  EXPECT_EQ(run.evaluations[0].tokens, (std::vector<std::int64_t>{8, 14, 26}));
  EXPECT_EQ(run.facts.train_positions, 14);
  EXPECT_EQ(run.evaluations[0].scores[2][1].examples, 16);
  // BOS p SEP y holds 14 tokens at n = 6: distances up to 13 are trained, those up to 25 met at n = 12 are not.
  EXPECT_EQ(run.evaluations[0].scores[2][1].untrained_fraction, 0);
  EXPECT_GT(run.evaluations[0].scores[2][2].untrained_fraction, 0);
  EXPECT_THAT(run.facts.config, AllOf(HasSubstr("[t5]"), HasSubstr("max_distance = 128")));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out"});
  EXPECT_FALSE(std::filesystem::exists(folder / "out/tiny.checkpoint.h5"));
  expect_python(file(folder), "assert open('/evaluation/teacher_forced').sizes['length'] == 3");
}

// Three bits have 8 inputs, too few to keep apart from training's; four have 16, and eight were never trained.
TEST(Run, StoresAndWarnsOfInputsThatTrainingHasToo) {
  const Folder folder;
  const Outcome outcome = program(
      "run --task.name=parity --train.lengths=1..4 --train.steps=1 --model.width=16 "
      "--model.heads=2 --evaluate.lengths=3,4,8 --evaluate.examples=100 --run.name=tiny "
      "--run.output='" +
      (folder / "out") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              HasSubstr("training draws evaluated inputs, too (length 3, 100 % of 8 inputs). Scores there tell"));
  EXPECT_THAT(outcome.output,
              HasSubstr("evaluated inputs repeat (length 3, 92 %; length 4, 9"));  // 8 inputs in 100 examples
  EXPECT_THAT(outcome.output, HasSubstr("° training draws some of these inputs, too (overlap)"));
  EXPECT_THAT(outcome.output, HasSubstr("100.0 %"));
  EXPECT_THAT(outcome.output, HasSubstr("train.warmup = 100 outlasts train.steps = 1: the learning rate never"));
  EXPECT_EQ(read_run(file(folder)).evaluations[0].overlap, (std::vector<double>{1, 0, 0}));
  expect_python(file(folder), "assert list(open('/evaluation/teacher_forced').overlap) == [1, 0, 0]");
}

// Training by sampling draws pairs of every digit count, those that an axis names among them.
TEST(Run, StoresOverlapOfValuesThatTrainingLeavesToTheTask) {
  const Folder folder;
  const Outcome outcome = program(
      "run --task.name=add_dec --add_dec.base=2 --train.lengths=1..4 --train.steps=1 --model.width=16 --model.heads=2 "
      "--evaluate.lengths=1 --evaluate.axis='second_digits: 0..1' --evaluate.examples=100 --run.name=tiny "
      "--run.output='" +
      (folder / "out") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(read_run(file(folder)).evaluations[0].overlap, (std::vector<double>{1, 1}));
  EXPECT_THAT(outcome.output, HasSubstr("length 1 with second_digits = 1, 100 % of 4 inputs"));
}

TEST(Run, CountsEachInputOnce) {
  const Folder folder;
  const std::string parity =
      "--task.name=parity --train.lengths=1..4 --train.steps=1 --model.width=16 --model.heads=2 "
      "--evaluate.lengths=3,20 --evaluate.examples=100 --run.name=tiny --run.output='" +
      (folder / "out") + "' ";
  const Outcome outcome = program("run " + parity + "--evaluate.repeats=drop");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("inputs repeat")));
  const RunFile run = read_run(file(folder));
  const Evaluation* evaluation = run.evaluation("teacher_forced_distinct");
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->scores[0][0].examples, 8);
  EXPECT_EQ(evaluation->scores[0][1].examples, 100);
  EXPECT_EQ(evaluation->examples[0].size(), 8u);
  EXPECT_EQ(evaluation->repeated, (std::vector<double>{0.92, 0}));
  EXPECT_THAT(program("run --task.name=text --text.corpus=kjv --evaluate.repeats=drop").output,
              HasSubstr("text has windows of a text"));
}

// What the loss of the training record is of.
TEST(Run, SaysWhatItTrainsOn) {
  const Folder folder;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  const RunFile answers = read_run(file(folder));
  EXPECT_EQ(answers.train_loss, "mean loss of a scored token");
  const Folder other;
  const Outcome outcome = program(tiny(other, "--train.loss=all"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(program("show '" + file(other) + "'").output, HasSubstr("at step 24, of prompts, too"));
  const RunFile all = read_run(file(other));
  EXPECT_EQ(all.train_loss, "mean loss of a token, those of the prompt included");
  EXPECT_EQ(all.train_loss_unit, "nats");
  EXPECT_NE(all.train[0].loss, answers.train[0].loss);
  EXPECT_EQ(all.train[0].token_accuracy, answers.train[0].token_accuracy);  // of the answers, before the first update
  expect_python(file(other), "assert 'prompt' in open('/train').loss.attrs['long_name']");
}

// The last validation is of the last model: at the lengths of training, on examples that neither training nor
// evaluation has.
TEST(Run, ValidatesOnAStreamOfItsOwn) {
  const Folder folder;
  ASSERT_EQ(program(tiny(folder, "--train.validate_examples=60")).code, 0);
  const Experiment experiment =
      make_experiment(stored_config(all_sections(), read_run(file(folder)).facts.config, "", {}));
  const RunFile run = read_run(file(folder));
  const TrainedModel<float> loaded = load_model<float>(experiment, run, file(folder));
  const auto loss_of = [&](Stream stream) {
    double loss = 0, tokens = 0;
    for (std::size_t n = 1; n <= 6; ++n) {
      EvaluationSettings settings = experiment.evaluation;
      settings.stream = stream, settings.examples = 10, settings.longest = n;
      for (const ExampleScore& e :
           evaluate_length(*loaded.model, *experiment.task, *experiment.scheme, n, settings).examples)
        loss += e.loss, tokens += static_cast<double>(e.tokens_scored);
    }
    return loss / tokens;
  };
  const double validated = run.validation.back().loss;
  EXPECT_EQ(run.validation.back().step, 24);
  EXPECT_NEAR(validated, loss_of(Stream::validation), 1e-9);
  for (const Stream other : {Stream::train, Stream::evaluation}) EXPECT_GT(std::abs(validated - loss_of(other)), 1e-6);
}

TEST(Run, DiagnosticsOnRequest) {
  std::vector<std::vector<std::string>> found;
  for (const char* threads : {"1", "3"}) {
    const Folder folder;
    const Outcome outcome =
        program(tiny(folder, std::string("--evaluate.diagnostics=true --model.loops=2 ") + "--run.threads=" + threads));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("largest logit"));
    found.push_back(numbers(file(folder)));
    expect_python(file(folder), R"(
d = open('/diagnostics/teacher_forced')
assert dict(d.sizes) == {'layer': 4, 'head': 2, 'length': 3, 'distance': 6}, d.sizes
assert list(d.length) == [3, 6, 12] and list(d.distance) == [0, 1, 2, 4, 8, 16]
np.testing.assert_allclose(d.distance_profile.sum('distance'), 1, rtol=1e-5)
assert (d.attention_entropy > 0).all() and (d.mean_distance < d.length * 2 + 2).all()
)");
  }
  EXPECT_EQ(found[0], found[1]);
}

// Starts the program and does not wait.
pid_t start(const std::string& arguments) {
  const std::string command = std::string("exec '") + PROGRAM + "' " + arguments + " > /dev/null 2>&1";
  const pid_t child = fork();
  if (child == 0) execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  return child;
}

void wait_for(const std::string& path) {
  for (int i = 0; i < 4000 && !std::filesystem::exists(path); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(Run, UsesNoMoreThreadsThanAsked) {
  const Folder folder;
  std::string arguments = tiny(folder, "--run.threads=2 --run.checkpoint_seconds=0");
  arguments.replace(arguments.find("--train.steps=24"), 16, "--train.steps=100000");
  const pid_t child = start(arguments);
  wait_for(file(folder));
  std::size_t threads = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(child) + "/task"))
    threads += thread.is_directory();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(threads, 2u);
}

// Starts the program, waits until its first files are there (the checkpoint comes before the run file), sends the
// signal; returns how it ended.
int stop_with(int signal, const Folder& folder, const std::string& arguments) {
  const pid_t child = start(arguments);
  wait_for(file(folder));
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class Stopped : public testing::TestWithParam<int> {};

TEST_P(Stopped, GoesOnToTheSameBits) {
  // 256 hidden values a token: some rows in memory are padded, none in the files.
  const std::string longer = "--train.steps=150 --evaluate.every=70 --run.threads=2 --model.mlp_ratio=16 ";
  const auto arguments = [&](const Folder& folder) {
    std::string all = tiny(folder, longer);
    for (const char* twice : {"--train.steps=24 ", "--evaluate.every=10 "})
      all.erase(all.find(twice), std::strlen(twice));
    return all;
  };
  const Folder undisturbed, stopped;
  ASSERT_EQ(program(arguments(undisturbed)).code, 0);

  const int code = stop_with(GetParam(), stopped, arguments(stopped) + "--run.checkpoint_seconds=0");
  if (GetParam() == SIGKILL) {
    EXPECT_EQ(code, -SIGKILL);
  } else {
    EXPECT_EQ(code, 75);
    EXPECT_EQ(read_run(file(stopped)).facts.status, "interrupted");
  }
  EXPECT_LT(read_run(file(stopped)).train.size(), 150u);
  const Outcome resumed = program(arguments(stopped));
  EXPECT_EQ(resumed.code, 0);
  EXPECT_THAT(resumed.output, HasSubstr("going on from step"));
  EXPECT_EQ(numbers(file(stopped)), numbers(file(undisturbed)));
}
INSTANTIATE_TEST_SUITE_P(By, Stopped, testing::Values(SIGTERM, SIGINT, SIGUSR1, SIGKILL));

TEST(Run, SurvivesAStormOfSignals) {
  const Folder undisturbed, stormy;
  const std::string longer = "--train.steps=400 --run.threads=2 --evaluate.every=300 ";
  const auto arguments = [&](const Folder& folder) {
    std::string all = tiny(folder, longer);
    for (const char* twice : {"--train.steps=24 ", "--evaluate.every=10 "})
      all.erase(all.find(twice), std::strlen(twice));
    return all;
  };
  ASSERT_EQ(program(arguments(undisturbed)).code, 0);
  const pid_t child = start(arguments(stormy) + "--run.checkpoint_seconds=0");
  wait_for(file(stormy));
  for (int i = 0; i < 50; ++i) {
    kill(child, i % 2 ? SIGUSR1 : SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 75);
  ASSERT_EQ(program(arguments(stormy)).code, 0);
  EXPECT_EQ(numbers(file(stormy)), numbers(file(undisturbed)));
}

TEST(Run, StopsAtTheFirstLossThatIsNotFinite) {
  const Folder folder;
  const Outcome outcome = program(tiny(folder, "--train.learning_rate=1e30 --train.clip=0 --run.checkpoint_seconds=0"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("no update was made"));
  const RunFile run = read_run(file(folder));
  EXPECT_EQ(run.facts.status, "failed");
  EXPECT_THAT(run.facts.status_reason, HasSubstr("step"));
  EXPECT_LT(run.train.size(), 24u);
  for (const auto& parameter : read_run(folder / "out/tiny.checkpoint.h5").model)
    for (const double value : as_doubles(parameter.values)) ASSERT_TRUE(std::isfinite(value)) << parameter.name;
  expect_python(file(folder), "assert h5.attrs['status'] == 'failed'");
}

TEST(Run, NoSteps) {
  const Folder folder;
  std::string arguments = tiny(folder);
  arguments.replace(arguments.find("--train.steps=24"), 16, "--train.steps=0");
  ASSERT_EQ(program(arguments).code, 0);
  expect_python(
      file(folder),
      "assert open('/train').sizes['step'] == 0\nassert open('/evaluation/teacher_forced').sizes['step'] == 1");
}

TEST(Run, OutputsAreKept) {
  const Folder folder;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  const std::string before = slurp(file(folder));
  const Outcome again = program(tiny(folder));
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.output, HasSubstr("is complete"));
  const Outcome other = program(tiny(folder, "--run.seed=1"));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.output, HasSubstr("another config"));
  const Outcome refused = program(tiny(folder, "--run.if_exists=refuse"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(slurp(file(folder)), before);
  EXPECT_EQ(program(tiny(folder, "--run.seed=1 --run.if_exists=overwrite")).code, 0);
  EXPECT_EQ(read_run(file(folder)).facts.seed, 1u);
}

TEST(Run, OtherLengthsLeaveNothingBehind) {
  const Folder folder;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  std::string arguments = tiny(folder, "--run.if_exists=overwrite");
  arguments.replace(arguments.find("--evaluate.lengths=3,6,12"), 25, "--evaluate.lengths=4");
  ASSERT_EQ(program(arguments).code, 0);
  EXPECT_EQ(read_run(file(folder)).evaluations[0].lengths, std::vector<std::int64_t>{4});
}

TEST(Run, NamesAndFoldersAreKeptAsWritten) {
  const Folder folder;
  std::string arguments = tiny(folder);
  arguments.replace(arguments.find("--run.name=tiny"), 15, "'--run.name=模型 α'");
  arguments.replace(arguments.find("/out'"), 5, "/my résultats'");
  ASSERT_EQ(program(arguments).code, 0);
  expect_python(folder / "my résultats/模型 α.h5", "assert h5.attrs['name'] == '模型 α'");
}

TEST(Run, AnOpenFileIsNoObstacle) {  // results are renamed into place
  const Folder folder;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  const Outcome outcome = shell(
      "/usr/bin/python3 -c \"import h5py, subprocess, sys; f = h5py.File(sys.argv[1], 'r'); "
      "sys.exit(subprocess.call(sys.argv[2], shell=True) or int(f.attrs['seed'] != 0))\" '" +
      file(folder) + "' \"'" + PROGRAM + "' " + tiny(folder, "--run.seed=2 --run.if_exists=overwrite") + "\"");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(read_run(file(folder)).facts.seed, 2u);
}

TEST(Run, StoredConfigRunsAgain) {
  const Folder folder, other;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  std::ofstream(other / "stored.ini") << read_run(file(folder)).facts.config;
  ASSERT_EQ(program("run '" + other / "stored.ini" + "' '--run.output=" + other / "out" + "'").code, 0);
  EXPECT_EQ(numbers(file(other)), numbers(file(folder)));
}

TEST(Run, PrintsItsPath) {
  const Folder folder;
  const Outcome outcome = program(tiny(folder, "--print-path"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, file(folder) + "\n");
  EXPECT_TRUE(folder.names().empty());
}

TEST(Run, RefusesBeforeAnyWork) {
  const Folder folder;
  struct Case {
    std::string arguments, message;
  };
  const std::vector<Case> cases = {
      {"", "task.name"},
      {"--task.name=copy_repaet", "copy_repeat"},
      {"--task.name=parity --encoding.name=rop", "Did you mean 'rope'"},
      {"--task.name=parity --positions.scheme=sequentail", "sequentail"},
      {"--task.name=parity --model.heads=3", "divide"},
      {"--task.name=parity --model.width=5 --model.heads=1 --encoding.name=sinusoidal", "even"},
      {"--task.name=parity --model.heads=64 --encoding.name=rope", "even"},
      {"--task.name=parity --encoding.name=t5 --t5.max_distance=8", "max_distance"},
      {"--task.name=parity --train.lengths=1..8 --evaluate.lengths=9 --encoding.name=learned",
       "serves positions 0 to 10"},
      {"--task.name=parity --encoding.name=learned --positions.scheme=interpolated", "table"},
      {"--task.name=parity --encoding.name=learned --learned.positions=4", "learned.positions"},
      {"--task.name=copy_unique --copy_unique.symbols=8 --train.lengths=1..9", "8"},
      {"--task.name=copy_unique --copy_unique.symbols=8 --train.lengths=1..4 --evaluate.lengths=9", "8"},
      {"--task.name=bucket_sort --bucket_sort.symbols=0", "bucket_sort.symbols"},
      {"--task.name=text --text.path=/dev/null", "/dev/null"},
      {"--task.name=text", "text.path"},
      {"--task.name=text --text.path=/no/such/file", "/no/such/file"},
      {"--task.name=parity --train.lengths=0..4", "train.lengths"},
      {"--task.name=parity --train.steps=4294967297.5", "train.steps"},
      {"--task.name=parity --run.name=a/b", "run.name"},
      {"--task.name=parity --encoding.name=rope+rope", "twice"},
      {"--task.name=parity '--encoding.name=rope;none;alibi'", "model.layers is 2"},
      {"--task.name=parity --encoding.name=alibi/none/rope", "head groups"},
      {"--task.name=parity --evaluate.scored_last=3", "whole answers"},
      {"--task.name=parity --evaluate.windows=disjoint", "has no windows"},
      {"--task.name=text --text.corpus=kjv --evaluate.windows=sliding", "belong together"},
      {"--task.name=text --text.corpus=kjv --evaluate.windows=disjoint --evaluate.scored_last=4", "Set one of the two"},
      {"--task.name=text --text.corpus=kjv --evaluate.windows=disjoint --evaluate.examples=99999",
       "lower evaluate.examples"},
      {"--task.name=parity --model.mlp_ratio=1e18", "at most 64"},
      {"--task.name=parity --model.mlp_ratio=0.001", "hidden features"},
      {"--task.name=parity --train.init_hash=0123", "train.init_from names none"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = program("run '--run.output=" + folder / "out" + "' " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(message)) << arguments;
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(Run, LengthsThatAnEncodingCannotServeCanBeMarked) {
  const Folder folder;
  std::string arguments = tiny(folder, "--evaluate.undefined=mark");
  arguments.replace(arguments.find("--encoding.name=t5"), 18, "--encoding.name=learned");
  ASSERT_EQ(program(arguments).code, 0);
  const RunFile run = read_run(file(folder));
  EXPECT_TRUE(std::isfinite(run.evaluations[0].scores.back()[1].loss.value));
  EXPECT_TRUE(std::isnan(run.evaluations[0].scores.back()[2].loss.value));
  EXPECT_EQ(run.evaluations[0].scores.back()[2].examples, 0);
}

TEST(Evaluate, LeavesTheRunAloneAndAgreesWithIt) {
  const Folder folder;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  const std::string before = slurp(file(folder));
  ASSERT_EQ(program("evaluate '" + file(folder) + "' --evaluate.lengths=6,20 --evaluate.examples=16").code, 0);
  EXPECT_EQ(slurp(file(folder)), before);
  const RunFile run = read_run(file(folder));
  std::string beside;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out"))
    if (entry.path().filename().string().rfind("tiny.evaluate-", 0) == 0) beside = entry.path();
  ASSERT_FALSE(beside.empty());
  const RunFile evaluated = read_run(beside);
  EXPECT_EQ(evaluated.evaluations[0].lengths, (std::vector<std::int64_t>{6, 20}));
  EXPECT_EQ(evaluated.evaluations[0].scores[0][0].loss.value, run.evaluations[0].scores.back()[1].loss.value);
  EXPECT_EQ(evaluated.evaluations[0].scores[0][0].untrained_fraction, 0);
  EXPECT_GT(evaluated.evaluations[0].scores[0][1].untrained_fraction, 0);
  EXPECT_EQ(program("evaluate '" + file(folder) + "' --positions.scheme=interpolated --evaluate.lengths=12").code, 0);
  EXPECT_EQ(program("evaluate '" + file(folder) + "' --model.loops=3 --evaluate.lengths=12").code, 0);
  const Outcome refused = program("evaluate '" + file(folder) + "' --model.width=32");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.output, HasSubstr("model.width"));
}

// Grids of 3 to 4 rows and of 2 or 3 columns in training; evaluated on more of both, then on others.
TEST(Run, HasASecondAxis) {
  const Folder folder, threads;
  const auto arguments = [](const Folder& to, const std::string& more) {
    return "run --task.name=grid_copy --train.lengths=3..4 '--train.axis=width: 2,3' --train.steps=6 "
           "--train.validate_every=6 --train.batch=8 --model.attention=bidirectional --model.width=16 --model.heads=2 "
           "--encoding.name=rope --evaluate.lengths=3,5 '--evaluate.axis=width: 2..4' --evaluate.examples=16 "
           "--evaluate.every=3 --run.name=tiny --run.output='" +
           (to / "out") + "' " + more;
  };
  ASSERT_EQ(program(arguments(folder, "--run.threads=1")).code, 0);
  const Evaluation found = read_run(file(folder)).evaluations.at(0);
  EXPECT_EQ(found.axis_values, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(found.steps, (std::vector<std::int64_t>{3, 6}));
  ASSERT_EQ(found.scores.at(1).size(), 6u);
  EXPECT_EQ(found.scores[1][4].scored_tokens, 16 * 5 * 3);
  ASSERT_EQ(program(arguments(threads, "--run.threads=2")).code, 0);
  EXPECT_EQ(numbers(file(threads)), numbers(file(folder)));

  ASSERT_EQ(program("evaluate '" + file(folder) + "' '--evaluate.axis=width: 3,7' --evaluate.lengths=5").code, 0);
  const Outcome refused = program("evaluate '" + file(folder) + "' '--train.axis=width: 9'");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.output, HasSubstr("train.axis"));
}

// A model of bytes, trained on 8 of them for a moment.
std::string tiny_text(const Folder& folder, const std::string& more) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + i * i % 23);
  std::ofstream(folder / "text.txt") << text;
  return "run --task.name=text '--text.path=" + folder / "text.txt" +
         "' --train.lengths=8 --train.steps=20 --train.batch=8 --model.width=16 --model.heads=2 --encoding.name=rope "
         "--evaluate.lengths=8,16 --evaluate.examples=10 --run.name=tiny '--run.output=" +
         folder / "out" + "' " + more;
}

TEST(Run, ScoresTheSameBytesThroughLongerWindows) {
  const Folder folder;
  const Outcome outcome = program(tiny_text(folder, "--evaluate.scored_last=4"));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("text.txt: 3000 bytes: training 2550"), HasSubstr("context gain [95 %]")));
  const Evaluation found = read_run(file(folder)).evaluations.at(0);
  const auto& scores = found.scores.at(0);
  EXPECT_EQ(scores[0].context_gain.value, 0);
  EXPECT_NEAR(scores[1].context_gain.value, (scores[0].loss.value - scores[1].loss.value) / std::log(2.0), 1e-9);
  EXPECT_LE(scores[1].context_gain.low, scores[1].context_gain.value);
  expect_python(file(folder), R"(
p = open("by_position/last_4")
assert p.loss.dims == ("length", "bucket") and p.bucket.values.tolist() == [0, 1, 2, 4, 8]
assert p.tokens.values.tolist() == [[0, 0, 0, 40, 0], [0, 0, 0, 0, 40]]
e = open("evaluation/last_4")
np.testing.assert_allclose([p.loss[0, 3], p.loss[1, 4]], e.loss[0])
assert h5.attrs["data"].endswith("training 2550, validation 150, evaluation 300")
)");
}

TEST(Run, ReadsATextWindowAfterWindow) {
  const Folder sliding, disjoint;
  ASSERT_EQ(program(tiny_text(sliding, "--evaluate.windows=sliding --evaluate.stride=2 --run.threads=1")).code, 0);
  ASSERT_EQ(program(tiny_text(disjoint, "--evaluate.windows=disjoint --run.threads=2")).code, 0);
  for (const auto& [folder, name, covered] :
       {std::tuple(&sliding, "sliding_2", 16 + 9 * 2), std::tuple(&disjoint, "disjoint", 16 * 10)}) {
    const Evaluation found = read_run(file(*folder)).evaluations.at(0);
    EXPECT_EQ(found.name, name);
    for (const LengthScore& score : found.scores.at(0)) EXPECT_EQ(score.scored_tokens, covered);
  }
  EXPECT_EQ(read_run(file(sliding)).evaluations[0].scores[0][0].examples, 1 + (34 - 8) / 2);
  EXPECT_EQ(read_run(file(disjoint)).evaluations[0].scores[0][0].examples, 20);
  expect_python(file(sliding), R"(
at = open('/evaluation/sliding_2').attrs
assert at['windows'] == 'sliding' and at['stride'] == 2 and at['scored_last'] == 0, at
)");
  // The same model in another way, beside it: told apart by name and attributes.
  const Outcome changed = program("evaluate '" + file(sliding) +
                                  "' --evaluate.windows=spread --evaluate.stride=0 --evaluate.scored_last=3 "
                                  "--run.name=last --run.output='" +
                                  (sliding / "out") + "'");
  ASSERT_EQ(changed.code, 0) << changed.output;
  expect_python(sliding / "out/last.h5", R"(
at = open('/evaluation/last_3').attrs
assert at['scored_last'] == 3 and 'stride' not in at, at
)");
}

TEST(Evaluate, RefusesWhatIsNoFinishedRun) {
  const Folder folder;
  std::ofstream(folder / "text.h5") << "no HDF5";
  EXPECT_EQ(program("evaluate '" + folder / "text.h5" + "'").code, 2);
  EXPECT_EQ(program("evaluate '" + folder / "missing.h5" + "'").code, 2);
}

// A run that goes on from tiny's, at other lengths.
std::string onward(const Folder& folder, const std::string& more) {
  return "run --task.name=copy_repeat --train.batch=8 --train.warmup=2 --model.width=16 --model.heads=2 "
         "--model.dropout=0.1 --evaluate.lengths=3,6,12 --evaluate.examples=16 --run.name=onward --run.output='" +
         (folder / "out") + "' --train.init_from='" + file(folder) + "' " + more;
}
std::string onward_file(const Folder& folder) { return folder / "out/onward.h5"; }

TEST(InitFrom, StartsWhereTheRunEnded) {
  const Folder folder;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  ASSERT_EQ(program(onward(folder, "--encoding.name=t5 --train.lengths=1..3 --train.steps=0")).code, 0);
  const RunFile origin = read_run(file(folder)), run = read_run(onward_file(folder));
  for (std::size_t l = 0; l < 3; ++l) {
    const LengthScore &expected = origin.evaluations[0].scores.back()[l], &found = run.evaluations[0].scores.back()[l];
    EXPECT_EQ(found.loss.value, expected.loss.value);
    EXPECT_EQ(found.untrained_fraction, expected.untrained_fraction);  // though this run touched nothing
  }
  EXPECT_THAT(run.facts.config, HasSubstr("init_hash = " + origin.facts.config_hash));
}

// Another order of draws, a new schedule and new moments; and from an interruption on to the same bits.
TEST(InitFrom, TrainsAnewAndResumes) {
  const Folder folder, stopped;
  ASSERT_EQ(program(tiny(folder)).code, 0);
  const std::string more = "--encoding.name=t5 --train.lengths=1..6 --train.steps=150 --run.threads=2 ";
  ASSERT_EQ(program(onward(folder, more)).code, 0);
  const RunFile origin = read_run(file(folder)), run = read_run(onward_file(folder));
  EXPECT_EQ(run.train.front().learning_rate, origin.train.front().learning_rate);
  std::vector<std::int64_t> drawn, drawn_before;  // two steps may well read equally many tokens, twenty hardly
  for (std::size_t step = 0; step < 20; ++step) {
    drawn.push_back(run.train[step].tokens);
    drawn_before.push_back(origin.train[step].tokens);
  }
  EXPECT_NE(drawn, drawn_before);

  ASSERT_EQ(program(tiny(stopped)).code, 0);
  const pid_t child = start(onward(stopped, more + "--run.checkpoint_seconds=0"));
  wait_for(onward_file(stopped));
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 75);
  ASSERT_EQ(program(onward(stopped, more)).code, 0);
  EXPECT_EQ(numbers(onward_file(stopped)), numbers(onward_file(folder)));
}

// tiny's L is 14 tokens. It stays the L of formulas while training goes on at 26 tokens, whose distances count as
// trained; and the run that it came from may be gone.
TEST(InitFrom, KeepsTheFirstLengthOfFormulas) {
  const Folder folder;
  std::string first = tiny(folder);
  first.replace(first.find("--encoding.name=t5"), 18, "--encoding.name=rope+t5");
  ASSERT_EQ(program(first).code, 0);
  const std::string more = "--encoding.name=rope+t5 --train.lengths=12 --train.steps=5 --rope.scaling=linear ";
  ASSERT_EQ(program(onward(folder, more)).code, 0);
  const RunFile run = read_run(onward_file(folder));
  EXPECT_EQ(run.facts.train_positions, 26);
  EXPECT_EQ(run.facts.original_positions, 14);
  EXPECT_THAT(run.facts.config, HasSubstr("original_positions = 14"));
  EXPECT_EQ(run.evaluations[0].scores.back()[2].untrained_fraction, 0);

  std::filesystem::remove(file(folder));
  const auto loss_with = [&](const std::string& options) {
    const Outcome outcome =
        program("evaluate '" + onward_file(folder) + "' --evaluate.lengths=12 --evaluate.examples=16 " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    const std::string path = outcome.output.substr(outcome.output.rfind('/', outcome.output.rfind(".evaluate-")) + 1);
    const RunFile evaluated = read_run(folder / ("out/" + path.substr(0, path.find('\n'))));
    return evaluated.evaluations[0].scores[0][0].loss.value;
  };
  const double trained = run.evaluations[0].scores.back()[2].loss.value;
  EXPECT_EQ(loss_with(""), trained);
  EXPECT_EQ(loss_with("--rope.original_length=14"), trained);
  EXPECT_NE(loss_with("--rope.original_length=26"), trained);
}

TEST(InitFrom, RefusesWhatDoesNotFit) {
  const Folder folder;
  EXPECT_EQ(program(onward(folder, "--encoding.name=t5")).code, 2);  // there is no such file
  ASSERT_EQ(program(tiny(folder)).code, 0);
  const auto refusal = [&](const std::string& more) {
    const Outcome outcome = program(onward(folder, more));
    EXPECT_EQ(outcome.code, 2) << more;
    return outcome.output;
  };
  EXPECT_THAT(refusal("--encoding.name=t5 --model.mlp_ratio=2"),
              AllOf(HasSubstr("'blocks.0.mlp.up.weight' is 64 x 16, the model's is 32 x 16"), HasSubstr("tiny.h5")));
  EXPECT_THAT(refusal("--encoding.name=rope"), HasSubstr("'t5.table' (2 x 32) is not in the model"));
  EXPECT_THAT(refusal("--encoding.name=t5 --train.init_hash=0123"), HasSubstr("another config"));
  EXPECT_FALSE(std::filesystem::exists(onward_file(folder)));
}

// swin_bias knows the displacements of its table alone, so that the config cannot tell that a larger grid leaves it.
TEST(Run, WhatAnEncodingRefusesIsRefusedBeforeTraining) {
  const Folder folder;
  const Outcome outcome = program(
      "run --task.name=mines --model.attention=bidirectional --positions.scheme=grid --encoding.name=swin_bias "
      "--swin_bias.height=3 --swin_bias.width=3 --train.lengths=3 --evaluate.lengths=3,5 --model.width=16 "
      "--model.heads=2 "
      "--train.steps=3 --run.name=tiny --run.output='" +
      (folder / "out") + "'");
  EXPECT_EQ(outcome.code, 2) << outcome.output;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("--evaluate.lengths: length 5: swin_bias"), Not(HasSubstr("step 3"))));
  EXPECT_FALSE(std::filesystem::exists(file(folder)));
}

}  // namespace
}  // namespace lengthwise
