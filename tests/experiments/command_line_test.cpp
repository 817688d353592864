#include "experiments/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <new>

#include "experiments/commands.h"
#include "experiments/config.h"
#include "experiments/settings.h"
#include "experiments/table.h"
#include "experiments/version.h"

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const Command train = {
    .name = "train",
    .usage = "CONFIG...",
    .sentence = "Trains.",
    .least_arguments = 1,
    .most_arguments = 3,
    .takes_overrides = true,
    .flags = {integer("count", 5).at_least(1).says("how many"), flag("all", false).says("all of them")}};
const Command plain = {.name = "plain", .sentence = "Takes nothing.", .action = [](const Invocation&) { return done; }};

Invocation parse(const std::vector<std::string>& words) { return parse_command_line(train, settings(), words); }

std::string refusal(const std::vector<std::string>& words, const Command& command = train) {
  try {
    parse_command_line(command, settings(), words);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(ParseCommandLine, TellsArgumentsFlagsAndOverridesApart) {
  const Invocation invocation =
      parse({"a b.ini", "--train.steps=5", "--count", "7", "--all", "c.ini", "--run.output", "my runs/x y"});
  EXPECT_THAT(invocation.arguments, ElementsAre("a b.ini", "c.ini"));
  EXPECT_THAT(invocation.overrides, ElementsAre("--train.steps=5", "--run.output=my runs/x y"));
  EXPECT_EQ(invocation.flags.count("count"), 7u);
  EXPECT_TRUE(invocation.flags.flag("all"));

  const Config config = read_config(settings(), {}, invocation.overrides);
  EXPECT_EQ(config["train"].integer("steps"), 5);
  EXPECT_EQ(config["run"].text("output"), "my runs/x y");
}

TEST(ParseCommandLine, FlagsHaveDefaults) {
  const Invocation invocation = parse({"a"});
  EXPECT_EQ(invocation.flags.count("count"), 5u);
  EXPECT_FALSE(invocation.flags.flag("all"));
  EXPECT_THAT(invocation.overrides, IsEmpty());
}

TEST(ParseCommandLine, KeepsOddValuesWhole) {
  EXPECT_THAT(parse({"a", "--run.name", ""}).overrides, ElementsAre("--run.name="));
  EXPECT_THAT(parse({"a", "--run.name=", "--run.seed=1"}).overrides, ElementsAre("--run.name=", "--run.seed=1"));
  EXPECT_THAT(parse({"--", "--run.name="}).arguments, ElementsAre("--run.name="));
  EXPECT_THAT(parse({"a", "--run.name=x=y"}).overrides, ElementsAre("--run.name=x=y"));
  EXPECT_THAT(parse({"a", "--run.seed", "-1"}).overrides, ElementsAre("--run.seed=-1"));  // read_config refuses it
  EXPECT_THAT(parse({"--", "--odd.ini"}).arguments, ElementsAre("--odd.ini"));
}

TEST(ParseCommandLine, TakesFullNamesOnly) {
  EXPECT_EQ(refusal({"a", "--train.lea=0.1"}), "unknown option train.lea. Did you mean 'learning_rate'?");
  EXPECT_THAT(refusal({"a", "--eval", "3"}), HasSubstr("unknown option eval."));
  EXPECT_EQ(refusal({"a", "--cou=3"}), "unknown option --cou. Did you mean '--count'? See lengthwise train --help.");
  EXPECT_THAT(refusal({"a", "-x"}), HasSubstr("unknown option"));
  EXPECT_EQ(refusal({"a", "-train.steps=3"}), "unknown option -train.steps. Did you mean --train.steps?");
  EXPECT_EQ(refusal({"a", "--steps=3"}), "unknown option steps. 'steps' is an option of [train].");
  EXPECT_EQ(refusal({"a", "--train.layers=3"}), "unknown option train.layers. 'layers' is an option of [model].");
  EXPECT_EQ(refusal({"--train.steps=3"}, plain), "unknown option --train.steps. See lengthwise plain --help.");
}

TEST(ParseCommandLine, RefusesBadFlagsAndCounts) {
  EXPECT_EQ(refusal({"a", "--count=0"}), "--count is '0'; it must be a whole number, at least 1 (default 5).");
  EXPECT_EQ(refusal({"a", "--count=1", "--count=2"}), "--count is given twice; keep one of the two.");
  EXPECT_EQ(refusal({"a", "--count"}), "--count has no value; write '--count=5'.");
  EXPECT_EQ(refusal({"a", "--run.name"}), "--run.name has no value; write --run.name=VALUE.");
  EXPECT_EQ(refusal({"a", "--model.tied_head"}),
            "--model.tied_head has no value; write '--model.tied_head=true' or '--model.tied_head=false'.");
  EXPECT_EQ(refusal({"a", "--count="}), "--count has no value; write '--count=5'.");
  EXPECT_EQ(refusal({"a", "--all=true"}), "--all stands alone; it takes no value.");
  EXPECT_EQ(refusal({"a", "--all="}), "--all stands alone; it takes no value.");
  EXPECT_EQ(refusal({}), "train needs an argument. Usage: lengthwise train CONFIG...");
  EXPECT_EQ(refusal({"a", "b", "c", "d"}), "train takes at most 3, not 4. Usage: lengthwise train CONFIG...");
  EXPECT_EQ(refusal({"a"}, plain), "plain takes no arguments, not 1. Usage: lengthwise plain");
}

struct Outcome {
  int code;
  std::string out, error;
};

Outcome run(const std::vector<std::string>& words, const std::vector<Command>& commands) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_program(commands, settings(), words);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

/// What the program makes of a command that throws.
template <class Error>
Outcome outcome_of(Error error) {
  const Command thrower = {
      .name = "throw", .sentence = "Throws.", .action = [&](const Invocation&) -> int { throw error; }};
  return run({"throw"}, {thrower});
}

TEST(RunProgram, ExitCodes) {
  EXPECT_EQ(run({"plain"}, {plain}).code, 0);
  EXPECT_EQ(outcome_of(RunError("the loss is nan")).code, 1);
  EXPECT_EQ(outcome_of(RunError("the loss is nan")).error, "lengthwise: the loss is nan\n");
  EXPECT_EQ(outcome_of(InputError("no such file")).code, 2);
  EXPECT_EQ(outcome_of(InputError("no such file")).error, "lengthwise: no such file\n");
  EXPECT_EQ(outcome_of(std::logic_error("oops")).code, 1);
  EXPECT_EQ(outcome_of(std::bad_alloc()).error, "lengthwise: out of memory\n");
  const Command stops = {.name = "stop", .sentence = "Stops.", .action = [](const Invocation&) { return interrupted; }};
  EXPECT_EQ(run({"stop"}, {stops}).code, 75);
}

TEST(RunProgram, UnknownCommandsNameTheNearest) {
  const Outcome outcome = run({"trian"}, {train, plain});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error,
            "lengthwise: unknown command 'trian'. Did you mean 'train'? lengthwise --help lists the commands.\n");
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_EQ(run({}, {train}).code, 2);
  EXPECT_THAT(run({}, {train}).error, HasSubstr("Usage: lengthwise COMMAND"));
}

TEST(RunProgram, Helps) {
  const Outcome all = run({"--help"}, {train, plain});
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, AllOf(HasSubstr("  train CONFIG...  Trains.\n"), HasSubstr("75 interrupted")));
  const Outcome one = run({"train", "x", "--help"}, {train, plain});
  EXPECT_EQ(one.code, 0);
  EXPECT_THAT(one.out, AllOf(HasSubstr("Usage: lengthwise train CONFIG... [--section.key=value ...]"),
                             HasSubstr("--count VALUE  how many (whole number, at least 1; default 5)"),
                             HasSubstr("--all          all of them\n")));
  EXPECT_THAT(run({"plain", "-h"}, {plain}).out, Not(HasSubstr("--section.key")));
}

