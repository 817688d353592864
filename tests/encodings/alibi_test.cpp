#include <gmock/gmock.h>

#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

// The slope of every head: minus the bias at distance 1.
std::vector<double> slopes(std::size_t heads, const OptionValues& options = {}) {
  Harness<double> harness("alibi", options, {.width = 2 * heads, .heads = heads}, {counting(2)});
  const Variable<double> bias = harness.bias();
  std::vector<double> found;
  for (std::size_t h = 0; h < heads; ++h) found.push_back(-bias.value()(2 * h + 1, 0));
  return found;
}

Array<double> bias_matrix(std::size_t heads, std::size_t n, bool causal, const std::string& mode = "symmetric") {
  Harness<double> harness("alibi", {{"mode", mode}}, {.width = heads, .heads = heads, .causal = causal}, {counting(n)});
  return Harness<double>::copied(harness.bias().value());
}

TEST(alibi, slopes) {
  EXPECT_EQ(slopes(1), std::vector<double>({0.00390625}));
  EXPECT_EQ(slopes(2), std::vector<double>({0.0625, 0.00390625}));
  EXPECT_EQ(slopes(3), std::vector<double>({0.0625, 0.00390625, 0.25}));
  EXPECT_EQ(slopes(2, {{"max_exponent", "2"}}), std::vector<double>({0.5, 0.25}));
}

// Zero scores and slope 1/2: the last of three rows is softmax(-1, -1/2, 0).
TEST(alibi, the_nearest_key_weighs_most) {
  Harness<double> harness("alibi", {{"max_exponent", "1"}}, {.width = 3}, {counting(3)});
  const Array<double> weights = harness.weights(zeros<double>(3, 3));
  const double expected[3] = {0.18632, 0.30720, 0.50648};
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(weights(2, j), expected[j], 5e-6);
}

// A symmetric bias cannot tell left from right: reversing the scores and the tokens reverses the weights.
TEST(alibi, only_offset_breaks_reflection) {
  const std::size_t n = 6;
  const Array<double> scores = random_array<double>(n, 2 * n, 1);
  const auto reversed = [n](const Array<double>& x) {
    Array<double> y = uninitialized<double>(n, 2 * n);
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) y(i, h * n + j) = x(n - 1 - i, h * n + n - 1 - j);
    return y;
  };
  for (const bool offset : {false, true}) {
    Harness<double> harness("alibi", {{"mode", offset ? "offset" : "symmetric"}},
                            {.width = 2 * n, .heads = 2, .causal = false}, {counting(n)});
    const double difference = largest_difference(harness.weights(reversed(scores)), reversed(harness.weights(scores)));
    if (offset)
      EXPECT_GT(difference, 1e-3);
    else
      EXPECT_LT(difference, 1e-14);
  }
}

TEST(alibi, offset_is_refused_in_causal_models) {
  EXPECT_THAT(refusal([] { bias_matrix(2, 3, true, "offset"); }),
              testing::HasSubstr("set alibi.mode = symmetric or model.attention = bidirectional"));
}

TEST(alibi, ids_need_not_be_whole) {
  Harness<double> harness("alibi", {{"max_exponent", "1"}}, {.width = 1}, {{0.5, 1, 4.25}});
  const Variable<double> bias = harness.bias();
  EXPECT_EQ(bias.value()(2, 0), -0.5 * 3.75);
  EXPECT_EQ(bias.value()(2, 1), -0.5 * 3.25);
  EXPECT_EQ(bias.value()(1, 1), 0);
}

// On a group of heads, one slope for each head of the group, whatever the model has.
TEST(alibi, a_group_of_heads_has_its_own_slopes) {
  ParameterStore<double> store(1);
  const ModelShape shape{.width = 16, .heads = 4};
  for (const std::size_t first : {0, 2}) {
    const Options options = encoding_options("alibi", {{"slopes", "0.5,0.25"}, {"learned_slopes", "true"}});
    encoding_info("alibi").check(options, shape);
    make_encoding<double>("alibi", {shape, 0, {first, 2}, options, store});
    const auto* slopes = store.find(join("alibi.slopes.", first));
    ASSERT_TRUE(slopes);
    EXPECT_EQ(slopes->rows, 2u);
  }
  EXPECT_THAT(
      refusal([&] {
        make_encoding<double>("alibi", {shape, 0, {0, 4}, encoding_options("alibi", {{"slopes", "1,2"}}), store});
      }),
      testing::HasSubstr("has 2 numbers for 4 heads"));
}

}  // namespace
}  // namespace lengthwise
