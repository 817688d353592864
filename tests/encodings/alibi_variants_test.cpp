// Slopes that are given or learned, heads that look to one side, distances that are drawn.
#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

TEST(alibi, heads_that_look_to_one_side) {
  const std::size_t n = 5, heads = 4;
  Harness<double> harness("alibi", {{"mode", "asymmetric_heads"}},
                          {.width = heads * n, .heads = heads, .causal = false}, {counting(n)});
  const Array<double> scores = random_array<double>(n, heads * n, 1), weights = harness.weights(scores);
  const double slopes[] = {1.0 / 16, 1.0 / 256, 1.0 / 16, 1.0 / 256};  // those of two heads, twice
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < n; ++i) {
      const auto score = [&](std::size_t j) {
        const bool seen = h < 2 ? j <= i : j >= i;
        const double distance = std::abs(static_cast<double>(i) - static_cast<double>(j));
        return seen ? std::exp(scores(i, h * n + j) - slopes[h] * distance) : 0;
      };
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += score(j);
      for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(weights(i, h * n + j), score(j) / sum, 1e-14);
    }
}

TEST(alibi, slopes_may_be_given) {
  Harness<double> harness("alibi", {{"slopes", "0.5, 0,3e-2"}}, {.width = 3, .heads = 3}, {counting(2)});
  const Variable<double> bias = harness.bias();
  EXPECT_EQ(bias.value()(1, 0), -0.5);
  EXPECT_EQ(bias.value()(3, 0), 0);
  EXPECT_EQ(bias.value()(5, 0), -0.03);
}

TEST(alibi, bad_slopes_are_refused) {
  const auto message = [](const char* slopes) {
    return refusal([&] { Harness<double>("alibi", {{"slopes", slopes}}, {.width = 2, .heads = 2}, {counting(2)}); });
  };
  EXPECT_THAT(message("0.5,0.25,"), testing::HasSubstr("number 3 cannot be read"));
  EXPECT_THAT(message("0.5"), testing::HasSubstr("alibi.slopes has 1 numbers for 2 heads"));
  EXPECT_THAT(message("0.5,x"), testing::HasSubstr("'0.5,x'; number 2 cannot be read"));
  for (const char* bad : {"0.5,-1", "0.5,", "0.5,,1", ",0.5", "0.5,0.25f", "0.5 0.25", "0.5,inf", "0.5,nan", "1,2,3"})
    message(bad);
}

TEST(alibi, learned_slopes_start_at_the_fixed_ones) {
  const ModelShape shape{.width = 6, .heads = 6, .causal = false};
  Harness<double> fixed("alibi", {}, shape, {counting(5)}),
      learned("alibi", {{"learned_slopes", "true"}}, shape, {counting(5)});
  EXPECT_EQ(fixed.store().count(), 0u);
  EXPECT_EQ(learned.store().count(), 6u);
  expect_close(learned.bias().value(), fixed.bias().value(), 0);

  std::vector<double> gradient(learned.store().flat().cols, 0.0);
  const Array<double> weights = random_array<double>(30, 5, 2);
  {
    Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
    tape.backward(learned.bias(), Array<double>(weights));
  }
  for (std::size_t h = 0; h < 6; ++h) {
    double expected = 0;
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j)
        expected -= weights(h * 5 + i, j) * std::abs(static_cast<double>(i) - static_cast<double>(j));
    EXPECT_NEAR(gradient[h], expected, 1e-13);
  }
}

TEST(alibi, one_sided_heads_must_come_in_two_halves) {
  const auto message = [](bool causal, std::size_t heads) {
    const ModelShape shape{.width = heads, .heads = heads, .causal = causal};
    return refusal([&] { Harness<double>("alibi", {{"mode", "asymmetric_heads"}}, shape, {counting(2)}); });
  };
  EXPECT_THAT(message(false, 3), testing::HasSubstr("even number of heads; model.heads is 3"));
  EXPECT_THAT(message(true, 2), testing::HasSubstr("alibi.mode = asymmetric_heads"));
}

}  // namespace
}  // namespace lengthwise
