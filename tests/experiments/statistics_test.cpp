#include "experiments/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lengthwise {
namespace {

// Both bounds solve (p̂ − p)² = z² p (1 − p) / n for p: Wilson's definition, without his formula.
void expect_wilson_bounds(std::size_t successes, std::size_t trials) {
  const Estimate e = wilson(successes, trials);
  const double n = static_cast<double>(trials), seen = static_cast<double>(successes) / n, z = 1.959963984540054;
  EXPECT_DOUBLE_EQ(e.value, seen);
  EXPECT_LE(e.low, seen);
  EXPECT_GE(e.high, seen);
  for (const double p : {e.low, e.high})
    EXPECT_NEAR((seen - p) * (seen - p), z * z * p * (1 - p) / n, 1e-14) << successes << " of " << trials;
}

TEST(statistics, wilson_bounds_solve_the_equation_of_the_score_test) {
  for (const auto& [successes, trials] :
       {std::pair{0, 10}, {1, 10}, {5, 10}, {10, 10}, {1, 1}, {500, 512}, {512, 512}, {3, 100000}})
    expect_wilson_bounds(static_cast<std::size_t>(successes), static_cast<std::size_t>(trials));
}

TEST(statistics, wilson_known_values) {
  // 81 of 263: Newcombe 1998, table I, method 3.
  const Estimate e = wilson(81, 263);
  EXPECT_NEAR(e.low, 0.2553, 5e-5);
  EXPECT_NEAR(e.high, 0.3662, 5e-5);
  // Nothing right of n: the upper bound is z² / (n + z²).
  EXPECT_NEAR(wilson(0, 10).high, 3.841458820694124 / 13.841458820694124, 1e-15);
  EXPECT_EQ(wilson(0, 10).low, 0);
  EXPECT_EQ(wilson(7, 7).high, 1);
  EXPECT_TRUE(std::isnan(wilson(0, 0).value) && std::isnan(wilson(0, 0).low));
}

// Windows of 1023 tokens at 2 nats and of one token at 10.
TEST(statistics, token_mean_weighs_by_tokens) {
  EXPECT_NEAR(std::exp(token_mean(std::vector{1023 * 2.0, 10.0}, std::vector{1023.0, 1.0})), 7.44701, 5e-6);
  EXPECT_TRUE(std::isnan(token_mean({}, {})));
  EXPECT_TRUE(std::isnan(token_mean(std::vector{0.0}, std::vector{0.0})));
}

// Two sequences of one token, right and wrong: a resample is 0, 1/2 or 1 with probability 1/4, 1/2, 1/4.
TEST(statistics, bootstrap_of_two_sequences_spans_both) {
  const Estimate e = token_bootstrap(std::vector{1.0, 0.0}, std::vector{1.0, 1.0}, Rng(1));
  EXPECT_EQ(e.value, 0.5);
  EXPECT_EQ(e.low, 0);
  EXPECT_EQ(e.high, 1);
}

// For the plain mean of many values the bootstrap tends to mean ± z s / √n.
TEST(statistics, bootstrap_agrees_with_the_normal_interval) {
  Rng rng(3);
  std::vector<double> values(2000), ones(2000, 1.0);
  double sum = 0, squares = 0;
  for (double& v : values) v = rng.normal(), sum += v, squares += v * v;
  const double mean = sum / 2000, half = 1.959964 * std::sqrt((squares / 2000 - mean * mean) / 2000);
  const Estimate e = token_bootstrap(values, ones, Rng(4), 4000);
  EXPECT_NEAR(e.value, mean, 1e-12);
  EXPECT_NEAR(e.low, mean - half, 0.06 * half);
  EXPECT_NEAR(e.high, mean + half, 0.06 * half);
}

// 50 sequences of 100 tokens each, right or wrong as a whole, know no more than 50 single tokens.
TEST(statistics, bootstrap_draws_sequences_not_tokens) {
  std::vector<double> right, tokens, single, ones(50, 1.0);
  for (int i = 0; i < 50; ++i) right.push_back(i % 2 ? 100 : 0), tokens.push_back(100), single.push_back(i % 2);
  const Estimate wide = token_bootstrap(right, tokens, Rng(5)), same = token_bootstrap(single, ones, Rng(5));
  EXPECT_DOUBLE_EQ(wide.low, same.low);
  EXPECT_DOUBLE_EQ(wide.high, same.high);
  EXPECT_GT(wide.high - wide.low, 0.2);  // 5000 independent tokens would give 0.03
}

TEST(statistics, bootstrap_is_a_function_of_its_stream) {
  const std::vector<double> sums{3, 1, 4, 1, 5, 9, 2, 6}, tokens{5, 3, 5, 8, 9, 7, 9, 3};
  const Estimate a = token_bootstrap(sums, tokens, Rng(6)), again = token_bootstrap(sums, tokens, Rng(6));
  const Estimate other = token_bootstrap(sums, tokens, Rng(7));
  EXPECT_EQ(a.low, again.low);
  EXPECT_EQ(a.high, again.high);
  EXPECT_TRUE(a.low != other.low || a.high != other.high);
}

TEST(statistics, bootstrap_at_its_edges) {
  const Estimate one = token_bootstrap(std::vector{2.0, 0.0}, std::vector{4.0, 0.0}, Rng(8));
  EXPECT_EQ(one.value, 0.5);
  EXPECT_TRUE(std::isnan(one.low) && std::isnan(one.high));
  EXPECT_TRUE(std::isnan(token_bootstrap({}, {}, Rng(8)).value));
  const Estimate sure = token_bootstrap(std::vector{4.0, 3.0}, std::vector{4.0, 3.0}, Rng(8));
  EXPECT_EQ(sure.low, 1);
  EXPECT_EQ(sure.high, 1);
}

TEST(statistics, horizon_ends_at_the_first_failure) {
  const std::vector<std::int64_t> lengths{10, 20, 30, 40};
  const auto at = [&](std::vector<double> accuracy, double threshold) { return horizon(lengths, accuracy, threshold); };
  EXPECT_EQ(at({1, 0.9, 0.8, 1}, 0.9)->length, 20);  // what recovers later does not count
  EXPECT_FALSE(at({1, 0.9, 0.8, 1}, 0.9)->censored);
  EXPECT_EQ(at({1, 0.9, 0.8, 1}, 0.5)->length, 40);
  EXPECT_TRUE(at({1, 0.9, 0.8, 1}, 0.5)->censored);
  EXPECT_EQ(at({1, std::nan(""), 1, 1}, 0.5)->length, 10);
  EXPECT_FALSE(at({0.4, 1, 1, 1}, 0.5).has_value());
  EXPECT_FALSE(horizon({}, {}, 0.5).has_value());
}

}  // namespace
}  // namespace lengthwise
