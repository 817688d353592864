#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

// Unit vectors as keys and values: the head width is n, q holds the scores and the output the weights.
Array<double> unit_vectors(std::size_t sequences, std::size_t heads, std::size_t n) {
  Array<double> unit = zeros<double>(sequences * n, heads * n);
  for (std::size_t i = 0; i < sequences * n; ++i)
    for (std::size_t h = 0; h < heads; ++h) unit(i, h * n + i % n) = 1;
  return unit;
}
Array<double> times(Array<double> x, double factor) {
  for (double& v : x.storage()) v *= factor;
  return x;
}

TEST(ssmax, weights_and_gradients_of_public_code) {
  for (const char* name : {"causal_n_is_visible_count", "causal_with_offset", "full_n_is_length"})
    for (const char* scope : {"all", "content"}) {
      SCOPED_TRACE(join(name, " ", scope));
      const GoldenCase c = golden("ssmax.h5", name);
      const GoldenArray scores = c.input("scores");
      const std::size_t sequences = scores.shape[0], heads = scores.shape[1], n = scores.shape[2];
      const bool offset = c.integer("with_offset");
      Harness<double> harness("ssmax", {{"offset", offset ? "true" : "false"}, {"scope", scope}},
                              {.width = heads * n, .heads = heads, .causal = c.integer("causal") == 1},
                              counting(sequences, n));
      set_parameter(harness, "blocks.0.ssmax.scale", c.input("s").values);
      if (offset) set_parameter(harness, "blocks.0.ssmax.offset", c.input("b").values);
      const double root = std::sqrt(static_cast<double>(n));
      const Array<double> unit = unit_vectors(sequences, heads, n);
      const Attended got = attended(harness, times(tokens_by_channels(scores), root), unit, unit,
                                    tokens_by_channels(c.input("grad_probs")));
      expect_golden(heads_apart(view(got.out), sequences, heads), c, "probs");
      const Array<double> of_scores = times(got.q, root);
      expect_golden(heads_apart(view(of_scores), sequences, heads), c, "grad_scores");
      expect_golden(got.parameter(harness, "blocks.0.ssmax.scale"), c, "grad_s");
      if (offset) expect_golden(got.parameter(harness, "blocks.0.ssmax.offset"), c, "grad_b");
    }
}

// The public code scales queries by the number of keys, 37; here some channels of q stand for scores of a row with 37
// keys.
TEST(ssmax, factor_of_public_code) {
  const GoldenCase c = golden("ssmax.h5", "query_scaling_fixed_n");
  const GoldenArray q = c.input("q");
  const std::size_t heads = q.shape[1], rows = q.shape[2], d = q.shape[3];
  const auto n = static_cast<std::size_t>(c.integer("n"));
  Harness<double> harness("ssmax", {}, {.width = heads, .heads = heads, .causal = false}, {counting(n)});
  set_parameter(harness, "blocks.0.ssmax.scale", c.input("s").values);
  const auto term = harness.encoding().terms({}, harness.context()).scores.at(0);
  const std::vector<KeyRange> visible(rows, {0, n});
  const std::vector<std::size_t> query_rows(rows, 0);
  std::vector<double> scaled;
  for (std::size_t h = 0; h < heads; ++h) {
    Array<double> scores = zeros<double>(rows, n);
    for (std::size_t e = 0; e < rows * d; ++e) scores(e / d, e % d) = q.values[h * rows * d + e];
    Scratch<double> scratch;
    term->forward({.head = h, .length = n, .query_rows = query_rows, .visible = visible}, view(scores), scratch);
    for (std::size_t e = 0; e < rows * d; ++e) scaled.push_back(scores(e / d, e % d));
  }
  expect_golden(scaled, c, "q_scaled");
}

// (ln 1 + ln 2 + ... + ln 1024) / 1024 = ln(1024!) / 1024 = 5.9354.
TEST(ssmax, starts_near_softmax) {
  Harness<double> harness("ssmax", {}, {.width = 2, .train_positions = 1024}, {counting(2)});
  EXPECT_NEAR(harness.parameter("blocks.0.ssmax.scale")(0, 0), 1024 / std::lgamma(1025.0), 1e-12);
  EXPECT_NEAR(harness.parameter("blocks.0.ssmax.scale")(0, 0), 0.168, 5e-4);
  Harness<double> one("ssmax", {}, {.width = 2, .train_positions = 1}, {counting(2)});
  EXPECT_EQ(one.parameter("blocks.0.ssmax.scale")(0, 0), 1);
  Harness<double> given("ssmax", {{"init", "0.4"}}, {.width = 2, .train_positions = 1024}, {counting(2)});
  EXPECT_EQ(given.parameter("blocks.0.ssmax.scale")(0, 0), 0.4);
}

TEST(ssmax, scope_decides_whether_biases_are_scaled) {
  const auto stage = [](const char* scope) {
    Harness<double> harness("ssmax", {{"scope", scope}}, {.width = 2}, {counting(2)});
    return harness.encoding().terms({}, harness.context()).scores.at(0)->stage();
  };
  EXPECT_EQ(stage("content"), Stage::content_scale);
  EXPECT_EQ(stage("all"), Stage::row_scale);
}

}  // namespace
}  // namespace lengthwise
