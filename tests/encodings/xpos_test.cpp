#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

ModelShape xpos_shape(std::size_t heads, std::size_t d) {
  return {.layers = 1, .width = heads * d, .heads = heads, .causal = true, .train_positions = 16};
}

// q k^T of one head of one sequence.
double score(Matrix<const double> q, Matrix<const double> k, std::size_t i, std::size_t j, std::size_t head,
             std::size_t d) {
  return std::inner_product(q.row(i) + head * d, q.row(i) + (head + 1) * d, k.row(j) + head * d, 0.0);
}

// Queries and keys (1, 0) in pair m alone: the score is z_m^((p - r)/s) cos((p - r) w_m). For d = 8, z is
// 0.285714, 0.464286, 0.642857, 0.821429 and w is 1, 0.1, 0.01, 0.001.
TEST(xpos, each_pair_decays_at_its_own_rate) {
  const std::vector<double> z{0.285714, 0.464286, 0.642857, 0.821429}, w{1, 0.1, 0.01, 0.001}, ids{0, 3, 10, 1000};
  Harness<double> harness("xpos", {{"scale_base", "64"}}, xpos_shape(1, 8), {ids});
  for (std::size_t m = 0; m < 4; ++m) {
    Array<double> x = zeros<double>(4, 8);
    for (std::size_t i = 0; i < 4; ++i) x(i, 2 * m) = 1;
    const QueryKey<double> out = harness.encoding().transform({constant(x), constant(x)}, harness.context());
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double delta = ids[i] - ids[j];
        EXPECT_NEAR(score(out.q.value(), out.k.value(), i, j, 0, 8),
                    std::pow(z[m], delta / 64) * std::cos(delta * w[m]), 1e-5)
            << m << i << j;
      }
  }
}

TEST(xpos, is_rope_when_nothing_decays) {
  const Array<double> x = random_array<double>(6, 8, 1);
  for (const char* layout : {"half", "interleaved"}) {
    Harness<double> still("xpos", {{"scale_base", "1e300"}, {"layout", layout}}, xpos_shape(1, 8), {counting(6)});
    Harness<double> rope("rope", {{"layout", layout}}, xpos_shape(1, 8), {counting(6)});
    expect_close(still.rotate(x), rope.rotate(x), 1e-14);
  }
}

TEST(xpos, blocks_narrow_evaluation_only) {
  Harness<double> harness("xpos", {{"block", "4"}}, xpos_shape(1, 8), {counting(12)});
  Context context = harness.context();
  const auto window = harness.encoding().terms({}, context).window;
  ASSERT_TRUE(window);
  for (const auto& [row, begin] : std::map<std::size_t, std::size_t>{{0, 0}, {3, 0}, {4, 0}, {7, 0}, {8, 4}, {11, 4}})
    EXPECT_EQ(window->visible(0, row, 12), (KeyRange{begin, 12})) << row;
  context.phase = Phase::train;
  EXPECT_FALSE(harness.encoding().terms({}, context).window);
  EXPECT_FALSE(
      Harness<double>("xpos", {}, xpos_shape(1, 8), {counting(12)}).encoding().terms({}, harness.context()).window);
}

TEST(xpos, refuses_powers_beyond_the_precision) {
  const auto far = [](double p) {
    return Harness<float>("xpos", {}, xpos_shape(1, 8), {{0, p}}).rotate(zeros<float>(2, 8));
  };
  EXPECT_NO_THROW(far(35000));
  EXPECT_THAT(refusal([&] { far(40000); }), HasSubstr("xpos.scale_base"));
  EXPECT_TRUE(encoding_info("xpos").causal_only);
}

}  // namespace
}  // namespace lengthwise
