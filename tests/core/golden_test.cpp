// The reader of golden values, which the other tests lean on.
#include "tests/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

namespace lengthwise {
namespace {

TEST(Golden, CasesNamesAndHyperparameters) {
  EXPECT_THAT(golden_cases("tiny_gpt.h5"),
              testing::ElementsAre("alibi", "learned", "none", "rope", "shaw", "sinusoidal", "t5"));
  const GoldenCase c = golden("tiny_gpt.h5", "alibi");
  EXPECT_EQ(c.text("encoding"), "alibi");
  EXPECT_EQ(c.integer("n_heads"), 2);
  EXPECT_EQ(c.real("weight_decay"), 0.1);
  EXPECT_THAT(c.reals("slopes"), testing::ElementsAre(0.0625, 0.00390625));
  EXPECT_EQ(c.rtol, 1e-8);
  EXPECT_EQ(c.atol, 1e-10);
  EXPECT_EQ(c.names("inputs/params").size(), 37u);
  EXPECT_THAT(c.names("outputs"), testing::ElementsAre("grads", "logits", "loss", "losses", "params_after_3"));
}

TEST(Golden, Arrays) {
  const GoldenCase c = golden("tiny_gpt.h5", "alibi");
  EXPECT_THAT(c.input("params/head.w").shape, testing::ElementsAre(11, 16));
  EXPECT_THAT(c.output("logits").shape, testing::ElementsAre(3, 12, 11));
  EXPECT_EQ(c.output("logits").array().shape(0), 36u);
  EXPECT_THAT(c.output("loss").shape, testing::IsEmpty());
  EXPECT_EQ(c.output("loss").values.size(), 1u);
  const auto ids = c.input("token_ids").integers<std::size_t>();
  EXPECT_EQ(ids.size(), 36u);
  EXPECT_THAT(ids, testing::Each(testing::Lt(11)));
}

TEST(Golden, TheToleranceDecidesAndTheWorstElementIsNamed) {
  const GoldenCase c = golden("layers.h5", "rms_norm");
  std::vector<double> mine = c.output("out").values;
  expect_golden(mine, c, "out");
  for (double& v : mine) v += 0.9 * (c.atol + c.rtol * std::abs(v));
  expect_golden(mine, c, "out");
  mine[0] += c.atol;
  mine[(1 * 5 + 2) * 8 + 3] += 1;  // of [3, 5, 8]
  static const GoldenCase* shown_case = &c;
  static std::vector<double> shown = mine;
  EXPECT_NONFATAL_FAILURE(expect_golden(shown, *shown_case, "out"), "rms_norm/out[1, 2, 3]: mine");
  shown[7] = NAN;
  EXPECT_NONFATAL_FAILURE(expect_golden(shown, *shown_case, "out"), "rms_norm/out[0, 0, 7]: mine");
}

TEST(Golden, MissingThingsThrow) {
  const GoldenCase c = golden("layers.h5", "rms_norm");
  H5E_auto2_t print = nullptr;
  void* to = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &print, &to);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  EXPECT_THROW(golden("layers.h5", "no such case"), std::runtime_error);
  EXPECT_THROW(c.input("no such input"), std::runtime_error);
  EXPECT_THROW(c.real("no such hyperparameter"), std::runtime_error);
  EXPECT_THROW(c.text("eps"), std::runtime_error);
  H5Eset_auto2(H5E_DEFAULT, print, to);
}

}  // namespace
}  // namespace lengthwise
