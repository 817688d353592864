#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

ModelShape shape_of(const GoldenCase& c) {
  const auto heads = static_cast<std::size_t>(c.integer("n_heads"));
  return {.width = heads * static_cast<std::size_t>(c.integer("head_dim")), .heads = heads};
}

// The files have the table as [d, P].
std::vector<double> transposed(const GoldenArray& table) {
  std::vector<double> values;
  for (std::size_t p = 0; p < table.shape[1]; ++p)
    for (std::size_t c = 0; c < table.shape[0]; ++c) values.push_back(table.values[c * table.shape[1] + p]);
  return values;
}

TEST(cope, attention_and_gradients_of_public_code) {
  for (const char* name : {"published_default", "positions_not_divided", "separate_gate_key"}) {
    SCOPED_TRACE(name);
    const GoldenCase c = golden("cope.h5", name);
    const GoldenArray q = c.input("q"), table = c.input("pos_emb");
    const ModelShape shape = shape_of(c);
    const bool own = c.integer("separate_gate_key");
    Harness<double> harness("cope",
                            {{"positions", join(c.integer("n_positions"))},
                             {"scale", c.integer("divide_position_logits") ? "inside" : "outside"},
                             {"own_gate_key", own ? "true" : "false"}},
                            shape, counting(q.shape[0], q.shape[2]));
    set_parameter(harness, "blocks.0.cope.table", transposed(table));
    Array<double> x = zeros<double>(q.shape[0] * q.shape[2], shape.width);
    if (own) {  // the projection is the identity, so that x are the keys of the gates
      const Matrix<double> projection = harness.parameter("blocks.0.cope.gate_key");
      fill(projection, 0.0);
      for (std::size_t e = 0; e < shape.width; ++e) projection(e, e) = 1;
      x = tokens_by_channels(c.input("key_cope"));
    }
    const auto in = [&](const char* which) { return tokens_by_channels(c.input(which)); };
    const auto apart = [&](const Array<double>& a) { return heads_apart(view(a), q.shape[0], shape.heads); };
    const Attended got = attended(harness, in("q"), in("k"), in("v"), in("grad_out"), x);
    expect_golden(apart(got.out), c, "out");
    expect_golden(apart(got.q), c, "grad_q");
    expect_golden(apart(got.k), c, "grad_k");
    expect_golden(apart(got.v), c, "grad_v");
    if (own) expect_golden(apart(got.x), c, "grad_key_cope");
    const Matrix<const double> gradient = got.parameter(harness, "blocks.0.cope.table");
    std::vector<double> of_table;
    for (std::size_t ch = 0; ch < gradient.cols; ++ch)
      for (std::size_t p = 0; p < gradient.rows; ++p) of_table.push_back(gradient(p, ch));
    expect_golden(of_table, c, "grad_pos_emb");
    expect_golden(apart(weights_of(harness, in("q"), in("k"), x)), c, "probs");
  }
}

// Gates of 1, from gate keys far along q: token i - m is at position m + 1, which is Shaw with keys alone.
TEST(cope, open_gates_count_tokens) {
  const std::size_t n = 6, d = 4;
  Harness<double> cope("cope", {{"positions", "4"}, {"own_gate_key", "true"}}, {.width = d}, {counting(n)});
  Harness<double> shaw("shaw", {{"clip", "2"}, {"use_values", "false"}}, {.width = d}, {counting(n)});
  Array<double> q = random_array<double>(n, d, 1), k = random_array<double>(n, d, 2), v = random_array<double>(n, d, 3);
  for (std::size_t i = 0; i < n; ++i) q(i, 0) = 1;
  const Matrix<double> projection = cope.parameter("blocks.0.cope.gate_key");
  fill(projection, 0.0);
  projection(0, 0) = 1;  // x has the keys of the gates: (2000, 0, 0, 0)
  Array<double> x = zeros<double>(n, d);
  for (std::size_t i = 0; i < n; ++i) x(i, 0) = 2000;
  const Array<double> table = random_array<double>(4, d, 4);
  set_parameter(cope, "blocks.0.cope.table", {table.data(), table.data() + table.size()});
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
  set_parameter(cope, "blocks.0.cope.table", {table.data(), table.data() + table.size()});
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
