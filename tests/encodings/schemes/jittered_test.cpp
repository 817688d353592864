#include "tests/encodings/schemes/assigned.h"

namespace lengthwise {
namespace {

TEST(jittered, evaluation_and_no_augmentation_count_tokens) {
  EXPECT_EQ(ids_of(Assigned{.phase = Phase::evaluate}("jittered", {}, {3, 2})), (std::vector<double>{0, 1, 2, 0, 1}));
  const OptionValues off{{"max_shift", "0"}, {"max_jitter", "0"}, {"max_scale", "1"}};
  EXPECT_EQ(ids_of(Assigned{}("jittered", off, {3, 2})), (std::vector<double>{0, 1, 2, 0, 1}));
  EXPECT_EQ(ids_of(Assigned{.phase = Phase::evaluate}("jittered", {{"centred", "true"}}, {3, 2})),
            (std::vector<double>{-1, 0, 1, -0.5, 0.5}));
}

TEST(jittered, each_augmentation_stays_in_its_range_and_fills_it) {
  double low = INFINITY, high = -INFINITY, slow = INFINITY, fast = 0, off = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto shifted = ids_of(Assigned{.seed = seed}("jittered", {{"max_jitter", "0"}, {"max_scale", "1"}}, {3}));
    EXPECT_NEAR(shifted[2] - shifted[0], 2, 1e-12);
    low = std::min(low, shifted[0]), high = std::max(high, shifted[0]);
    const auto scaled =
        ids_of(Assigned{.seed = seed}("jittered", {{"max_jitter", "0"}, {"max_shift", "0"}, {"max_scale", "2"}}, {3}));
    EXPECT_EQ(scaled[0], 0);
    EXPECT_NEAR(scaled[2], 2 * scaled[1], 1e-12);
    slow = std::min(slow, scaled[1]), fast = std::max(fast, scaled[1]);
    const auto moved = ids_of(Assigned{.seed = seed}("jittered", {{"max_shift", "0"}, {"max_scale", "1"}}, {3}));
    for (std::size_t i = 0; i < 3; ++i) off = std::max(off, std::abs(moved[i] - static_cast<double>(i)));
  }
  EXPECT_TRUE(low >= -5 && low < -4.5 && high < 5 && high > 4.5) << low << " " << high;
  EXPECT_TRUE(slow >= 0.5 && slow < 0.55 && fast <= 2 && fast > 1.9) << slow << " " << fast;
  EXPECT_TRUE(off <= 0.5 && off > 0.49) << off;
}

// A class token, then a grid of 2 rows and 3 columns.
TEST(jittered, a_grid_is_moved_along_both_axes) {
  const std::map<std::string, std::vector<double>> hints{{"row", {-1, 0, 0, 0, 1, 1, 1}},
                                                         {"column", {-1, 0, 1, 2, 0, 1, 2}}};
  const OptionValues grid{{"axes", "grid"}, {"max_jitter", "0"}};
  const Positions still = Assigned{hints, Phase::evaluate}("jittered", grid, {7});
  EXPECT_EQ(part(ids_of(still, "row"), 1, 7), (std::vector<double>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(part(ids_of(still, "column"), 1, 7), (std::vector<double>{0, 1, 2, 0, 1, 2}));
  EXPECT_FALSE(still.placed(0));
  EXPECT_TRUE(still.placed(1));
  EXPECT_EQ(ids_of(Assigned{hints}("jittered", grid, {7})), counting(7));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Positions moved = Assigned{.hints = hints, .seed = seed}("jittered", grid, {7});
    const auto rows = ids_of(moved, "row"), columns = ids_of(moved, "column");
    const double scale = columns[2] - columns[1];
    EXPECT_TRUE(scale >= 1 / 1.03 && scale <= 1.03) << scale;
    EXPECT_NEAR(rows[4] - rows[1], scale, 1e-12);     // one scale for both
    EXPECT_GT(std::abs(rows[1] - columns[1]), 1e-6);  // shifts of their own
    EXPECT_NEAR(columns[3] - columns[1], 2 * scale, 1e-12);
  }
  EXPECT_EQ(
      part(ids_of(Assigned{hints, Phase::evaluate}("jittered", {{"axes", "grid"}, {"centred", "true"}}, {7}), "column"),
           1, 4),
      (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(Assigned::scheme_of("jittered", grid)->hints(), (std::vector<std::string>{"row", "column"}));
}

TEST(jittered, half_a_step_of_jitter_keeps_the_order) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto ids = ids_of(Assigned{.seed = seed}("jittered", {}, {40}));
    for (std::size_t i = 1; i < 40; ++i) EXPECT_GT(ids[i], ids[i - 1]);
    EXPECT_LE(ids.back(), Assigned::scheme_of("jittered")->largest(40, 0, Phase::train));
  }
  EXPECT_TRUE(Assigned::scheme_of("jittered")->increasing());
  EXPECT_FALSE(Assigned::scheme_of("jittered", {{"max_jitter", "0.6"}})->increasing());
  EXPECT_FALSE(Assigned::scheme_of("jittered")->whole());
}

}  // namespace
}  // namespace lengthwise
