#include <gmock/gmock.h>

#include "encodings/resampling.h"
#include "tests/core/arrays.h"
#include "tests/encodings/grids.h"

namespace lengthwise {
namespace {

ModelShape bias_encoder(std::size_t heads) { return {.width = heads, .heads = heads, .causal = false}; }

// One head whose parameters are 0, 1, 2, ...
std::unique_ptr<Harness<double>> counting_table(const OptionValues& options, const GridIds& grid) {
  auto harness = on_grid("swin_bias", options, bias_encoder(1), grid);
  const Matrix<double> table = harness->parameter("blocks.0.swin_bias.table");
  count_up(table);
  return harness;
}

// Height and width must not change places; smaller grids read the middle of the table, wherever they lie.
TEST(swin_bias, smaller_and_oblong_grids) {
  for (const GridIds& grid : {GridIds(2, 3), GridIds(2, 3).moved(5, 11)}) {
    const auto harness = counting_table({{"height", "2"}, {"width", "4"}}, grid);
    const Variable<double> bias = harness->bias();
    EXPECT_EQ(bias.value()(0, 0), 10);             // the centre of 3 x 7
    EXPECT_EQ(bias.value()(5, 0), 2 * 7 + 2 + 3);  // 1 down, 2 right
    EXPECT_EQ(bias.value()(2, 3), 0 * 7 + 2 + 3);  // 1 up, 2 right
  }
}

TEST(swin_bias, beyond_the_grid_it_is_refused) {
  const auto message = [](const GridIds& grid) {
    return refusal([&] { on_grid("swin_bias", {{"height", "2"}, {"width", "2"}}, bias_encoder(1), grid)->bias(); });
  };
  EXPECT_THAT(message(GridIds(3, 2)), testing::HasSubstr("2 rows and"));
  EXPECT_THAT(message(GridIds(2, 3)), testing::HasSubstr("swin_bias.width = 2"));
}

TEST(swin_bias, a_class_token_has_no_bias) {
  Harness<double> harness("swin_bias", {{"height", "2"}, {"width", "2"}}, bias_encoder(2), {counting(5)});
  fill(harness.parameter("blocks.0.swin_bias.table"), 1.0);
  harness.positions().set("row", {0, 0, 0, 1, 1});
  harness.positions().set("column", {0, 0, 1, 0, 1});
  harness.positions().without_position = {true, false, false, false, false};
  const Variable<double> bias = harness.bias();
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(bias.value()(i, j), i % 5 == 0 || j == 0 ? 0 : 1);
}

TEST(swin_bias, a_class_token_may_have_its_own) {
  const auto harness =
      on_grid("swin_bias", {{"height", "1"}, {"width", "2"}, {"class_token", "true"}}, bias_encoder(1), GridIds(1, 3));
  const Matrix<double> table = harness->parameter("blocks.0.swin_bias.table");
  count_up(table);  // displacements 0 1 2, then 3 4 5
  harness->positions().set("column", {7, 0, 1});
  harness->positions().without_position = {true, false, false};
  expect_close(harness->bias().value(), array<double>({{5, 3, 3}, {4, 1, 0}, {4, 2, 1}}), 0);
}

// A grid that fits reads the table as it is. On a larger one a constant stays constant, and the table of 2 g - 1
// displacements becomes one of 2 G - 1 by the resampling that vit_learned's tests hold to its properties.
TEST(swin_bias, larger_grids_may_stretch_the_table) {
  const OptionValues options{{"height", "2"}, {"width", "3"}, {"past", "resample"}, {"class_token", "true"}};
  EXPECT_EQ(counting_table(options, GridIds(2, 2))->bias().value()(0, 0), 1 * 5 + 2);

  const auto harness = counting_table(options, GridIds(4, 3));  // columns fit
  const Matrix<double> table = harness->parameter("blocks.0.swin_bias.table");
  const Variable<double> bias = harness->bias();
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      double expected = 0;
      for (const Tap& tap : resampling_taps({}, 3, 7, i / 3 + 3 - j / 3))
        expected += tap.weight * table(0, tap.index * 5 + i % 3 + 2 - j % 3);
      EXPECT_NEAR(bias.value()(i, j), expected, 1e-12) << i << " " << j;
    }
  for (const GridIds& grid : {GridIds(5, 7), GridIds(1, 6)}) {
    const auto other = on_grid("swin_bias", options, bias_encoder(1), grid);
    fill(other->parameter("blocks.0.swin_bias.table"), 3.0);
    const Variable<double> constant_bias = other->bias();
    for (std::size_t i = 0; i < grid.tokens(); ++i) EXPECT_NEAR(constant_bias.value()(i, 0), 3, 1e-12);
  }
}

TEST(swin_bias, stretches_for_one_size_at_a_time) {
  Harness<double> harness("swin_bias", {{"height", "1"}, {"width", "1"}, {"past", "resample"}}, bias_encoder(1),
                          {counting(2), counting(1)});
  harness.positions().set("row", {0, 0, 0});
  harness.positions().set("column", {0, 1, 0});
  EXPECT_THAT(refusal([&] { harness.bias(); }), testing::HasSubstr("differ in size"));
}

}  // namespace
}  // namespace lengthwise
