#include "experiments/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "experiments/settings.h"

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

const std::vector<std::string> used = {"run", "task", "copy_toy", "model", "train"};

/// The fixed sections and three modules.
std::vector<Section> sections() {
  std::vector<Section> all = settings();
  all.push_back({"copy_toy", "A task.", {integer("symbols", 8).at_least(2).says("size of the alphabet")}});
  all.push_back({"sort_toy", "A task.", {integer("symbols", 5).at_least(2).says("size of the alphabet")}});
  all.push_back({"rope_toy", "An encoding.", {real("base", 10000).above(0).says("slowest wavelength / 2 pi")}});
  return all;
}

class ConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / (std::string("lengthwise_config_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  Config read(const std::string& content, const std::vector<std::string>& overrides = {}) const {
    return read_config(sections(), {file("a.ini", content)}, overrides);
  }
  /// The message with which a file is refused, without the folder's name.
  std::string refusal(const std::string& content, const std::vector<std::string>& overrides = {}) const {
    try {
      read(content, overrides);
      return "accepted";
    } catch (const InputError& error) {
      std::string message = error.what();
      const std::string prefix = folder_.string() + "/";
      if (const auto at = message.find(prefix); at != message.npos) message.erase(at, prefix.size());
      return message;
    }
  }

  std::filesystem::path folder_;
};

TEST_F(ConfigTest, DefaultsNeedNoFile) {
  const Config config = read_config(sections(), {}, {});
  EXPECT_EQ(config["train"].integer("steps"), 1000);
  EXPECT_EQ(config["train"].list("lengths").size(), 40u);
  EXPECT_EQ(config["encoding"].text("name"), "none");
  EXPECT_FALSE(config.is_set("train", "steps"));
  EXPECT_EQ(config.where("train", "steps"), "train.steps");
}

TEST_F(ConfigTest, ReadsSectionsCommentsAndBlanks) {
  const Config config = read(
      "# a comment\n"
      "train.batch = 16\n"
      "\n"
      "[train]   # another\n"
      "  steps = 1000 # 1M later\n"
      "lengths=1..20, 30\n"
      "\t[run]\n"
      "output = my runs/a  b.h5   # blanks inside are kept\n"
      "name =\n");
  EXPECT_EQ(config["train"].integer("steps"), 1000);
  EXPECT_EQ(config["train"].integer("batch"), 16);
  EXPECT_EQ(config["train"].list("lengths").size(), 21u);
  EXPECT_EQ(config["run"].text("output"), "my runs/a  b.h5");
  EXPECT_EQ(config["run"].text("name"), "");
  EXPECT_TRUE(config.is_set("run", "name"));
  EXPECT_THAT(config.where("train", "steps"), EndsWith("a.ini:5: train.steps"));
}

TEST_F(ConfigTest, LaterFilesOverrideEarlierAndTheCommandLineOverridesAll) {
  const std::string base = file("base.ini", "[train]\nsteps = 1\nbatch = 1\nclip = 0\nlengths = 1,2,3\n");
  const std::string late = file("late.ini", "[train]\nbatch = 2\nclip = 2\nlengths = 4\n");
  const Config config = read_config(sections(), {base, late}, {"--train.clip=3", "--run.output=my runs/a b.h5"});
  EXPECT_EQ(config["train"].integer("steps"), 1);
  EXPECT_EQ(config["train"].integer("batch"), 2);
  EXPECT_EQ(config["train"].real("clip"), 3);
  EXPECT_THAT(config["train"].list("lengths"), ElementsAre(4));  // replaced, not appended to
  EXPECT_EQ(config["run"].text("output"), "my runs/a b.h5");
  EXPECT_EQ(config.where("train", "batch"), late + ":2: train.batch");
  EXPECT_EQ(config.where("train", "clip"), "--train.clip");
}

TEST_F(ConfigTest, EveryModuleGetsItsOwnOptions) {
  const Config config = read("[copy_toy]\nsymbols = 3\n[sort_toy]\nsymbols = 9\n[rope_toy]\nbase = 500\n");
  EXPECT_EQ(config["copy_toy"].integer("symbols"), 3);
  EXPECT_EQ(config["sort_toy"].integer("symbols"), 9);
  EXPECT_EQ(config["rope_toy"].real("base"), 500);
  EXPECT_THROW(config["rope_tyo"], InputError);
}

