#include "experiments/properties.h"

#include <gmock/gmock.h>

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(properties, of_no_encoding) {
  const Properties none = measure_properties("none");
  EXPECT_LT(*none.shift, 1e-12);
  EXPECT_LT(*none.permutation, 1e-12);
  EXPECT_LT(*none.reflection, 1e-12);
  EXPECT_TRUE(*none.causality);
  EXPECT_TRUE(none.bias.empty());
  EXPECT_TRUE(none.refused.empty());
  EXPECT_GT(*none.far, 0);
  EXPECT_LT(*none.far, 100);
  EXPECT_GT(*none.cost, 0.3);  // the same model twice, on a machine that may be busy
  EXPECT_LT(*none.cost, 3);
}

TEST(properties, tell_encodings_apart) {
  const Properties alibi = measure_properties("alibi"), rope = measure_properties("rope"),
                   learned = measure_properties("learned"), fox = measure_properties("fox");
  EXPECT_LT(*alibi.shift, 1e-10);
  EXPECT_LT(*rope.shift, 1e-10);
  EXPECT_GT(*learned.shift, 1e-3);
  for (const Properties* seen : {&alibi, &rope, &learned}) EXPECT_GT(*seen->permutation, 1e-3);
  EXPECT_LT(*alibi.reflection, 1e-10);  // a symmetric bias
  EXPECT_GT(*rope.reflection, 1e-3);
  EXPECT_FALSE(fox.permutation);  // causal only
  EXPECT_THAT(learned.refused.at("far"), HasSubstr("not a row of the table"));
  EXPECT_FALSE(learned.far);
}

TEST(properties, bias_by_distance) {
  const auto alibi = measure_properties("alibi").bias;  // slopes 1/4, 1/16, 1/64, 1/256
  ASSERT_EQ(alibi.size(), 4u);
  for (std::size_t h = 0; h < 4; ++h)
    for (std::size_t d = 0; d < alibi[h].size(); ++d)
      EXPECT_NEAR(alibi[h][d], -static_cast<double>(d) * std::pow(0.25, h + 1), 1e-12);
  EXPECT_TRUE(measure_properties("t5").bias.empty());         // zeros before training
  EXPECT_TRUE(measure_properties("rope").bias.empty());       // no bias
  EXPECT_TRUE(measure_properties("fox").bias.empty());        // depends on the content
  EXPECT_TRUE(measure_properties("swin_bias").bias.empty());  // two distances
}

TEST(properties, parameters_of_the_default_model) {
  const ModelShape model = default_model();
  EXPECT_EQ(parameter_count("none"), 0u);
  EXPECT_EQ(parameter_count("learned"), model.train_positions * model.width);
  EXPECT_EQ(parameter_count("t5"), 32 * model.heads);
  EXPECT_EQ(parameter_count("shaw"), model.layers * 2 * (2 * 16 + 1) * model.head_dim());
}

TEST(properties, places) {
  EXPECT_EQ(where_it_acts("none"), "nothing");
  EXPECT_EQ(where_it_acts("sinusoidal"), "embeddings");
  EXPECT_EQ(where_it_acts("rope"), "queries and keys");
  EXPECT_EQ(where_it_acts("alibi"), "bias");
  EXPECT_EQ(where_it_acts("shaw"), "content scores, values");
  EXPECT_EQ(where_it_acts("ssmax"), "scale");
  EXPECT_EQ(where_it_acts("dape"), "scores across heads");
  EXPECT_EQ(where_it_acts("stick_breaking"), "normaliser");
}

TEST(properties, report) {
  EXPECT_THAT(property_report("alibi"),
              AllOf(HasSubstr("2 layers, width 64, 4 heads"),
                    HasSubstr("all ids moved          attention stays the same"), HasSubstr("left and right are alike"),
                    HasSubstr("earlier outputs stay"), HasSubstr("distance 0 to 255"), HasSubstr("▄")));
  EXPECT_THAT(property_report("learned"), AllOf(HasSubstr("attention changes"), HasSubstr("refused: learned: position"),
                                                Not(HasSubstr("Bias of"))));
  for (const auto& [name, info] : encodings())
    EXPECT_THAT(property_report(name), AllOf(HasSubstr("a training step        about"), Not(HasSubstr("NOT FINITE"))))
        << name;
}

}  // namespace
}  // namespace lengthwise
