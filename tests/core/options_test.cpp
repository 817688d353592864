#include "core/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string accepted(const OptionSpec& spec, const std::string& value) { return check_value(spec, value, "a.b"); }

/// The message with which a value is refused.
std::string refusal(const OptionSpec& spec, const std::string& value) {
  try {
    return "accepted as " + accepted(spec, value);
  } catch (const InputError& error) {
    return error.what();
  }
}

const OptionSpec heads = integer("heads", 4).at_least(1);
const OptionSpec rate = real("rate", 0.1).at_least(0).below(1);
const OptionSpec law = choice("law", "uniform", {"uniform", "fixed", "list"});
const OptionSpec lengths = list("lengths", "1..40").at_least(1);

TEST(CheckValue, ReadsWholeNumbersExactly) {
  const OptionSpec steps = integer("steps", 1000);
  EXPECT_EQ(accepted(steps, " 12 "), "12");
  EXPECT_EQ(accepted(steps, "4294967297"), "4294967297");                    // 2^32 + 1
  EXPECT_EQ(accepted(steps, "9223372036854775807"), "9223372036854775807");  // 2^63 - 1
  EXPECT_EQ(accepted(steps, "007"), "7");
  EXPECT_EQ(accepted(integer("offset", 0).at_least(-5), "-5"), "-5");
}

TEST(CheckValue, NeverWrapsOrCutsAWholeNumber) {
  const OptionSpec steps = integer("steps", 1000);
  for (const char* value : {"9223372036854775808", "18446744073709551617", "-1", "1.5", "64k", "12 000", "1e3", "0x10",
                            "+5", "nan", "inf", "four", "1,000", "--1", "-"})
    EXPECT_THAT(refusal(steps, value), HasSubstr("must be a whole number, at least 0")) << value;
}

TEST(CheckValue, SaysWhatIsWrongWithAWholeNumber) {
  EXPECT_EQ(check_value(heads, "1", "x"), "1");
  EXPECT_EQ(refusal(heads, "four"), "a.b is 'four'; it must be a whole number, at least 1 (default 4).");
  EXPECT_EQ(refusal(heads, "0"), "a.b is '0'; it must be a whole number, at least 1 (default 4).");
  EXPECT_EQ(refusal(heads, "12 000"),
            "a.b is '12 000'; it must be a whole number, at least 1 (default 4)."
            " Write all its digits, without blanks, letters or a decimal point.");
  EXPECT_THAT(refusal(heads, "18446744073709551617"), HasSubstr("largest whole number is 9223372036854775807"));
  EXPECT_THAT(refusal(integer("seed", 0).at_most(0x1p63), "-1"), HasSubstr("from 0 to 9223372036854775807"));
}

TEST(CheckValue, ReadsNumbers) {
  EXPECT_EQ(accepted(rate, "1e-3"), "0.001");
  EXPECT_EQ(accepted(rate, "0.10"), "0.1");
  EXPECT_EQ(accepted(rate, "-0"), "0");
  EXPECT_EQ(accepted(rate, ".5"), "0.5");
  EXPECT_EQ(std::stod(accepted(rate, "0.12345678901234567")), 0.12345678901234567);
  EXPECT_EQ(std::stod(real("third", 1.0 / 3).fallback), 1.0 / 3);
}

TEST(CheckValue, RefusesHalfReadableAndInfiniteNumbers) {
  for (const char* value : {"0.1f", "abc", "nan", "inf", "-inf", "1e999", "0,1", "1", "-0.1", "0.1 0.2"})
    EXPECT_THAT(refusal(rate, value), HasSubstr("must be a finite number, at least 0 and below 1 (default 0.1)"))
        << value;
}

TEST(CheckValue, FlagsAreTrueOrFalse) {
  const OptionSpec tied = flag("tied", false);
  EXPECT_EQ(accepted(tied, "true"), "true");
  for (const char* value : {"yes", "1", "True", "on", "0"})
    EXPECT_THAT(refusal(tied, value), HasSubstr("must be true or false")) << value;
  EXPECT_EQ(refusal(tied, ""), "a.b has no value; write 'b = true' or 'b = false'.");
}

TEST(CheckValue, ChoicesNameTheNearest) {
  EXPECT_EQ(accepted(law, "fixed"), "fixed");
  EXPECT_EQ(refusal(law, "unifrom"),
            "a.b is 'unifrom'; it must be one of uniform, fixed, list (default uniform). Did you mean 'uniform'?");
  EXPECT_THAT(refusal(law, "uni"), HasSubstr("Did you mean 'uniform'?"));
}

TEST(CheckValue, ListsKeepTheirRanges) {
  EXPECT_EQ(accepted(lengths, "10, 20,30..60:10"), "10,20,30..60:10");
  EXPECT_EQ(accepted(lengths, "1..40:1, 5..5"), "1..40,5");
  EXPECT_EQ(accepted(list("lengths", ""), ""), "");
}