TEST_F(ConfigTest, WindowsFilesReadTheSame) {
  const std::string unix_text = "[train]\nsteps = 7 # few\n\n[encoding]\nname = rope";
  std::string windows_text = "\xEF\xBB\xBF";
  for (const char c : unix_text) windows_text += c == '\n' ? "\r\n" : std::string(1, c);
  const Config expected = read(unix_text), config = read(windows_text);
  EXPECT_EQ(config["encoding"].text("name"), "rope");
  EXPECT_EQ(config.text({"train", "encoding"}), expected.text({"train", "encoding"}));
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "train.steps = 7\n")["train"]
                .integer("steps"),
            7);
}

TEST_F(ConfigTest, UnknownOptionsAreNamedWithTheNearest) {
  EXPECT_EQ(refusal("[train]\n\nlearing_rate = 0.1\n"),
            "a.ini:3: unknown option train.learing_rate. Did you mean 'learning_rate'?");
  EXPECT_EQ(refusal("[trian]\nsteps = 1\n"), "a.ini:1: unknown section [trian]. Did you mean 'train'?");
  EXPECT_EQ(refusal("[train]\nlayers = 1\n"),
            "a.ini:2: unknown option train.layers. 'layers' is an option of [model].");
  EXPECT_THAT(refusal("[model]\nlearing_rate = 1\n"), HasSubstr("unknown option model.learing_rate"));
  EXPECT_EQ(refusal("[train]\nsymbols = 1\n"),
            "a.ini:2: unknown option train.symbols. 'symbols' is an option of [copy_toy], [sort_toy].");
  EXPECT_EQ(refusal("steps = 5\n"),
            "a.ini:1: 'steps' stands before the first [section]. 'steps' is an option of [train].");
  EXPECT_THAT(refusal("[run]\ntrain.steps = 5\n"), HasSubstr("Did you mean 'train.steps'?"));
  EXPECT_THAT(refusal("[]\nsteps = 5\n"), HasSubstr("a.ini:1: unknown section []"));
  EXPECT_THAT(refusal("[train]\n= 5\n"), HasSubstr("a.ini:2: unknown option train."));
}

TEST_F(ConfigTest, OptionsAreNeverAbbreviated) {
  EXPECT_EQ(refusal("[train]\nlea = 0.1\n"), "a.ini:2: unknown option train.lea. Did you mean 'learning_rate'?");
  EXPECT_EQ(refusal("", {"--train.lea=0.1"}), "unknown option train.lea. Did you mean 'learning_rate'?");
  EXPECT_THAT(refusal("", {"--eval=1"}), HasSubstr("unknown option eval."));
  EXPECT_EQ(refusal("", {"--steps=5"}), "unknown option steps. 'steps' is an option of [train].");
}

TEST_F(ConfigTest, AKeyStandsOnceInAFile) {
  EXPECT_EQ(refusal("[train]\nsteps = 1\nbatch = 2\nsteps = 1\n"),
            "a.ini:4: train.steps was already set in line 2; keep one of the two.");
  EXPECT_THAT(refusal("train.lengths = 1\n[train]\nlengths = 2\n"),
              HasSubstr("a.ini:3: train.lengths was already set in line 1"));
  EXPECT_THAT(refusal("[encoding]\nname = a\nname = b\n"), HasSubstr("line 2"));
  EXPECT_EQ(refusal("", {"--train.steps=1", "--train.steps=2"}), "--train.steps is given twice; keep one of the two.");
}

TEST_F(ConfigTest, ASectionOpensOnceInAFile) {
  EXPECT_EQ(refusal("[task]\nname = a\n[train]\n[task]\nname = b\n"),
            "a.ini:4: section [task] was already opened in line 1; put its options in one place.");
}

TEST_F(ConfigTest, ValuesOutOfRangeAreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal("[train]\nbatch = -1\n"),
            "a.ini:2: train.batch is '-1'; it must be a whole number, at least 1 (default 32).");
  EXPECT_THAT(refusal("[run]\nseed = -1\n"), HasSubstr("from 0 to 9223372036854775807"));
  EXPECT_THAT(refusal("[model]\nheads = 0\n"), HasSubstr("at least 1"));
  EXPECT_THAT(refusal("[model]\nlayers = 1.5\n"), HasSubstr("a whole number"));
  EXPECT_EQ(read("[train]\nsteps = 4294967297\n")["train"].integer("steps"), 4294967297);
  EXPECT_EQ(read("[run]\nseed = 9223372036854775807\n")["run"].integer("seed"), INT64_MAX);
  EXPECT_EQ(refusal("", {"--train.batch=0"}),
            "--train.batch is '0'; it must be a whole number, at least 1 (default 32).");
}