TEST(RunProgram, KeepsTheLineAsTyped) {
  std::string line;
  const Command keeper = {.name = "keep",
                          .sentence = "Keeps.",
                          .most_arguments = any_number,
                          .takes_overrides = true,
                          .action = [&](const Invocation& invocation) {
                            line = invocation.command_line;
                            return done;
                          }};
  EXPECT_EQ(run({"keep", "a b.ini", "it's", "--run.seed=3"}, {keeper}).code, 0);
  EXPECT_EQ(line, R"(lengthwise keep 'a b.ini' 'it'\''s' --run.seed=3)");
}

TEST(Version, NamesBothHdf5VersionsWhenTheyDiffer) {
  EXPECT_EQ(hdf5_mismatch("1.10.8", "1.10.8", "/lib/x"), "");
  EXPECT_THAT(hdf5_mismatch("1.10.8", "1.12.0", "/opt/libhdf5.so"),
              AllOf(HasSubstr("1.10.8"), HasSubstr("1.12.0"), HasSubstr("/opt/libhdf5.so")));
  EXPECT_NO_THROW(check_libraries());
  const std::string text = version_text();
  for (const char* name : {"lengthwise ", "HDF5 ", "oneDNN ", "compiler ", "SIMD width ", "threads "})
    EXPECT_THAT(text, HasSubstr(name));
}

