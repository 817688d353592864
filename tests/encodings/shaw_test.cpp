#include <gmock/gmock.h>

#include "core/ops/linear.h"
#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

ModelShape shape_of(const GoldenCase& c) {
  const auto heads = static_cast<std::size_t>(c.integer("n_heads"));
  return {.width = heads * static_cast<std::size_t>(c.integer("head_dim")),
          .heads = heads,
          .causal = c.text("mask") == "causal"};
}

TEST(shaw, attention_and_gradients_of_public_code) {
  for (const char* name : {"attention_bidirectional_k3", "attention_causal_k2", "attention_k_beyond_length"}) {
    SCOPED_TRACE(name);
    const GoldenCase c = golden("shaw.h5", name);
    const GoldenArray q = c.input("q");
    const ModelShape shape = shape_of(c);
    Harness<double> harness("shaw", {{"clip", join(c.integer("max_relative_position"))}}, shape,
                            counting(q.shape[0], q.shape[2]));
    set_parameter(harness, "blocks.0.shaw.keys", c.input("table_k").values);
    set_parameter(harness, "blocks.0.shaw.values", c.input("table_v").values);
    const Attended got = attended(harness, tokens_by_channels(q), tokens_by_channels(c.input("k")),
                                  tokens_by_channels(c.input("v")), tokens_by_channels(c.input("grad_out")));
    const auto apart = [&](const Array<double>& x) { return heads_apart(view(x), q.shape[0], shape.heads); };
    expect_golden(apart(got.out), c, "out");
    expect_golden(apart(got.q), c, "grad_q");
    expect_golden(apart(got.k), c, "grad_k");
    expect_golden(apart(got.v), c, "grad_v");
    expect_golden(got.parameter(harness, "blocks.0.shaw.keys"), c, "grad_table_k");
    expect_golden(got.parameter(harness, "blocks.0.shaw.values"), c, "grad_table_v");
  }
}

// The weights alone: without value vectors the values are free to be unit vectors.
TEST(shaw, weights_of_public_code) {
  for (const char* name : {"attention_bidirectional_k3", "attention_causal_k2", "attention_k_beyond_length"}) {
    const GoldenCase c = golden("shaw.h5", name);
    const GoldenArray q = c.input("q");
    Harness<double> harness("shaw", {{"clip", join(c.integer("max_relative_position"))}, {"use_values", "false"}},
                            shape_of(c), counting(q.shape[0], q.shape[2]));
    set_parameter(harness, "blocks.0.shaw.keys", c.input("table_k").values);
    const Array<double> weights = weights_of(harness, tokens_by_channels(q), tokens_by_channels(c.input("k")));
    expect_golden(heads_apart(view(weights), q.shape[0], shape_of(c).heads), c, "probs");
  }
}

TEST(shaw, layer_with_projections_of_public_code) {
  const GoldenCase c = golden("shaw.h5", "layer_with_projections");
  const GoldenArray x = c.input("x");
  Harness<double> harness("shaw", {{"clip", join(c.integer("max_relative_position"))}}, shape_of(c),
                          counting(x.shape[0], x.shape[1]));
  set_parameter(harness, "blocks.0.shaw.keys", c.input("table_k").values);
  set_parameter(harness, "blocks.0.shaw.values", c.input("table_v").values);
  std::map<std::string, Variable<double>> leaves{{"x", leaf(x.array())}};
  for (const char* name : {"wq", "bq", "wk", "bk", "wv", "bv", "wo", "bo"}) leaves[name] = leaf(c.input(name).array());
  const auto dense = [&](const char* which, const Variable<double>& in) {
    return linear(in, leaves[join("w", which)], leaves[join("b", which)]);
  };
  std::vector<double> gradient(harness.store().flat().cols);
  Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
  const Variable<double>& in = leaves["x"];
  const Variable<double> y = dense("o", attend(harness, {dense("q", in), dense("k", in)}, dense("v", in)));
  expect_golden(y.value(), c, "out");
  tape.backward(y, c.input("grad_out").array());
  for (const auto& [name, variable] : leaves) expect_golden(variable.gradient(), c, "grad_" + name);
}

// K = 1, one channel, q = k = v = 1: S = 1 + aK and A v = 1 + aV, with aK = ln 1, ln 2, ln 3 for past, present, future.
TEST(shaw, by_hand) {
  Harness<double> harness("shaw", {{"clip", "1"}}, {.width = 1, .causal = false}, {counting(3)});
  set_parameter(harness, "blocks.0.shaw.keys", {std::log(1.0), std::log(2.0), std::log(3.0)});
  set_parameter(harness, "blocks.0.shaw.values", {10, 20, 40});
  Array<double> ones = zeros<double>(3, 1);
  fill(view(ones), 1.0);
  const Array<double> out = attended(harness, ones, ones, ones, ones).out;
  EXPECT_NEAR(out(0, 0), 1 + (2 * 20 + 3 * 40 + 3 * 40) / 8.0, 1e-12);
  EXPECT_NEAR(out(1, 0), 1 + (1 * 10 + 2 * 20 + 3 * 40) / 6.0, 1e-12);
  EXPECT_NEAR(out(2, 0), 1 + (1 * 10 + 1 * 10 + 2 * 20) / 4.0, 1e-12);
}

