#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

// sum_{m < 64} cos(d / 10000^(m/64)), less its value at distance 0; the last of 8 heads divides by 8.
TEST(sandwich, kernel_sums) {
  const std::map<double, double> sums = {{0, 64},      {1, 62.0937},  {2, 57.3819},  {4, 48.586},
                                         {8, 45.7205}, {16, 39.7017}, {64, 30.5201}, {512, 14.0432}};
  for (const auto& [distance, sum] : sums) {
    Harness<double> harness("sandwich", {}, {.width = 8, .heads = 8, .causal = false}, {{0, distance}});
    const Variable<double> bias = harness.bias();
    EXPECT_NEAR(bias.value()(0, 1), sum - 64, 5e-5) << distance;
    EXPECT_NEAR(bias.value()(7 * 2, 1), (sum - 64) / 8, 5e-5) << distance;
    EXPECT_EQ(bias.value()(1, 0), bias.value()(0, 1));  // even
    EXPECT_EQ(bias.value()(0, 0), 0);
  }
}

// It is the inner product of sinusoidal encodings, up to a constant.
TEST(sandwich, is_the_product_of_sinusoids) {
  const std::size_t n = 7, db = 16;
  Harness<double> sinusoids("sinusoidal", {}, {.width = db}, {counting(n)});
  const Array<double> rows = sinusoids.embed(zeros<double>(n, db));
  Harness<double> harness("sandwich", {{"db", join(db)}}, {.width = 1, .causal = false}, {counting(n)});
  const Variable<double> bias = harness.bias();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double product = 0;
      for (std::size_t c = 0; c < db; ++c) product += rows(i, c) * rows(j, c);
      EXPECT_NEAR(8 * bias.value()(i, j), product - static_cast<double>(db) / 2, 1e-13);
    }
}

TEST(sandwich, an_odd_width_is_refused) {
  EXPECT_THAT(refusal([] {
                Harness<double>("sandwich", {{"db", "5"}}, {.width = 1}, {counting(2)});
              }),
              testing::HasSubstr("sandwich.db is 5; it must be even"));
}

}  // namespace
}  // namespace lengthwise
