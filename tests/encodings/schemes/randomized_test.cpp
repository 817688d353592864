#include <gmock/gmock.h>

#include "encodings/distances.h"
#include "tests/core/arrays.h"
#include "tests/encodings/schemes/assigned.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

TEST(randomized, ids_increase_within_the_range) {
  for (const char* values : {"whole", "real"})
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto ids = ids_of(Assigned{.seed = seed}("randomized", {{"range", "20"}, {"values", values}}, {15, 1, 20}));
      for (const auto& own : {part(ids, 0, 15), part(ids, 15, 16), part(ids, 16, 36)}) {
        EXPECT_GE(own.front(), 0);
        EXPECT_LE(own.back(), 19);
        for (std::size_t i = 1; i < own.size(); ++i) EXPECT_GT(own[i], own[i - 1]);
        for (const double p : own) EXPECT_EQ(p == std::floor(p), *values == 'w');
      }
      if (*values == 'w') {
        EXPECT_EQ(part(ids, 16, 36), counting(20));
      }
    }
  EXPECT_TRUE(Assigned::scheme_of("randomized")->whole());
  EXPECT_FALSE(Assigned::scheme_of("randomized", {{"values", "real"}})->whole());
}

// The k-th smallest of n out of M has the mean (k + 1)(M + 1)/(n + 1) - 1, and for n = 3 of M = 9 a deviation of
// about 2.
TEST(randomized, ids_are_order_statistics) {
  std::vector<double> mean(3);
  const std::size_t draws = 4000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const auto ids = ids_of(Assigned{.seed = seed}("randomized", {{"range", "9"}}, {3}));
    for (std::size_t k = 0; k < 3; ++k) mean[k] += ids[k] / static_cast<double>(draws);
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(mean[k], static_cast<double>(k + 1) * 10 / 4 - 1, 0.15);
}

TEST(randomized, sequences_share_a_draw_only_when_asked) {
  const auto own = ids_of(Assigned{}("randomized", {}, {6, 6})),
             shared = ids_of(Assigned{}("randomized", {{"share", "batch"}}, {6, 6, 5}));
  EXPECT_NE(part(own, 0, 6), part(own, 6, 12));
  EXPECT_EQ(part(shared, 0, 6), part(shared, 6, 12));
  EXPECT_EQ(ids_of(Assigned{}("randomized", {}, {6, 6})), own);
  EXPECT_NE(ids_of(Assigned{.seed = 2}("randomized", {}, {6, 6})), own);
}

TEST(randomized, evaluation_ids) {
  const auto evaluated = [](const std::string& how, std::size_t n, const std::string& range) {
    return ids_of(Assigned{.phase = Phase::evaluate}("randomized", {{"eval_ids", how}, {"range", range}}, {n}));
  };
  EXPECT_EQ(evaluated("even", 4, "11"), (std::vector<double>{0, 3, 7, 10}));
  EXPECT_EQ(evaluated("even", 1, "11"), (std::vector<double>{0}));
  EXPECT_EQ(evaluated("identity", 4, "3"), counting(4));
  EXPECT_EQ(evaluated("sample", 6, "2048"), ids_of(Assigned{}("randomized", {}, {6})));
  const auto identity = Assigned::scheme_of("randomized", {{"eval_ids", "identity"}}),
             sampled = Assigned::scheme_of("randomized");
  EXPECT_EQ(identity->largest(7, 0, Phase::evaluate), 6);
  EXPECT_EQ(sampled->largest(7, 0, Phase::evaluate), 2047);
  EXPECT_EQ(identity->longest(Phase::evaluate), std::nullopt);
  EXPECT_EQ(sampled->longest(Phase::evaluate), 2048u);
  EXPECT_THAT(refusal([&] { evaluated("sample", 6, "5"); }),
              HasSubstr("6 tokens cannot be numbered from randomized.range = 5"));
}

TEST(randomized, offsets_map_distances_and_keep_their_sign) {
  const Positions positions = Assigned{}("randomized", {{"form", "offsets"}, {"range", "30"}}, {5, 3});
  EXPECT_EQ(ids_of(positions), (std::vector<double>{0, 1, 2, 3, 4, 0, 1, 2}));
  ASSERT_EQ(positions.distance_of_rows.size(), 2u);
  for (const auto& mapped : positions.distance_of_rows) {
    EXPECT_EQ(mapped[0], 0);
    for (std::size_t k = 1; k < mapped.size(); ++k) EXPECT_GT(mapped[k], mapped[k - 1]);
    EXPECT_LE(mapped.back(), 29);
  }
  // ALiBi of one head falls by 2^-8 a step of distance, in the past and in the future.
  for (const bool causal : {true, false}) {
    Harness<double> harness("alibi", {}, {.width = 8, .heads = 1, .causal = causal}, {counting(5)});
    harness.positions().distance_of_rows = {positions.distance_of_rows[0]};
    const Variable<double> bias = harness.bias();
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < (causal ? i + 1 : 5); ++j)
        EXPECT_EQ(bias.value()(i, j), -positions.distance_of_rows[0][i > j ? i - j : j - i] / 256);
  }
  EXPECT_TRUE(Assigned::scheme_of("randomized", {{"form", "offsets"}})->maps_distances());
  EXPECT_FALSE(Assigned::scheme_of("randomized")->maps_distances());
}

}  // namespace
}  // namespace lengthwise
