#include "tests/core/arrays.h"
#include "tests/encodings/grids.h"

namespace lengthwise {
namespace {

ModelShape cpb_encoder(std::size_t heads) { return {.width = heads, .heads = heads, .causal = false}; }

// With one hidden unit that passes its input on, w2 = 1 and no bias: the logit of bias / 16 is the coordinate.
double coordinate(double along, bool horizontal, const OptionValues& sizes = {}) {
  OptionValues options = sizes;
  options["hidden"] = "1";
  Harness<double> harness("swin_cpb", options, cpb_encoder(1), {counting(2)});
  const Matrix<double> w1 = harness.parameter("blocks.0.swin_cpb.w1");
  w1(0, 0) = horizontal ? 0 : 1, w1(0, 1) = horizontal ? 1 : 0;
  harness.parameter("blocks.0.swin_cpb.b1")(0, 0) = 100;  // keeps the unit on
  harness.parameter("blocks.0.swin_cpb.w2")(0, 0) = 0.01;
  harness.positions().set("row", {0, horizontal ? 0 : along});
  harness.positions().set("column", {0, horizontal ? along : 0});
  const double share = harness.bias().value()(1, 0) / 16;
  return 100 * std::log(share / (1 - share)) - 100;
}

TEST(swin_cpb, coordinates_are_logarithmic_and_odd) {
  for (const bool horizontal : {false, true}) {
    EXPECT_NEAR(coordinate(7, horizontal), 1.056642, 1e-6);
    EXPECT_NEAR(coordinate(-7, horizontal), -1.056642, 1e-6);
    EXPECT_NEAR(coordinate(0, horizontal), 0, 1e-10);
    EXPECT_NEAR(coordinate(3.5, horizontal), std::log2(5) / 3, 1e-10);
    EXPECT_NEAR(coordinate(63, horizontal), std::log2(73) / 3, 1e-10);  // eight grids on
  }
  EXPECT_NEAR(coordinate(3, false, {{"height", "4"}}), 1.056642, 1e-6);  // each axis has its own unit
  EXPECT_NEAR(coordinate(7, true, {{"height", "4"}}), 1.056642, 1e-6);
  EXPECT_NEAR(coordinate(1, true, {{"width", "1"}}), 1.056642, 1e-6);
}

// The paper's network on every pair, one by one.
TEST(swin_cpb, a_table_of_displacements_is_the_network_on_every_pair) {
  const std::size_t heads = 3, height = 3, width = 5, n = height * width;
  const auto harness = on_grid("swin_cpb", {{"height", "3"}, {"width", "4"}, {"hidden", "20"}}, cpb_encoder(heads),
                               GridIds(height, width));
  const Matrix<double> w1 = harness->parameter("blocks.0.swin_cpb.w1"), b1 = harness->parameter("blocks.0.swin_cpb.b1"),
                       w2 = harness->parameter("blocks.0.swin_cpb.w2");
  std::uint64_t seed = 1;
  for (const Matrix<double>& values : {w1, b1, w2})
    copy(view(random_array<double>(values.rows, values.cols, seed++)), values);
  const Variable<double> bias = harness->bias();
  const auto spaced = [](double d, double tokens) {
    const double u = 8 * d / (tokens - 1);
    return (u < 0 ? -1 : 1) * std::log2(1 + std::abs(u)) / std::log2(8.0);
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double y = spaced(static_cast<double>(i / width) - static_cast<double>(j / width), 3);
      const double x = spaced(static_cast<double>(i % width) - static_cast<double>(j % width), 4);
      for (std::size_t h = 0; h < heads; ++h) {
        double logit = 0;
        for (std::size_t u = 0; u < 20; ++u) logit += w2(h, u) * std::max(0.0, w1(u, 0) * y + w1(u, 1) * x + b1(0, u));
        EXPECT_NEAR(bias.value()(h * n + i, j), 16 / (1 + std::exp(-logit)), 1e-12);
      }
    }
}

TEST(swin_cpb, a_class_token_has_no_bias) {
  Harness<double> harness("swin_cpb", {}, cpb_encoder(1), {counting(5)});
  harness.positions().set("row", {0, 0, 0, 1, 1});
  harness.positions().set("column", {0, 0, 1, 0, 1});
  harness.positions().without_position = {true, false, false, false, false};
  const Variable<double> bias = harness.bias();
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(bias.value()(i, j) > 0, i > 0 && j > 0);
}

}  // namespace
}  // namespace lengthwise
