#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/grids.h"
#include "tests/encodings/schemes/assigned.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

ModelShape shape(std::size_t heads, std::size_t d) { return {.layers = 1, .width = heads * d, .heads = heads, .causal = false}; }

TEST(rope2d_axial, rope_vit) {
  for (const char* name : {"axial_x_first_4x3", "axial_x_first_5x5_theta10000"}) {
    SCOPED_TRACE(name);
    const GoldenCase c = golden("rope2d.h5", name);
    const GoldenArray q = c.input("q"), upstream = c.input("grad_scores");
    const std::size_t B = q.shape[0], H = q.shape[1], n = q.shape[2], d = q.shape[3];
    const auto harness = on_grid("rope2d_axial", {{"base", number_text(c.real("base"))}}, shape(H, d),
                                 GridIds(static_cast<std::size_t>(c.integer("height")), static_cast<std::size_t>(c.integer("width"))), B);
    const Array<double> q_in = tokens_by_channels(q), k_in = tokens_by_channels(c.input("k"));
    for (const bool of_q : {true, false}) {
      Tape<double> tape;
      const QueryKey<double> in{leaf(q_in), leaf(k_in)}, out = harness->encoding().transform(in, harness->context());
      expect_golden(heads_apart(out.q.value(), B, H), c, "q_rot");
      expect_golden(heads_apart(out.k.value(), B, H), c, "k_rot");
      Array<double> gradient = zeros<double>(B * n, H * d);
      for (std::size_t e = 0; e < upstream.values.size(); ++e) {
        const std::size_t j = e % n, i = e / n % n, h = e / n / n % H, b = e / n / n / H;
        for (std::size_t ch = h * d; ch < (h + 1) * d; ++ch)
          gradient(b * n + (of_q ? i : j), ch) += upstream.values[e] * (of_q ? out.k.value()(b * n + j, ch) : out.q.value()(b * n + i, ch));
      }
      tape.backward(of_q ? out.q : out.k, gradient);
      const Array<double> d_in = (of_q ? in.q : in.k).gradient();
      expect_golden(heads_apart(view(d_in), B, H), c, of_q ? "grad_q" : "grad_k");
    }
  }
}

TEST(rope2d_axial, timm) {
  for (const auto& [name, order] : std::map<std::string, std::string>{{"timm_row_first_3x4", "row"}, {"timm_row_first_resized_from_4x4", "row"}, {"timm_xy_indexing_3x4", "column"}}) {
    SCOPED_TRACE(name);
    const GoldenCase c = golden("rope2d.h5", name);
    const auto size = c.reals("feat_shape");
    const GridIds grid(static_cast<std::size_t>(size[0]), static_cast<std::size_t>(size[1]));
    OptionValues rescaled;
    if (name == "timm_row_first_resized_from_4x4") rescaled = {{"reference_rows", "4"}, {"reference_columns", "4"}};
    Assigned assign{.hints = {{"row", grid.row}, {"column", grid.column}}};
    Harness<double> harness("rope2d_axial", {{"base", number_text(c.real("temperature"))}, {"order", order}}, shape(1, static_cast<std::size_t>(c.integer("dim"))),
                            {counting(grid.tokens())});
    harness.positions() = assign("grid", rescaled, {grid.tokens()});
    expect_golden(harness.rotate(c.input("x").array()), c, "x_rot");
  }
}

// d = 8: two frequencies, 1 and 0.1, on each axis.
TEST(rope2d_axial, pairs_turn_by_their_own_axis) {
  for (const char* order : {"column", "row"})
    for (const char* layout : {"half", "interleaved"}) {
      Array<double> x = zeros<double>(1, 8);
      const bool half = *layout == 'h';
      for (std::size_t m = 0; m < 4; ++m) x(0, half ? m : 2 * m) = 1;
      const Array<double> y = on_grid("rope2d_axial", {{"order", order}, {"layout", layout}}, shape(1, 8), GridIds(1, 1).moved(3, 5))->rotate(x);
      const std::vector<double> angles = *order == 'c' ? std::vector<double>{5, 0.5, 3, 0.3} : std::vector<double>{3, 0.3, 5, 0.5};
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
    const auto harness = on_grid("rope2d_axial", {}, shape(1, 8), ids);
    return harness->encoding().transform(qk, harness->context());
  };
  const QueryKey<double> here = turned(grid), there = turned(grid.moved(7, 3.5));
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(score(here, i, j), score(there, i, j), 1e-12);

  const Array<double> x = random_array<double>(6, 8, 3);
  const Array<double> in_a_row = on_grid("rope2d_axial", {}, shape(1, 8), GridIds(1, 6))->rotate(x);
  const Array<double> rope = Harness<double>("rope", {{"base", "100"}, {"fraction", "0.5"}, {"layout", "interleaved"}}, shape(1, 8), {counting(6)}).rotate(x);
  expect_close(in_a_row, rope, 1e-15);
}

TEST(rope2d_axial, class_tokens_do_not_turn_and_odd_heads_are_refused) {
  const auto harness = on_grid("rope2d_axial", {}, shape(1, 8), GridIds(1, 2).moved(1, 1));
  harness->positions().without_position = {true, false};
  const Array<double> x = random_array<double>(2, 8, 4), y = harness->rotate(x);
  expect_close(view(y).block_rows(0, 1), view(x).block_rows(0, 1), 0);
  EXPECT_GT(largest_difference(y, x), 0.1);
  EXPECT_THAT(refusal([] { on_grid("rope2d_axial", {}, shape(1, 6), GridIds(1, 1)); }), HasSubstr("a head has 6 channels"));
}

}  // namespace
}  // namespace lengthwise
