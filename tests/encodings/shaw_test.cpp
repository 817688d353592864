#include "core/ops/linear.h"
#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

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
  for (const auto& [displacement, row] :  // query - key
       std::map<double, double>{{0, 4}, {1, 3}, {-1, 5}, {4, 0}, {994, 0}, {-994, 8}}) {
    Harness<double> harness("shaw", {{"clip", "4"}}, {.width = 1, .causal = false}, {{1000, 1000 + displacement}});
    const Matrix<double> keys = harness.parameter("blocks.0.shaw.keys");
    EXPECT_EQ(keys.rows, 9u);
    std::iota(keys.data, keys.data + keys.rows, 0.0);
    Array<double> q = zeros<double>(2, 1), k = q;
    fill(view(q), 1.0);
    EXPECT_EQ(scores_of(harness, q, k)[0](1, 0), row) << displacement;
  }
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

TEST(shaw, either_term_alone_is_both_with_zeros_for_the_other) {
  const std::size_t n = 5;
  const Array<double> q = random_array<double>(n, 4, 1), k = random_array<double>(n, 4, 2),
                      v = random_array<double>(n, 4, 3);
  const std::string keys = "blocks.0.shaw.keys", values = "blocks.0.shaw.values";
  Harness<double> both("shaw", {{"clip", "2"}}, {.width = 4}, {counting(n)});
  for (const auto& [terms, kept, dropped] : {std::tuple{"keys", keys, values}, {"values", values, keys}}) {
    Harness<double> one("shaw", {{"clip", "2"}, {"terms", terms}}, {.width = 4}, {counting(n)});
    fill(both.parameter(dropped), 0.0);
    copy(view(std::as_const(q)), both.parameter(kept));
    copy(view(std::as_const(q)), one.parameter(kept));
    EXPECT_EQ(largest_difference(attended(one, q, k, v, v).out, attended(both, q, k, v, v).out), 0) << terms;
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

}  // namespace
}  // namespace lengthwise