TEST_F(ConfigTest, ValuesOfTheWrongTypeAreRefusedWithTheirPlace) {
  EXPECT_THAT(refusal("[model]\nheads = four\n"),
              HasSubstr("a.ini:2: model.heads is 'four'; it must be a whole number"));
  EXPECT_THAT(refusal("[train]\nlearning_rate = abc\n"),
              HasSubstr("a.ini:2: train.learning_rate is 'abc'; it must be a finite"));
  EXPECT_THAT(refusal("[evaluate]\nlengths = 10,x,30\n"),
              AllOf(HasSubstr("a.ini:2: evaluate.lengths is '10,x,30'"), HasSubstr("entry 2, 'x'")));
  for (const char* line :
       {"[model]\ndropout = 0.1f", "[model]\nwidth = 64k", "[train]\nsteps = 12 000", "[train]\nclip = nan"})
    EXPECT_THAT(refusal(line), AllOf(HasSubstr("a.ini:2: "), HasSubstr("it must be"))) << line;
  EXPECT_EQ(refusal("[train]\nsteps = 5 ; few\n"),
            "a.ini:2: train.steps is '5 ; few'; a comment starts with #, not with a semicolon.");
}

TEST_F(ConfigTest, KeysWithoutAValueSayWhichOne) {
  EXPECT_EQ(refusal("[model]\ntied_head\n"),
            "a.ini:2: model.tied_head has no value; write 'tied_head = true' or 'tied_head = false'.");
  EXPECT_EQ(refusal("[train]\nsteps # many\n"), "a.ini:2: train.steps has no value; write 'steps = 1000'.");
  EXPECT_EQ(refusal("[train]\nsteps =\n"), "a.ini:2: train.steps has no value; write 'steps = 1000'.");
  EXPECT_EQ(refusal("[run]\nname\n"), "a.ini:2: 'name' is neither [section] nor key = value. Comments start with #.");
  EXPECT_EQ(refusal("[train]\n; old style\n"),
            "a.ini:2: '; old style' is neither [section] nor key = value. Comments start with #.");
  EXPECT_THAT(refusal("[train\n"), HasSubstr("a.ini:1: '[train' is neither"));
}

TEST_F(ConfigTest, NothingIsCutFromATextInSilence) {
  EXPECT_THAT(refusal("[run]\noutput = runs/a#b\n"), HasSubstr("a.ini:2: run.output holds '#'"));
  EXPECT_THAT(refusal("", {"--run.output=runs/a#b"}), HasSubstr("--run.output is 'runs/a#b'; it cannot hold '#'"));
  EXPECT_THAT(refusal("[run]\noutput = \"my runs\"\n"), HasSubstr("without the quotes"));
  EXPECT_EQ(read("[train]\nsteps = 5# few\n")["train"].integer("steps"), 5);
}

TEST_F(ConfigTest, SweepsAreSentToTheirScript) {
  EXPECT_THAT(refusal("[train]\nsteps = 1\n[sweep]\nencoding.name = a, b\n"),
              AllOf(HasSubstr("a.ini:3: [sweep]"), HasSubstr("scripts/sweep.py")));
  EXPECT_THAT(refusal("", {"--sweep.run.seed=0..5"}), HasSubstr("scripts/sweep.py"));
}

TEST_F(ConfigTest, FilesThatAreNoConfigAreRefused) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      read_config(sections(), {path}, {});
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message((folder_ / "no.ini").string()), HasSubstr("no.ini': No such file"));
  EXPECT_THAT(message(folder_.string()), HasSubstr("it is a folder"));
  EXPECT_THAT(refusal("\x89HDF\r\n\x1a\n"), HasSubstr("a.ini:1: not a line of UTF-8 text"));
  EXPECT_THAT(refusal(std::string("[\0r\0", 4)), HasSubstr("a.ini:1: not a line of UTF-8 text"));
  EXPECT_THAT(refusal("[run]\noutput = r\xE9sultats\n"), HasSubstr("a.ini:2: not a line of UTF-8 text"));
  EXPECT_EQ(read("[run]\noutput = résultats/模型 α\n")["run"].text("output"), "résultats/模型 α");
}

