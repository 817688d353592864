#include <gmock/gmock.h>

#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

constexpr std::size_t n = 6, width = 4, heads = 2, d = 2;

Harness<double>& stirred(Harness<double>& harness) {
  const Array<double> noise = random_array<double>(1, harness.store().flat().cols, 9);
  for (std::size_t e = 0; e < noise.size(); ++e) harness.store().flat().data[e] += noise(0, e);
  return harness;
}

// LN(E[row]) U, a vector of D.
std::vector<double> projected(Harness<double>& harness, std::size_t row, const char* projection) {
  const Matrix<double> e = harness.parameter("tupe.table"), u = harness.parameter(projection);
  double mean = 0, variance = 0;
  for (std::size_t c = 0; c < width; ++c) mean += e(row, c) / width;
  for (std::size_t c = 0; c < width; ++c) variance += (e(row, c) - mean) * (e(row, c) - mean) / width;
  std::vector<double> y(width, 0.0);
  for (std::size_t o = 0; o < width; ++o)
    for (std::size_t c = 0; c < width; ++c)
      y[o] += u(o, c) * ((e(row, c) - mean) / std::sqrt(variance + 1e-5) * harness.parameter("tupe.norm.gain")(0, c) +
                         harness.parameter("tupe.norm.bias")(0, c));
  return y;
}

// The paper's positional correlation of two rows of the table, without the scale.
double correlation(Harness<double>& harness, std::size_t head, std::size_t query_row, std::size_t key_row) {
  const auto q = projected(harness, query_row, "tupe.query"), k = projected(harness, key_row, "tupe.key");
  double sum = 0;
  for (std::size_t c = head * d; c < (head + 1) * d; ++c) sum += q[c] * k[c];
  return sum;
}

// The weights by the paper's equation, theta being that of the two spare rows.
Array<double> dense(Harness<double>& harness, const Array<double>& q, const Array<double>& k,
                    const std::vector<double>& ids, const std::vector<bool>& unplaced, bool causal) {
  const std::size_t spare = harness.parameter("tupe.table").rows - 2;
  Array<double> weights = zeros<double>(n, heads * n);
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t end = causal ? i + 1 : n;
      double sum = 0;
      for (std::size_t j = 0; j < end; ++j) {
        double s = unplaced[i] ? correlation(harness, h, spare, spare)
                   : unplaced[j]
                       ? correlation(harness, h, spare + 1, spare + 1)
                       : correlation(harness, h, static_cast<std::size_t>(ids[i]), static_cast<std::size_t>(ids[j]));
        for (std::size_t c = h * d; c < (h + 1) * d; ++c) s += q(i, c) * k(j, c);
        sum += weights(i, h * n + j) = std::exp(s / std::sqrt(2.0 * d));
      }
      for (std::size_t j = 0; j < end; ++j) weights(i, h * n + j) /= sum;
    }
  return weights;
}

TEST(tupe, weights_are_those_of_the_paper) {
  const Array<double> q = random_array<double>(n, width, 1), k = random_array<double>(n, width, 2);
  for (const bool causal : {true, false})
    for (const std::vector<double>& ids : {counting(n), std::vector<double>{0, 3, 4, 7, 8, 9}})
      for (const std::vector<bool>& unplaced : {std::vector<bool>(n),
                                                {true, false, false, false, false, false},
                                                {false, false, true, false, true, false}}) {
        Harness<double> harness("tupe", {{"positions", "10"}}, {.width = width, .heads = heads, .causal = causal},
                                {ids});
        stirred(harness).positions().without_position = unplaced;
        EXPECT_LT(largest_difference(weights_of(harness, q, k), dense(harness, q, k, ids, unplaced, causal)), 1e-14);
      }
}

TEST(tupe, gradients_with_class_tokens) {
  Harness<double> harness("tupe", {{"positions", "10"}}, {.width = width, .heads = heads, .causal = false},
                          counting(2, n));
  stirred(harness).positions().without_position = {true, false, false, false, false, false,
                                                   true, false, false, true,  false, false};
  const auto in = [](std::uint64_t seed) { return random_array<double>(2 * n, width, seed); };
  const GradientCheck check = check_gradients(
      [&](const auto& x) {
        return attend(harness, {x[0], x[1]}, x[2]);
      },
      {in(1), in(2), in(3)}, &harness.store());
  EXPECT_TRUE(check.passed) << check.worst;
}

// The positions' part of a score does not depend on the words, nor on the layer.
TEST(tupe, layers_share_everything) {
  ParameterStore<double> store(1);
  const ModelShape shape{.layers = 3, .width = width, .heads = heads, .train_positions = n};
  const Options options = encoding_options("tupe");
  for (std::size_t layer = 0; layer < 3; ++layer)
    make_encoding<double>("tupe", {shape, layer, {0, heads}, options, store});
  EXPECT_EQ(store.list().size(), 5u);
  EXPECT_EQ(store.find("tupe.table")->rows, n + 2);
}

TEST(tupe, positions_beyond_the_table_are_refused) {
  Harness<double> harness("tupe", {}, {.width = width, .train_positions = 4}, {counting(5)});
  const Array<double> x = random_array<double>(5, width, 1);
  EXPECT_THAT(refusal([&] { attended(harness, x, x, x, x); }),
              HasSubstr("tupe: position 4 is not a row of the table, which has the whole-numbered rows 0 to 3"));
  EXPECT_THAT(
      refusal([] {
        encoding_info("tupe").check(encoding_options("tupe", {{"positions", "3"}}), {.width = 4, .train_positions = 4});
      }),
      HasSubstr("tupe.positions is 3"));
}

}  // namespace
}  // namespace lengthwise