TEST(CheckValue, ListsNameTheBadEntry) {
  EXPECT_THAT(refusal(lengths, "10,x,30"), AllOf(HasSubstr("'10,x,30'"), HasSubstr("entry 2, 'x'"),
                                                 HasSubstr("a whole number, at least 1"), HasSubstr("1..40")));
  EXPECT_THAT(refusal(lengths, "10 20 30"), HasSubstr("Separate the entries by commas"));
  EXPECT_THAT(refusal(lengths, "10,,30"), HasSubstr("entry 2, ''"));
  EXPECT_THAT(refusal(lengths, "10,"), HasSubstr("entry 2, ''"));
  EXPECT_THAT(refusal(lengths, "0..5"), HasSubstr("entry 1, '0..5'"));
  EXPECT_THAT(refusal(lengths, "3,40..1"), HasSubstr("entry 2, '40..1'"));
  EXPECT_THAT(refusal(lengths, "1..9:0"), HasSubstr("entry 1"));
  EXPECT_THAT(refusal(lengths, "1..9:2.5"), HasSubstr("entry 1"));
  EXPECT_THAT(refusal(lengths, "1..9000000000000000000"), HasSubstr("at most 1000000 numbers"));
  EXPECT_THAT(refusal(lengths, "1..900000,1..900000"), HasSubstr("at most 1000000 numbers"));
  EXPECT_THAT(refusal(lengths, ""), HasSubstr("has no value; write 'b = 1..40'"));
}

TEST(CheckValue, TextIsKeptWhole) {
  const OptionSpec output = text("output", "runs");
  EXPECT_EQ(accepted(output, " my runs/a b.h5 "), "my runs/a b.h5");
  EXPECT_EQ(accepted(output, "résultats/模型 α"), "résultats/模型 α");
  EXPECT_EQ(accepted(text("name", ""), ""), "");
  EXPECT_THAT(refusal(output, ""), HasSubstr("has no value"));
  EXPECT_THAT(refusal(output, "\"my runs\""), HasSubstr("without the quotes"));
  EXPECT_THAT(refusal(output, "a#b"), HasSubstr("starts a comment"));
  EXPECT_THAT(refusal(output, "a\nb"), HasSubstr("control character (code 10)"));
}

TEST(RangeText, ReadsLikeASentence) {
  EXPECT_EQ(range_text(heads), "at least 1");
  EXPECT_EQ(range_text(rate), "at least 0 and below 1");
  EXPECT_EQ(range_text(real("x", 1).above(0)), "above 0");
  EXPECT_EQ(range_text(real("x", 1).at_least(0).at_most(1)), "from 0 to 1");
  EXPECT_EQ(range_text(real("x", 1)), "");
  EXPECT_EQ(range_text(law), "uniform, fixed, list");
  EXPECT_EQ(range_text(text("x", "")), "");
}

const Section section{"toy", "A section for tests.", {heads, rate, law, lengths, flag("tied", true), text("name", "")}};

TEST(Options, HoldsTheDefaults) {
  const Options options(section);
  EXPECT_EQ(options.section(), "toy");
  EXPECT_EQ(options.count("heads"), 4u);
  EXPECT_EQ(options.real("rate"), 0.1);
  EXPECT_EQ(options.text("law"), "uniform");
  EXPECT_EQ(options.list("lengths").size(), 40u);
  EXPECT_TRUE(options.flag("tied"));
  EXPECT_EQ(options.text("name"), "");
}

TEST(Options, TakesCheckedValues) {
  const Options options(section, {{"heads", "8"}, {"lengths", "10,20,30..60:10"}, {"tied", "false"}, {"rate", "0"}});
  EXPECT_EQ(options.integer("heads"), 8);
  EXPECT_THAT(options.list("lengths"), ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_FALSE(options.flag("tied"));
  EXPECT_EQ(options.real("rate"), 0);
  EXPECT_THAT(Options(section, {{"lengths", "10..45:10"}}).list("lengths"), ElementsAre(10, 20, 30, 40));
}

TEST(Options, RefusesUnknownNamesAndBadValues) {
  const auto message = [](const std::string& name, const std::string& value) -> std::string {
    try {
      Options(section, {{name, value}});
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("haeds", "4"), "unknown option toy.haeds. Did you mean 'heads'?");
  EXPECT_THAT(message("heads", "0"), HasSubstr("toy.heads is '0'"));
}

TEST(Options, AskingForWhatIsNotThereIsAFaultOfTheCode) {
  const Options options(section);
  EXPECT_THROW(options.integer("bsae"), std::logic_error);
  EXPECT_THROW(options.integer("law"), std::logic_error);
  EXPECT_THROW(options.integer("rate"), std::logic_error);
  EXPECT_THROW(options.flag("heads"), std::logic_error);
  EXPECT_THROW(options.list("law"), std::logic_error);
}

TEST(Options, FixedByTrainingDropsWhatEvaluationMayChange) {
  const Section mixed{"toy", "", {integer("kept", 1), integer("changed", 2).changeable()}};
  const Options fixed = fixed_by_training(mixed, Options(mixed, {{"kept", "5"}, {"changed", "6"}}));
  EXPECT_EQ(fixed.integer("kept"), 5);
  EXPECT_EQ(fixed.integer("changed"), 2);
}

TEST(DidYouMean, KnowsSlipsAndBeginnings) {
  const std::vector<std::string> names = {"learning_rate", "lengths", "layers"};
  EXPECT_EQ(did_you_mean("learing_rate", names), " Did you mean 'learning_rate'?");
  EXPECT_EQ(did_you_mean("lea", names), " Did you mean 'learning_rate'?");
  EXPECT_EQ(did_you_mean("dropout", names), "");
  EXPECT_EQ(did_you_mean("x", names), "");
}

}  // namespace
}  // namespace lengthwise