TEST_F(ConfigTest, TheResolvedTextReadsBackTheSame) {
  const Config config = read("[train]\nlearning_rate = 1.25e-05\nlengths = 3, 10..40:10\n[copy_toy]\nsymbols = 3\n",
                             {"--run.output=my runs/模型", "--run.seed=9223372036854775807"});
  const std::string text = config.text(used);
  const Config again = read(text);
  EXPECT_EQ(again.text(used), text);
  EXPECT_EQ(again.hash(used), config.hash(used));
  for (const std::string& section : used) EXPECT_EQ(again[section].values(), config[section].values()) << section;
  EXPECT_THAT(text, HasSubstr("[train]\nlengths = 3,10..40:10\n"));
  EXPECT_THAT(text, HasSubstr("\nlearning_rate = 1.25e-05\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("sort_toy")));
}

TEST_F(ConfigTest, ATrainedRunChangesOnlyWhatTrainingLeftOpen) {
  const std::string text = read("[train]\nsteps = 7\n[evaluate]\nexamples = 5\n").text({"run", "train", "evaluate"});
  const auto stored = [&](const std::string& override) {
    return stored_config(sections(), text, "copy.h5", {override});
  };
  const auto message = [&](const std::string& override) -> std::string {
    try {
      stored(override);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(stored("--evaluate.lengths=50,60")["evaluate"].list("lengths").size(), 2u);
  EXPECT_EQ(stored("--evaluate.lengths=50,60")["evaluate"].integer("examples"), 5);
  EXPECT_EQ(stored("--positions.scheme=shape")["positions"].text("scheme"), "shape");
  EXPECT_EQ(stored("--train.steps=7")["train"].integer("steps"), 7);  // no change
  EXPECT_EQ(message("--train.steps=8"),
            "--train.steps is fixed by training, which had '7'; evaluation cannot change it.");
  EXPECT_THAT(message("--encoding.name=rope"), HasSubstr("is fixed by training, which had 'none'"));
  EXPECT_THAT(message("--evaluate.examples=0"), HasSubstr("at least 1"));
  EXPECT_EQ(stored("--run.threads=1").where("train", "steps").substr(0, 8), "copy.h5:");
}

TEST_F(ConfigTest, TheHashFollowsWhatDecidesTheNumbers) {
  const std::uint64_t hash = read("").hash(used);
  EXPECT_EQ(read("[train]\nlearning_rate = 1e-3\nsteps = 1000\n").hash(used), hash);  // the defaults, written out
  EXPECT_EQ(read("[run]\nthreads = 3\noutput = x\nif_exists = refuse\nname = y\n").hash(used), hash);
  EXPECT_EQ(read("[sort_toy]\nsymbols = 3\n").hash(used), hash);  // not in use
  EXPECT_EQ(read("").hash({"train", "model", "copy_toy", "task", "run"}), hash);
  EXPECT_NE(read("[copy_toy]\nsymbols = 3\n").hash(used), hash);
  EXPECT_NE(read("[run]\nseed = 1\n").hash(used), hash);
  EXPECT_NE(read("[run]\nshards = 4\n").hash(used), hash);
  EXPECT_NE(read("").hash({"run", "task", "sort_toy", "model", "train"}), hash);
}

TEST_F(ConfigTest, TheHashIsTheSameOnEveryMachine) {
  const std::vector<Section> one = {{"a", "", {integer("x", 1), integer("y", 2).incidental()}}};
  // FNV-1a of "a.x=1\n", worked out with another program
  EXPECT_EQ(read_config(one, {}, {}).hash({"a"}), 0x168837894D594B22);
}

TEST_F(ConfigTest, TheSampleHoldsEveryOptionExplained) {
  const std::string sample = sample_config(sections());
  const Config config = read(sample), defaults = read_config(sections(), {}, {});
  for (const Section& section : sections()) {
    EXPECT_EQ(config[section.name].values(), defaults[section.name].values()) << section.name;
    for (const OptionSpec& option : section.options) EXPECT_TRUE(config.is_set(section.name, option.name));
  }
  EXPECT_THAT(sample,
              HasSubstr("# share of activations dropped in training (number: at least 0 and below 1)\ndropout = 0\n"));
  EXPECT_THAT(sample, HasSubstr("(number: at least 0; in seconds)\ncheckpoint_seconds = 60\n"));
}

TEST(AllSections, EveryOptionIsExplainedAndItsDefaultIsValid) {
  for (const Section& section : all_sections()) {
    EXPECT_FALSE(section.sentence.empty()) << section.name;
    for (const OptionSpec& option : section.options) {
      EXPECT_FALSE(option.sentence.empty()) << section.name << "." << option.name;
      EXPECT_EQ(option.sentence.find_first_of("#\n"), std::string::npos) << section.name << "." << option.name;
      EXPECT_EQ(option.choices.empty(), option.type != OptionSpec::Type::choice) << section.name << "." << option.name;
    }
    EXPECT_NO_THROW(Options{section}) << section.name;
  }
}

}  // namespace
}  // namespace lengthwise
