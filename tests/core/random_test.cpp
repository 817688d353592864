#include "core/random.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace lengthwise {
namespace {

// Known answers of the Random123 distribution for philox4x32-10.
TEST(Random, PhiloxKnownAnswers) {
  using Block = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Stored runs and data depend on this mapping from seed and index to bits.
TEST(Random, ADrawIsTheFirstHalfOfItsBlock) {
  EXPECT_EQ(Rng(0).bits(0), 0xe169c58d6627e8d5);
  Rng rng(0);
  EXPECT_EQ(rng.next(), Rng(0).bits(0));
  EXPECT_EQ(rng.next(), Rng(0).bits(1));
}

TEST(Random, StreamsDependOnTheirPathAlone) {
  Rng used(7);
  for (int i = 0; i < 10; ++i) used.next();
  EXPECT_EQ(used.at(3).bits(0), Rng(7).at(3).bits(0));
  EXPECT_EQ(used.at("data").bits(0), Rng(7).at("data").bits(0));

  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    seen.insert(Rng(7).bits(i));
    seen.insert(Rng(8).bits(i));
    seen.insert(Rng(7).at(i).bits(0));
    seen.insert(Rng(7).at(std::to_string(i)).bits(0));
    seen.insert(Rng(7).at(i).at(1).bits(0));
  }
  EXPECT_EQ(seen.size(), 500u);
}

struct Moments {
  double mean = 0, variance = 0, lowest = INFINITY, highest = -INFINITY;
};
template <class Draw>
Moments moments(int count, Draw draw) {
  Moments m;
  for (int i = 0; i < count; ++i) {
    const double x = draw();
    m.mean += x / count, m.variance += x * x / count;
    m.lowest = std::min(m.lowest, x), m.highest = std::max(m.highest, x);
  }
  m.variance -= m.mean * m.mean;
  return m;
}

// 100,000 draws: bounds are five standard errors or wider.
TEST(Random, UniformMoments) {
  Rng rng(1);
  const Moments m = moments(100000, [&] { return rng.uniform(); });
  EXPECT_NEAR(m.mean, 0.5, 0.005);
  EXPECT_NEAR(m.variance, 1.0 / 12, 0.002);
  EXPECT_GE(m.lowest, 0);
  EXPECT_LT(m.highest, 1);
  const Moments wide = moments(100000, [&] { return rng.uniform(-3, 5); });
  EXPECT_NEAR(wide.mean, 1, 0.04);
  EXPECT_GE(wide.lowest, -3);
  EXPECT_LT(wide.highest, 5);
}

TEST(Random, NormalMoments) {
  Rng rng(2);
  double fourth = 0;
  const Moments m = moments(100000, [&] {
    const double x = rng.normal();
    fourth += x * x * x * x / 100000;
    return x;
  });
  EXPECT_NEAR(m.mean, 0, 0.016);
  EXPECT_NEAR(m.variance, 1, 0.023);
  EXPECT_NEAR(fourth, 3, 0.16);
  EXPECT_GT(m.highest, 3.5);
  EXPECT_LT(m.lowest, -3.5);
}

TEST(Random, BelowIsEven) {
  Rng rng(3);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[rng.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * 93);
  EXPECT_EQ(rng.below(1), 0u);
  // For n = 3/4 of 2^64, taking the remainder would favour the lowest third twofold.
  const std::uint64_t n = std::uint64_t{3} << 62;
  int low = 0;
  for (int i = 0; i < 30000; ++i) low += rng.below(n) < n / 3;
  EXPECT_NEAR(low, 10000, 5 * 82);
}

TEST(Random, BetweenReachesBothEnds) {
  Rng rng(4);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(rng.between(-2, 2));
  EXPECT_THAT(seen, testing::ElementsAre(-2, -1, 0, 1, 2));
}

TEST(Random, FlipIsEven) {
  Rng rng(5);
  EXPECT_NEAR(moments(100000, [&] { return rng.flip(); }).mean, 0.5, 0.008);
}

TEST(Random, ShuffleMakesEveryOrderAlikeOften) {
  Rng rng(6);
  std::map<std::string, int> orders;
  for (int i = 0; i < 24000; ++i) {
    std::string letters = "abcd";
    rng.shuffle(letters);
    ++orders[letters];
  }
  EXPECT_EQ(orders.size(), 24u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 5 * 31) << order;
}

TEST(Random, DistinctNumbers) {
  Rng rng(7);
  EXPECT_THAT(rng.distinct(5, 5), testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(rng.distinct(5, 0), testing::IsEmpty());
  std::array<int, 5> first{}, chosen{};
  for (int i = 0; i < 10000; ++i) {
    const auto two = rng.distinct(5, 2);
    ASSERT_EQ(two.size(), 2u);
    ASSERT_NE(two[0], two[1]);
    ++first[two[0]], ++chosen[two[0]], ++chosen[two[1]];
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(first[i], 2000, 5 * 40);
    EXPECT_NEAR(chosen[i], 4000, 5 * 49);
  }
}

}  // namespace
}  // namespace lengthwise
