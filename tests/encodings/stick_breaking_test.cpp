#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

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
