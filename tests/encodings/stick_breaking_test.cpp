#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

TEST(stick_breaking, attention_and_gradients_of_public_code) {
  for (const char* name : {"before_current", "with_current"})
    for (const bool self : {false, true}) {
      SCOPED_TRACE(join(name, self ? ", remainder to the token itself" : ""));
      const GoldenCase c = golden("stick_breaking.h5", name);
      const GoldenArray q = c.input("q");
      const std::size_t sequences = q.shape[0], heads = q.shape[1], n = q.shape[2], width = heads * q.shape[3];
      Harness<double> harness(
          "stick_breaking",
          {{"attend_current", c.integer("attend_current") ? "true" : "false"}, {"remainder", self ? "self" : "drop"}},
          {.width = width, .heads = heads}, counting(sequences, n));
      const auto in = [&](const char* which) { return tokens_by_channels(c.input(which)); };
      const auto apart = [&](const Array<double>& x) { return heads_apart(view(x), sequences, heads); };
      const Attended got = attended(harness, in("q"), in("k"), in("v"), in("grad_out"));
      if (self) {
        expect_golden(apart(got.out), c, "out_remainder_to_own_value");
        expect_golden(apart(got.q), c, "grad_q_remainder_to_own_value");
        expect_golden(apart(got.k), c, "grad_k_remainder_to_own_value");
        expect_golden(apart(got.v), c, "grad_v_remainder_to_own_value");
        continue;
      }
      expect_golden(apart(got.out), c, "out");
      expect_golden(apart(got.v), c, "grad_v");
      const Array<double> weights = weights_of(harness, in("q"), in("k"));
      const std::vector<double> all = apart(weights);
      expect_golden(all, c, "weights");
      std::vector<double> remainder;
      for (std::size_t r = 0; r < all.size() / n; ++r)
        remainder.push_back(1 - std::accumulate(all.data() + r * n, all.data() + (r + 1) * n, 0.0));
      expect_golden(remainder, c, "remainder");
    }
}

// grad_q and grad_k of the files are those of sum(out grad_out) + sum(remainder grad_rem). A constant value channel -1
// has the output remainder - 1, so one more channel of values brings the second sum in.
TEST(stick_breaking, gradient_of_the_remainder_of_public_code) {
  for (const char* name : {"before_current", "with_current"}) {
    SCOPED_TRACE(name);
    const GoldenCase c = golden("stick_breaking.h5", name);
    const GoldenArray q = c.input("q"), grad_rem = c.input("grad_rem");
    const std::size_t sequences = q.shape[0], heads = q.shape[1], n = q.shape[2], d = q.shape[3];
    // Heads of 4 d channels keep the usual scale twice as small; q is doubled for it.
    const std::size_t wide = 4 * d;
    Harness<double> harness("stick_breaking", {{"attend_current", c.integer("attend_current") ? "true" : "false"}},
                            {.width = heads * wide, .heads = heads}, counting(sequences, n));
    const auto widened = [&](const char* which, double factor) {
      const Array<double> narrow = tokens_by_channels(c.input(which));
      Array<double> x = zeros<double>(sequences * n, heads * wide);
      for (std::size_t h = 0; h < heads; ++h)
        accumulate(view(narrow).block_cols(h * d, d), view(x).block_cols(h * wide, d), factor);
      return x;
    };
    Array<double> v = widened("v", 1), upstream = widened("grad_out", 1);
    for (std::size_t i = 0; i < sequences * n; ++i)
      for (std::size_t h = 0; h < heads; ++h) {
        v(i, h * wide + d) = -1;
        upstream(i, h * wide + d) = grad_rem.values[(i / n * heads + h) * n + i % n];
      }
    const Attended got = attended(harness, widened("q", 2), widened("k", 1), v, upstream);
    const auto narrowed = [&](const Array<double>& x, double factor) {
      Array<double> narrow = zeros<double>(sequences * n, heads * d);
      for (std::size_t h = 0; h < heads; ++h)
        accumulate(view(x).block_cols(h * wide, d), view(narrow).block_cols(h * d, d), factor);
      return heads_apart(view(narrow), sequences, heads);
    };
    expect_golden(narrowed(got.q, 2), c, "grad_q");
    expect_golden(narrowed(got.k, 1), c, "grad_k");
  }
}

// Scores of 0 halve the stick at every key, from the nearest on.
TEST(stick_breaking, by_hand) {
  const std::size_t n = 4;
  const auto weights = [&](const char* remainder, const char* current) {
    Harness<double> harness("stick_breaking", {{"remainder", remainder}, {"attend_current", current}}, {.width = n},
                            {counting(n)});
    const Array<double> all = harness.weights(zeros<double>(n, n));
    std::vector<double> rows;
    for (const std::size_t i : {0, 3}) rows.insert(rows.end(), &all(i, 0), &all(i, 0) + n);
    return rows;
  };
  const auto expect = [](const std::vector<double>& mine, const std::vector<double>& right) {
    for (std::size_t e = 0; e < right.size(); ++e) EXPECT_NEAR(mine[e], right[e], 1e-15) << e;
  };
  expect(weights("drop", "false"), {0, 0, 0, 0, 0.125, 0.25, 0.5, 0});
  expect(weights("self", "false"), {1, 0, 0, 0, 0.125, 0.25, 0.5, 0.125});
  expect(weights("drop", "true"), {0.5, 0, 0, 0, 0.0625, 0.125, 0.25, 0.5});
  expect(weights("self", "true"), {1, 0, 0, 0, 0.0625, 0.125, 0.25, 0.5625});
}

TEST(stick_breaking, a_large_score_at_the_nearest_key_takes_all) {
  const std::size_t n = 5;
  Harness<double> harness("stick_breaking", {}, {.width = n}, {counting(n)});
  Array<double> scores = random_array<double>(n, n, 1);
  scores(4, 3) = 800;
  scores(3, 2) = -800;
  const Array<double> weights = harness.weights(scores);
  EXPECT_NEAR(weights(4, 3), 1, 1e-14);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(weights(4, j), 0);
  EXPECT_EQ(weights(3, 2), 0);
  EXPECT_GT(weights(3, 1), 0.2);
}

}  // namespace
}  // namespace lengthwise
