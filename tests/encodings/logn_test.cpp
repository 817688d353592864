#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

// Zero scores but for one: its logit over the others is the factor of the row.
std::vector<double> factors(std::size_t trained, std::size_t n, bool causal) {
  Harness<double> harness("logn", {}, {.width = n, .causal = causal, .train_positions = trained}, {counting(n)});
  Array<double> scores = zeros<double>(n, n);
  for (std::size_t i = 0; i < n; ++i) scores(i, 0) = 1;
  const Array<double> weights = harness.weights(scores);
  std::vector<double> found;
  for (std::size_t i = 1; i < n; ++i) found.push_back(std::log(weights(i, 0) / weights(i, 1)));
  return found;
}

TEST(logn, is_the_identity_up_to_the_training_length) {
  for (const double factor : factors(8, 8, true)) EXPECT_NEAR(factor, 1, 1e-14);
  for (const double factor : factors(8, 8, false)) EXPECT_NEAR(factor, 1, 1e-14);
}

TEST(logn, grows_with_the_visible_keys) {
  const std::vector<double> causal = factors(4, 16, true);  // of rows 1 .. 15
  EXPECT_NEAR(causal[2], 1, 1e-14);
  EXPECT_NEAR(causal[4], std::log(6.0) / std::log(4.0), 1e-14);
  EXPECT_NEAR(causal[6], 1.5, 1e-14);
  EXPECT_NEAR(causal[14], 2, 1e-14);
  for (const double factor : factors(4, 16, false)) EXPECT_NEAR(factor, 2, 1e-14);
}

TEST(logn, a_training_length_of_one_divides_by_nothing) {
  for (const double factor : factors(1, 4, false)) EXPECT_NEAR(factor, 2, 1e-14);
}

}  // namespace
}  // namespace lengthwise
