#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/grids.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

ModelShape sincos_shape(std::size_t width) { return {.layers = 1, .width = width, .heads = 1, .causal = false}; }

Array<double> table(const OptionValues& options, std::size_t width, const GridIds& grid) {
  return on_grid("sincos2d", options, sincos_shape(width), grid)->embed(zeros<double>(grid.tokens(), width));
}

// Width 8: frequencies 1 and 0.01 of an axis; simple ViT has 1 and 0.0001.
TEST(sincos2d, by_hand) {
  const GridIds grid = GridIds(1, 1).moved(2, 5);
  const auto s = [](double x) { return std::sin(x); };
  const auto c = [](double x) { return std::cos(x); };
  expect_close(table({}, 8, grid), array<double>({{s(2), s(.02), c(2), c(.02), s(5), s(.05), c(5), c(.05)}}), 1e-15);
  expect_close(table({{"order", "column"}}, 8, grid),
               array<double>({{s(5), s(.05), c(5), c(.05), s(2), s(.02), c(2), c(.02)}}), 1e-15);
  expect_close(table({{"layout", "by_function"}}, 8, grid),
               array<double>({{s(2), s(.02), s(5), s(.05), c(2), c(.02), c(5), c(.05)}}), 1e-15);
  expect_close(table({{"bank", "simple_vit"}, {"order", "column"}}, 8, grid),
               array<double>({{s(5), s(.0005), c(5), c(.0005), s(2), s(.0002), c(2), c(.0002)}}), 1e-15);
}

TEST(sincos2d, products_depend_on_displacement_and_norms_on_nothing) {
  const GridIds grid(3, 4);
  const Array<double> here = table({}, 16, grid), there = table({}, 16, grid.moved(10, 4.5));
  const auto product = [](const Array<double>& a, std::size_t i, std::size_t j) {
    return std::inner_product(&a(i, 0), &a(i, 0) + 16, &a(j, 0), 0.0);
  };
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(product(here, i, i), 8, 1e-13);
    for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(product(here, i, j), product(there, i, j), 1e-12);
  }
  // A move along the columns leaves the row's half alone.
  const Array<double> across = table({}, 16, grid.moved(0, 1));
  expect_close(view(across).block_cols(0, 8), view(here).block_cols(0, 8), 0);
}

TEST(sincos2d, a_token_without_a_place_gets_nothing) {
  const auto harness = on_grid("sincos2d", {}, sincos_shape(8), GridIds(2, 2));
  harness->positions().without_position = {true, false, false, false};
  const Array<double> y = harness->embed(zeros<double>(4, 8));
  for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(y(0, j), 0);
  EXPECT_NE(y(1, 4), 0);
}

TEST(sincos2d, refuses_widths_it_cannot_divide) {
  EXPECT_THAT(refusal([] { on_grid("sincos2d", {}, sincos_shape(6), GridIds(1, 1)); }), HasSubstr("model.width is 6"));
  EXPECT_THAT(refusal([] {
                on_grid("sincos2d", {{"bank", "simple_vit"}}, sincos_shape(4), GridIds(1, 1));
              }),
              HasSubstr("model.width > 4"));
}

}  // namespace
}  // namespace lengthwise