TEST(shaw, rows_are_those_of_key_minus_query) {
  Harness<double> harness("shaw", {{"clip", "4"}}, {.width = 2}, {counting(2)});
  const Encoding<double>& shaw = harness.encoding();
  EXPECT_EQ(shaw.table_rows(), 9u);
  EXPECT_EQ(shaw.table_row(10, 10), 4u);
  EXPECT_EQ(shaw.table_row(10, 9), 3u);
  EXPECT_EQ(shaw.table_row(10, 11), 5u);
  EXPECT_EQ(shaw.table_row(10, 6), 0u);
  EXPECT_EQ(shaw.table_row(1000, 6), 0u);
  EXPECT_EQ(shaw.table_row(6, 1000), 8u);
}

// One key vector for all leaves the weights alone; one value vector is added to the output.
TEST(shaw, clip_zero_shifts_the_output) {
  const std::size_t n = 5;
  const Array<double> q = random_array<double>(n, 4, 1), k = random_array<double>(n, 4, 2),
                      v = random_array<double>(n, 4, 3);
  Harness<double> none("none", {}, {.width = 4, .heads = 2}, {counting(n)});
  Harness<double> shaw("shaw", {{"clip", "0"}}, {.width = 4, .heads = 2}, {counting(n)});
  set_parameter(shaw, "blocks.0.shaw.keys", {3, -2});
  set_parameter(shaw, "blocks.0.shaw.values", {5, 7});
  Array<double> expected = attended(none, q, k, v, v).out;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < 4; ++c) expected(i, c) += c % 2 ? 7 : 5;
  EXPECT_LT(largest_difference(attended(shaw, q, k, v, v).out, expected), 1e-14);
}

// Keys farther than K are interchangeable.
TEST(shaw, far_keys_share_their_vectors) {
  const std::size_t n = 6;
  const Array<double> q = random_array<double>(n, 4, 1);
  Array<double> k = random_array<double>(n, 4, 2), v = random_array<double>(n, 4, 3);
  Harness<double> harness("shaw", {{"clip", "2"}}, {.width = 4, .heads = 2, .causal = false}, {counting(n)});
  const Array<double> before = attended(harness, q, k, v, v).out;
  for (std::size_t c = 0; c < 4; ++c) std::swap(k(0, c), k(2, c)), std::swap(v(0, c), v(2, c));
  const Array<double> after = attended(harness, q, k, v, v).out;
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(before(5, c), after(5, c), 1e-15);
    EXPECT_NEAR(before(4, c), after(4, c), 1e-15);  // distances 4 and 2
    EXPECT_GT(std::abs(before(3, c) - after(3, c)), 1e-6);
  }
}

// A table for every head, filled alike, is the shared table; filled differently, it is not.
TEST(shaw, heads_may_own_their_vectors) {
  const std::size_t n = 5;
  const Array<double> q = random_array<double>(n, 4, 1), k = random_array<double>(n, 4, 2),
                      v = random_array<double>(n, 4, 3);
  Harness<double> shared("shaw", {{"clip", "2"}}, {.width = 4, .heads = 2}, {counting(n)});
  Harness<double> own("shaw", {{"clip", "2"}, {"per_head", "true"}}, {.width = 4, .heads = 2}, {counting(n)});
  for (const char* name : {"blocks.0.shaw.keys", "blocks.0.shaw.values"}) {
    ASSERT_EQ(own.parameter(name).cols, 4u);
    for (std::size_t h = 0; h < 2; ++h) copy(shared.parameter(name), own.parameter(name).block_cols(2 * h, 2));
  }
  const Array<double> expected = attended(shared, q, k, v, v).out;
  EXPECT_EQ(largest_difference(attended(own, q, k, v, v).out, expected), 0);
  own.parameter("blocks.0.shaw.keys")(1, 2) += 1;
  const Array<double> changed = attended(own, q, k, v, v).out;
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(changed(i, 0), expected(i, 0));
  EXPECT_NE(changed(2, 2), expected(2, 2));
}

TEST(shaw, nothing_to_add_is_refused) {
  EXPECT_THAT(refusal([] {
                encoding_info("shaw").check(encoding_options("shaw", {{"use_keys", "false"}, {"use_values", "false"}}),
                                            {.width = 4});
              }),
              HasSubstr("shaw.use_keys and shaw.use_values are both false"));
}

}  // namespace
}  // namespace lengthwise
