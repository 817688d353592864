#include <gmock/gmock.h>

#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

OptionValues table_of(std::int64_t buckets, std::int64_t max_distance) {
  return {{"buckets", join(buckets)}, {"max_distance", join(max_distance)}};
}

// The bucket of query - key, for each displacement.
std::vector<std::size_t> buckets(const OptionValues& options, bool causal, const std::vector<double>& displacements) {
  std::vector<std::size_t> found;
  for (const double d : displacements) found.push_back(static_cast<std::size_t>(t5_bucket(options, causal, d)));
  return found;
}

TEST(t5, buckets_by_hand) {
  EXPECT_EQ(buckets(table_of(32, 128), true, {0, 15, 16, 18, 19, 32, 64, 112, 113, 127, 128, 1000}),
            std::vector<std::size_t>({0, 15, 16, 16, 17, 21, 26, 30, 31, 31, 31, 31}));
  EXPECT_EQ(buckets(table_of(32, 128), false, {0, 7, 8, 11, 12, 16, 32, 64, 91, 1000, -1, -8, -1000}),
            std::vector<std::size_t>({0, 7, 8, 8, 9, 10, 12, 14, 15, 15, 17, 24, 31}));
  EXPECT_EQ(buckets(table_of(8, 16), true, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, -5}),
            std::vector<std::size_t>({0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 0}));
}

TEST(t5, buckets_never_fall_with_distance) {
  for (const bool causal : {true, false})
    for (const double side : {1.0, -1.0}) {
      std::vector<double> displacements;
      for (double d = 1; d <= 4 * 128; ++d) displacements.push_back(side * d);
      const auto found = buckets(table_of(32, 128), causal, displacements);
      EXPECT_TRUE(std::ranges::is_sorted(found));
      EXPECT_LT(found.back(), 32u);
    }
}

TEST(t5, scale_is_kept_unless_told_otherwise) {
  const ModelShape shape{.width = 4};
  EXPECT_EQ(Harness<double>("t5", {}, shape, {counting(2)}).encoding().scale(4), 0.5);
  EXPECT_EQ(Harness<double>("t5", {{"scaled", "false"}}, shape, {counting(2)}).encoding().scale(4), 1);
}

// i / 3 - j / 3 is not always (i - j) / 3 in double; the bucket must not depend on which is formed, nor on i.
TEST(t5, fractional_ids_fall_into_the_bucket_of_their_distance) {
  for (const double s : {3.0, 7.0, 49.0}) {
    const std::size_t n = 200;
    std::vector<double> ids = counting(n);
    for (double& p : ids) p /= s;
    Harness<double> harness("t5", table_of(8, 16), {.width = 1}, {ids});
    const Matrix<double> table = harness.parameter("t5.table");
    for (std::size_t b = 0; b < 8; ++b) table(0, b) = static_cast<double>(b);
    const Variable<double> bias = harness.bias();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const auto steps = static_cast<std::size_t>(static_cast<double>(i - j) / s);  // i - j and s are whole
        const std::size_t bucket =
            std::vector<std::size_t>{0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7}[std::min<std::size_t>(steps, 12)];
        ASSERT_EQ(bias.value()(i, j), static_cast<double>(bucket)) << s << ": " << i << ", " << j;
      }
  }
}

TEST(t5, tables_that_make_no_sense_are_refused) {
  const ModelShape causal{.width = 4}, bidirectional{.width = 4, .causal = false};
  const auto refused = [](const ModelShape& shape, const OptionValues& options) {
    return refusal([&] { encoding_info("t5").check(encoding_options("t5", options), shape); });
  };
  EXPECT_THAT(refused(causal, table_of(32, 16)), HasSubstr("t5.buckets is 32 and t5.max_distance 16; a causal model"));
  EXPECT_THAT(refused(bidirectional, table_of(32, 8)), HasSubstr("fewer than 4 max_distance"));
  EXPECT_THAT(refused(bidirectional, table_of(7, 128)), HasSubstr("an even number of at least 4 buckets"));
  EXPECT_THAT(refused(bidirectional, table_of(2, 128)), HasSubstr("at least 4 buckets"));
  EXPECT_NO_THROW(encoding_info("t5").check(encoding_options("t5", table_of(32, 17)), causal));
  EXPECT_NO_THROW(encoding_info("t5").check(encoding_options("t5", table_of(2, 2)), causal));
}

}  // namespace
}  // namespace lengthwise
