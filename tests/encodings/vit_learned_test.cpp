#include <gmock/gmock.h>

#include "core/ops/weighted_rows.h"
#include "encodings/resampling.h"
#include "tests/core/arrays.h"
#include "tests/encodings/grids.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

ModelShape vit_shape(std::size_t width) { return {.layers = 1, .width = width, .heads = 1, .causal = false}; }

OptionValues trained_on(std::size_t rows, std::size_t columns, std::size_t prefix, OptionValues more = {}) {
  more["rows"] = join(rows), more["columns"] = join(columns), more["prefix"] = join(prefix);
  return more;
}

// What `prefix` tokens without a place and then a grid are given, of this table.
Array<double> embedded(const OptionValues& options, Matrix<const double> table, std::size_t rows, std::size_t columns,
                       std::size_t prefix) {
  GridIds grid(rows, columns);
  grid.row.insert(grid.row.begin(), prefix, 0.0);
  grid.column.insert(grid.column.begin(), prefix, 0.0);
  const auto harness = on_grid("vit_learned", options, vit_shape(table.cols), grid);
  harness->positions().without_position.assign(grid.tokens(), false);
  std::fill_n(harness->positions().without_position.begin(), prefix, true);
  copy(table, harness->parameter("vit_learned.table"));
  return harness->embed(zeros<double>(grid.tokens(), table.cols));
}

TEST(vit_learned, equal_counts_are_no_equal_grids) {
  const Array<double> table = random_array<double>(1 + 12, 3, 1);
  const Array<double> turned = embedded(trained_on(3, 4, 1), view(table), 4, 3, 1);
  EXPECT_GT(largest_difference(turned, table), 0.1);
  expect_close(view(turned).block_rows(0, 1), view(table).block_rows(0, 1), 0);
}

TEST(vit_learned, constants_stay_constant_and_ramps_straight_inside) {
  Array<double> table = uninitialized<double>(30, 2);  // 5 rows, 6 columns
  for (std::size_t t = 0; t < 30; ++t)
    table(t, 0) = 7, table(t, 1) = 2 * static_cast<double>(t / 6) - 3 * static_cast<double>(t % 6);
  for (const char* kernel : {"cubic", "linear"})
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{9, 13}, {10, 6}, {5, 12}}) {
      const Array<double> y = embedded(trained_on(5, 6, 0, {{"kernel", kernel}}), view(table), rows, columns, 0);
      for (std::size_t t = 0; t < rows * columns; ++t) {
        EXPECT_NEAR(y(t, 0), 7, 1e-13);
        const double r = (static_cast<double>(t / columns) + 0.5) * 5 / static_cast<double>(rows) - 0.5;
        const double c = (static_cast<double>(t % columns) + 0.5) * 6 / static_cast<double>(columns) - 0.5;
        const bool inside = r >= 1 && r <= 3 && c >= 1 && c <= 4;
        if (inside && *kernel == 'l') {
          EXPECT_NEAR(y(t, 1), 2 * r - 3 * c, 1e-13);
        }
      }
    }
}

TEST(vit_learned, nearest_doubles_and_halves_without_loss) {
  const Array<double> table = random_array<double>(12, 2, 2);
  const OptionValues nearest{{"kernel", "nearest"}};
  const Array<double> doubled = embedded(trained_on(3, 4, 0, nearest), view(table), 6, 8, 0);
  expect_close(view(doubled).block_rows(9, 1), view(table).block_rows(0, 1), 0);
  expect_close(embedded(trained_on(6, 8, 0, nearest), view(doubled), 3, 4, 0), table, 0);
}

TEST(vit_learned, aligned_corners_keep_the_corners) {
  Array<double> table = uninitialized<double>(3, 1);
  table(0, 0) = 1, table(1, 0) = 2, table(2, 0) = 5;
  const Array<double> y =
      embedded(trained_on(1, 3, 0, {{"kernel", "linear"}, {"align_corners", "true"}}), view(table), 1, 5, 0);
  expect_close(y, array<double>({{1}, {1.5}, {2}, {3.5}, {5}}), 1e-15);
}

TEST(vit_learned, weights_sum_to_1) {
  for (const char* kernel : {"cubic", "linear", "nearest"})
    for (const bool antialias : {false, true})
      for (const auto& [in, out] : {std::pair<std::size_t, std::size_t>{7, 10}, {16, 5}, {1, 4}, {4, 1}, {5, 5}})
        for (std::size_t to = 0; to < out; ++to) {
          double sum = 0;
          for (const Tap& tap : resampling_taps({.kernel = kernel, .antialias = antialias}, in, out, to)) {
            EXPECT_LT(tap.index, in);
            sum += tap.weight;
          }
          EXPECT_NEAR(sum, 1, 1e-14) << kernel << in << out;
        }
}

TEST(vit_learned, crops_to_the_upper_left_corner) {
  const Array<double> table = random_array<double>(1 + 12, 3, 4);
  const Array<double> y = embedded(trained_on(3, 4, 1, {{"fit", "crop"}}), view(table), 2, 3, 1);
  for (std::size_t t = 0; t < 6; ++t)
    expect_close(view(y).block_rows(1 + t, 1), view(table).block_rows(1 + t / 3 * 4 + t % 3, 1), 0);
  expect_close(view(y).block_rows(0, 1), view(table).block_rows(0, 1), 0);
  EXPECT_THAT(refusal([&] {
                embedded(trained_on(3, 4, 1, {{"fit", "crop"}}), view(table), 4, 4, 1);
              }),
              HasSubstr("a grid of 4 x 4 is no part"));
}

TEST(vit_learned, refuses_what_it_has_no_rows_for) {
  const Array<double> table = zeros<double>(13, 1);
  EXPECT_THAT(refusal([&] { embedded(trained_on(3, 4, 1), view(table), 3, 4, 2); }),
              HasSubstr("more than vit_learned.prefix = 1"));
  EXPECT_THAT(refusal([&] {
                embedded(trained_on(3, 4, 1, {{"antialias", "true"}, {"align_corners", "true"}}), view(table), 3, 4, 1);
              }),
              HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace lengthwise
