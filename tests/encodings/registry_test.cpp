#include "encodings/registry.h"

#include <gmock/gmock.h>

#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;
using Names = std::vector<std::string>;

TEST(registry, finds_every_file_of_the_folder) {
  for (const char* name : {"none", "sinusoidal", "learned", "rope", "alibi", "t5"}) {
    EXPECT_EQ(encoding_info(name).section.name, name);
    EXPECT_FALSE(encoding_info(name).section.sentence.empty());
    EXPECT_FALSE(encoding_info(name).source.empty());
    EXPECT_FALSE(encoding_info(name).formula.empty());
  }
  EXPECT_TRUE(schemes().count("sequential") && schemes().count("interpolated"));
}

TEST(registry, unknown_names_meet_the_nearest) {
  const std::string message = refusal([] { encoding_info("rpoe"); });
  EXPECT_THAT(message, HasSubstr("unknown encoding 'rpoe'. Did you mean 'rope'?"));
  EXPECT_THAT(message, HasSubstr(" alibi,"));
  EXPECT_THAT(refusal([] { make_scheme("sequentail", Options()); }), HasSubstr("Did you mean 'sequential'?"));
  ParameterStore<float> store(1);
  const Options options;
  const ModelShape shape;
  EXPECT_THAT(refusal([&] {
                make_encoding<float>("alibbi", {shape, 0, {0, 1}, options, store});
              }),
              HasSubstr("Did you mean 'alibi'?"));
}

TEST(registry, a_plan_says_who_serves_which_heads_of_which_layer) {
  using Groups = std::vector<EncodingPlan::Group>;
  EXPECT_EQ(EncodingPlan("rope").layer(3), Groups({{"rope"}}));
  EXPECT_EQ(EncodingPlan("learned+alibi").layer(0), Groups({{"learned", "alibi"}}));
  const EncodingPlan mixed("rope; rope+t5 ;alibi/none");
  EXPECT_EQ(mixed.layer(0), Groups({{"rope"}}));
  EXPECT_EQ(mixed.layer(1), Groups({{"rope", "t5"}}));
  EXPECT_EQ(mixed.layer(5), Groups({{"alibi"}, {"none"}}));
  EXPECT_EQ(mixed.names(), Names({"rope", "t5", "alibi", "none"}));
  for (const char* wrong : {"", "rope+", "+rope", "rope++t5", "rope;", "/rope"})
    EXPECT_THAT(refusal([&] { EncodingPlan plan(wrong); }), HasSubstr("a name is missing"));
  EXPECT_THAT(refusal([] { EncodingPlan plan("rope+t5+rope"); }), HasSubstr("'rope' stands twice"));
}

TEST(registry, a_missing_channel_is_named_with_those_there_are) {
  Positions positions;
  EXPECT_THAT(refusal([&] { positions.channel("digit"); }), HasSubstr("channel 'digit' are needed"));
  EXPECT_THAT(refusal([&] { positions.channel("digit"); }), HasSubstr("there are: none."));
  positions.set("sequence", {0});
  positions.set("row", {0});
  EXPECT_THAT(refusal([&] { positions.channel("digit"); }), HasSubstr("there are: row, sequence."));
}

TEST(registry, a_name_is_given_once) {
  EncodingInfo info;
  info.section.name = "alibi";
  EXPECT_THROW(register_encoding(info, {}, {}), std::logic_error);
  EXPECT_EQ(encoding_info("alibi").section.options.size(), 4u);
}

}  // namespace
}  // namespace lengthwise