TEST(Table, AlignsCharactersNotBytes) {
  EXPECT_EQ(aligned({{"é", "b"}, {"ab", "c"}, {"alone"}}, " "), " é      b\n ab     c\n alone\n");
}

TEST(List, OptionsNamesEveryOne) {
  testing::internal::CaptureStdout();
  const Options flags({"list", "", {flag("markdown", false)}});
  EXPECT_EQ(list_command({.command_line = "", .arguments = {"options"}, .overrides = {}, .flags = flags}), done);
  const std::string text = testing::internal::GetCapturedStdout();
  for (const Section& section : all_sections())
    for (const OptionSpec& option : section.options)
      EXPECT_THAT(text, AllOf(HasSubstr(section.name + "." + option.name), HasSubstr(option.sentence)));
}

// The program itself.

Outcome lengthwise(const std::string& arguments) {
  std::FILE* pipe = popen((std::string("'") + PROGRAM + "' " + arguments + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot start the program");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text, ""};
}

TEST(Program, Answers) {
  EXPECT_EQ(lengthwise("--version").code, 0);
  EXPECT_THAT(lengthwise("--version").out, HasSubstr("oneDNN"));
  EXPECT_EQ(lengthwise("list options").code, 0);
  EXPECT_THAT(lengthwise("describe train").out, AllOf(HasSubstr("learning_rate"), HasSubstr("peak learning rate")));
  EXPECT_EQ(lengthwise("list options > /dev/full").code, 1);
}

TEST(Program, RefusesBadInputInOneLine) {
  for (const char* arguments : {"rnu", "list optoins", "describe trian", "list", "run --model.haeds=4",
                                "run /no/such/file.ini", "run --model.heads=four", "run --train.lengths=10,x"}) {
    const Outcome outcome = lengthwise(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.out, StartsWith("lengthwise: ")) << arguments;
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
  }
  EXPECT_THAT(lengthwise("list optoins").out, HasSubstr("Did you mean 'options'?"));
  EXPECT_THAT(lengthwise("describe trian").out, HasSubstr("Did you mean 'train'?"));
  EXPECT_THAT(lengthwise("describe ALiBi").out, HasSubstr("Did you mean 'alibi'?"));
  EXPECT_THAT(lengthwise("describe Rope").out, HasSubstr("Did you mean 'rope'?"));
  EXPECT_THAT(lengthwise("describe YaRN").out,
              HasSubstr("'yarn' is a value of rope.scaling. See lengthwise describe rope."));
  EXPECT_THAT(lengthwise("describe nope").out, HasSubstr("The word stands in what is said of none."));
  EXPECT_THAT(lengthwise("run copy_repeat").out,
              HasSubstr("is a task and no config file; write --task.name=copy_repeat"));
  EXPECT_THAT(lengthwise("run train.steps=3").out, HasSubstr("Did you mean --train.steps=3?"));
  EXPECT_THAT(lengthwise("run '" SOURCE_DIR "/configs/parit.ini'").out, HasSubstr("/configs/parity.ini'?"));
  EXPECT_THAT(lengthwise("sample pariti").out, HasSubstr("neither a task nor a config file. Did you mean 'parity'?"));
  EXPECT_THAT(lengthwise("run --task.name=parity --encoding.name=rope,alibi").out, HasSubstr("is not one name. Join"));
  EXPECT_THAT(lengthwise("show /tmp").out, HasSubstr("it is a folder; name the files in it, as in /tmp/*.h5"));
  EXPECT_THAT(lengthwise("describe rope.scaling").out, HasSubstr("See lengthwise describe rope."));
  EXPECT_THAT(lengthwise("run --task.name=copy_repeat --encoding.name=").out,
              HasSubstr("--encoding.name has no value; write '--encoding.name=none'"));
  EXPECT_THAT(lengthwise("run --task.name=copy_repeat --encoding.name=ALiBi").out, HasSubstr("Did you mean 'alibi'?"));
}

}  // namespace
}  // namespace lengthwise
