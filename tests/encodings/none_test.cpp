#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

TEST(none, does_nothing) {
  Harness<double> harness("none", {}, {.width = 8, .heads = 2}, {counting(5)});
  const Array<double> x = random_array<double>(5, 8, 1);
  EXPECT_EQ(largest_difference(harness.embed(x), x), 0);
  EXPECT_EQ(largest_difference(harness.rotate(x), x), 0);
  EXPECT_EQ(harness.encoding().scale(4), 0.5);
  const Terms<double> terms = harness.encoding().terms(constant(x), harness.context());
  EXPECT_TRUE(terms.scores.empty() && terms.values.empty() && !terms.mixer && !terms.normaliser && !terms.window);
  EXPECT_TRUE(harness.store().list().empty());
}

// With equal scores row i of a causal model takes the mean of i + 1 tokens, the only trace of position.
TEST(none, causal_rows_are_means_of_what_they_see) {
  Harness<double> harness("none", {}, {.width = 10, .heads = 2}, {counting(5)});
  const Array<double> weights = harness.weights(zeros<double>(5, 10));
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 10; ++j)
      EXPECT_NEAR(weights(i, j), j % 5 <= i ? 1.0 / static_cast<double>(i + 1) : 0, j % 5 <= i ? 1e-15 : 0);
}

}  // namespace
}  // namespace lengthwise
