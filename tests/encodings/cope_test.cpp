#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

// Gates of 1, from gate keys far along q: token i - m is at position m + 1, which is Shaw with keys alone.
TEST(cope, open_gates_count_tokens) {
  const std::size_t n = 6, d = 4;
  Harness<double> cope("cope", {{"positions", "4"}, {"own_gate_key", "true"}}, {.width = d}, {counting(n)});
  Harness<double> shaw("shaw", {{"clip", "2"}, {"terms", "keys"}}, {.width = d}, {counting(n)});
  Array<double> q = random_array<double>(n, d, 1), k = random_array<double>(n, d, 2), v = random_array<double>(n, d, 3);
  for (std::size_t i = 0; i < n; ++i) q(i, 0) = 1;
  const Matrix<double> projection = cope.parameter("blocks.0.cope.gate_key");
  fill(projection, 0.0);
  projection(0, 0) = 1;  // x has the keys of the gates: (2000, 0, 0, 0)
  Array<double> x = zeros<double>(n, d);
  for (std::size_t i = 0; i < n; ++i) x(i, 0) = 2000;
  const Array<double> table = random_array<double>(4, d, 4);
  copy(view(table), cope.parameter("blocks.0.cope.table"));
  const Matrix<double> keys = shaw.parameter("blocks.0.shaw.keys");
  fill(keys, 0.0);
  for (std::size_t distance = 0; distance <= 2; ++distance)
    copy(view(table).block_rows(distance + 1, 1), keys.block_rows(2 - distance, 1));
  EXPECT_LT(largest_difference(attended(cope, q, k, v, v, x).out, attended(shaw, q, k, v, v, x).out), 1e-13);
}

// Closed gates: every key is at position 0, whose logit is the row's own constant.
TEST(cope, closed_gates_are_no_encoding) {
  const std::size_t n = 6, d = 4;
  Harness<double> cope("cope", {{"own_gate_key", "true"}}, {.width = d}, {counting(n)});
  Harness<double> none("none", {}, {.width = d}, {counting(n)});
  Array<double> q = random_array<double>(n, d, 1), x = zeros<double>(n, d);
  const Array<double> k = random_array<double>(n, d, 2), v = random_array<double>(n, d, 3);
  for (std::size_t i = 0; i < n; ++i) q(i, 0) = 1, x(i, 0) = -2000;
  const Matrix<double> projection = cope.parameter("blocks.0.cope.gate_key");
  fill(projection, 0.0);
  projection(0, 0) = 1;
  const Array<double> table = random_array<double>(64, d, 4);
  copy(view(table), cope.parameter("blocks.0.cope.table"));
  EXPECT_LT(largest_difference(attended(cope, q, k, v, v, x).out, attended(none, q, k, v, v, x).out), 1e-14);
}

// Keys of 0 leave gates of 1/2: positions 1/2, 1, 3/2 for 0, 1, 2 tokens back. e[p] = (0, p^2) meets q = (0, 1).
TEST(cope, interpolates_between_positions) {
  const std::size_t n = 3, d = 2;
  Harness<double> harness("cope", {{"positions", "3"}, {"scale", "outside"}}, {.width = d}, {counting(n)});
  set_parameter(harness, "blocks.0.cope.table", {0, 0, 0, 1, 0, 4});
  Array<double> q = zeros<double>(n, d), k = zeros<double>(n, d);
  for (std::size_t i = 0; i < n; ++i) q(i, 1) = 1;
  const Array<double> weights = weights_of(harness, q, k);
  const double logits[3] = {2.5, 1, 0.5};  // (1 + 4) / 2, 1, (0 + 1) / 2
  const double sum = std::exp(2.5) + std::exp(1.0) + std::exp(0.5);
  for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(weights(2, j), std::exp(logits[j]) / sum, 1e-15);
}

TEST(cope, a_nan_reaches_the_output) {
  const std::size_t n = 3, d = 2;
  Harness<double> harness("cope", {{"positions", "2"}}, {.width = d}, {counting(n)});
  Array<double> q = zeros<double>(n, d);
  q(1, 0) = NAN;
  const Array<double> out = attended(harness, q, q, random_array<double>(n, d, 1), q).out;
  EXPECT_FALSE(std::isnan(out(0, 0)));
  EXPECT_TRUE(std::isnan(out(1, 0)));
  EXPECT_TRUE(std::isnan(out(2, 0)));
}

}  // namespace
}  // namespace lengthwise
