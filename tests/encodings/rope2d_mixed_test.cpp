#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/grids.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

const char* const name = "blocks.0.rope2d_mixed.frequencies";

ModelShape mixed_shape(std::size_t heads, std::size_t d) {
  return {.layers = 1, .width = heads * d, .heads = heads, .causal = false};
}

TEST(rope2d_mixed, without_random_directions_starts_as_the_axial_one) {
  const GridIds grid(3, 4);
  const Array<double> x = random_array<double>(12, 16, 1);
  for (const char* layout : {"half", "interleaved"}) {
    const auto mixed = on_grid("rope2d_mixed", {{"random_directions", "false"}, {"base", "100"}, {"layout", layout}},
                               mixed_shape(2, 8), grid);
    const auto axial = on_grid("rope2d_axial", {{"layout", layout}}, mixed_shape(2, 8), grid);
    expect_close(mixed->rotate(x), axial->rotate(x), 1e-14);
  }
}

// Each head: magnitudes 10^(-4m/d), along its direction and then perpendicular to it.
TEST(rope2d_mixed, initial_frequencies) {
  const auto harness = on_grid("rope2d_mixed", {}, mixed_shape(3, 8), GridIds(1, 1));
  const Matrix<double> w = harness->parameter(name);
  ASSERT_EQ(w.rows, 12u);
  std::vector<double> directions;
  for (std::size_t h = 0; h < 3; ++h) {
    const std::size_t at = 4 * h;
    for (std::size_t m = 0; m < 4; ++m)
      EXPECT_NEAR(std::hypot(w(at + m, 0), w(at + m, 1)), m % 2 ? std::pow(10, -0.5) : 1, 1e-15);
    for (std::size_t m = 0; m < 2; ++m) {
      EXPECT_NEAR(w(at + m, 0) * w(at + m + 2, 0) + w(at + m, 1) * w(at + m + 2, 1), 0, 1e-15);
      EXPECT_NEAR(std::atan2(w(at + m, 1), w(at + m, 0)), std::atan2(w(at, 1), w(at, 0)), 1e-14);
    }
    directions.push_back(std::atan2(w(at, 1), w(at, 0)));
  }
  EXPECT_NE(directions[0], directions[1]);
  EXPECT_NE(directions[1], directions[2]);
}

TEST(rope2d_mixed, scores_depend_on_displacement_alone_and_class_tokens_do_not_turn) {
  const GridIds grid(3, 4);
  const QueryKey<double> qk{constant(random_array<double>(12, 8, 1)), constant(random_array<double>(12, 8, 2))};
  const auto turned = [&](const GridIds& ids) {
    const auto harness = on_grid("rope2d_mixed", {}, mixed_shape(1, 8), ids);
    return harness->encoding().transform(qk, harness->context());
  };
  const QueryKey<double> here = turned(grid), there = turned(grid.moved(7, 3.5));
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(score(here, i, j), score(there, i, j), 1e-12);

  const auto harness = on_grid("rope2d_mixed", {}, mixed_shape(1, 8), GridIds(1, 2).moved(1, 1));
  harness->positions().without_position = {true, false};
  const Array<double> x = random_array<double>(2, 8, 4), y = harness->rotate(x);
  expect_close(view(y).block_rows(0, 1), view(x).block_rows(0, 1), 0);
  EXPECT_GT(largest_difference(y, x), 0.1);
  EXPECT_THAT(refusal([] { on_grid("rope2d_mixed", {}, mixed_shape(1, 6), GridIds(1, 1)); }),
              HasSubstr("a head has 6 channels"));
}

}  // namespace
}  // namespace lengthwise
