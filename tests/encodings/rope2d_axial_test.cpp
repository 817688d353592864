#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/grids.h"
#include "tests/encodings/schemes/assigned.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

ModelShape axial_shape(std::size_t heads, std::size_t d) {
  return {.layers = 1, .width = heads * d, .heads = heads, .causal = false};
}

// d = 8: two frequencies, 1 and 0.1, on each axis.
TEST(rope2d_axial, pairs_turn_by_their_own_axis) {
  for (const char* order : {"column", "row"})
    for (const char* layout : {"half", "interleaved"}) {
      Array<double> x = zeros<double>(1, 8);
      const bool half = *layout == 'h';
      for (std::size_t m = 0; m < 4; ++m) x(0, half ? m : 2 * m) = 1;
      const Array<double> y =
          on_grid("rope2d_axial", {{"order", order}, {"layout", layout}}, axial_shape(1, 8), GridIds(1, 1).moved(3, 5))
              ->rotate(x);
      const std::vector<double> angles =
          *order == 'c' ? std::vector<double>{5, 0.5, 3, 0.3} : std::vector<double>{3, 0.3, 5, 0.5};
      for (std::size_t m = 0; m < 4; ++m) {
        EXPECT_NEAR(y(0, half ? m : 2 * m), std::cos(angles[m]), 1e-15) << order << layout << m;
        EXPECT_NEAR(y(0, half ? m + 4 : 2 * m + 1), std::sin(angles[m]), 1e-15) << order << layout << m;
      }
    }
}

TEST(rope2d_axial, scores_depend_on_displacement_alone_and_a_row_is_rope_on_half_of_the_pairs) {
  const GridIds grid(3, 4);
  const QueryKey<double> qk{constant(random_array<double>(12, 8, 1)), constant(random_array<double>(12, 8, 2))};
  const auto turned = [&](const GridIds& ids) {
    const auto harness = on_grid("rope2d_axial", {}, axial_shape(1, 8), ids);
    return harness->encoding().transform(qk, harness->context());
  };
  const QueryKey<double> here = turned(grid), there = turned(grid.moved(7, 3.5));
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(score(here, i, j), score(there, i, j), 1e-12);

  const Array<double> x = random_array<double>(6, 8, 3);
  const Array<double> in_a_row = on_grid("rope2d_axial", {}, axial_shape(1, 8), GridIds(1, 6))->rotate(x);
  const Array<double> rope = Harness<double>("rope", {{"base", "100"}, {"fraction", "0.5"}, {"layout", "interleaved"}},
                                             axial_shape(1, 8), {counting(6)})
                                 .rotate(x);
  expect_close(in_a_row, rope, 1e-15);
}

TEST(rope2d_axial, class_tokens_do_not_turn_and_odd_heads_are_refused) {
  const auto harness = on_grid("rope2d_axial", {}, axial_shape(1, 8), GridIds(1, 2).moved(1, 1));
  harness->positions().without_position = {true, false};
  const Array<double> x = random_array<double>(2, 8, 4), y = harness->rotate(x);
  expect_close(view(y).block_rows(0, 1), view(x).block_rows(0, 1), 0);
  EXPECT_GT(largest_difference(y, x), 0.1);
  for (const std::size_t d : {6, 10})
    EXPECT_THAT(refusal([&] { on_grid("rope2d_axial", {}, axial_shape(1, d), GridIds(1, 1)); }),
                HasSubstr(join("a head has ", d, " channels")));
}

// Of 64 channels the formula names d/4 = 16 pairs a side: a column turns the first 32 channels, a row the others.
TEST(rope2d_axial, the_split_is_the_one_it_names) {
  const auto info = encoding_info("rope2d_axial");
  EXPECT_THAT(info.formula, HasSubstr("m < d/4 turned by column w_m, pair d/4 + m by row"));
  Array<double> x = zeros<double>(1, 64);
  fill(view(x), 1.0);
  const auto turned = [&](double row, double column) {
    return on_grid("rope2d_axial", {}, axial_shape(1, 64), GridIds(1, 1).moved(row, column))->rotate(x);
  };
  const Array<double> by_row = turned(1, 0), by_column = turned(0, 1);
  for (std::size_t c = 0; c < 64; ++c) {
    EXPECT_EQ(by_column(0, c) != 1, c < 32) << c;
    EXPECT_EQ(by_row(0, c) != 1, c >= 32) << c;
  }
}

}  // namespace
}  // namespace lengthwise
