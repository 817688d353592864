#include "experiments/diagnostics.h"

#include <gmock/gmock.h>

#include "core/gradcheck.h"
#include "core/parallel.h"

namespace lengthwise {
namespace {

constexpr std::size_t heads = 3, d = 4, width = heads * d;

/// Sequences of 5, 1 and 200 tokens, more than a tile holds; some rows of each are scored.
Batch batch() {
  Batch made;
  made.offsets = {0, 5, 6, 206};
  made.tokens.resize(206);
  made.scored = {2, 4, 5, 6, 70, 71, 140, 204, 205};
  made.scored_offsets = {0, 2, 3, 9};
  return made;
}

/// Two nearest keys, in the last head.
struct Nearest final : Window {
  KeyRange visible(std::size_t, std::size_t i, std::size_t) const override { return {i > 1 ? i - 1 : 0, i + 1}; }
};

template <class T>
std::vector<HeadSums> observed(bool causal, bool scored_rows_only) {
  const Batch of = batch();
  HeadObserver<T> observer(of);
  Array<T> q = random_array<T>(206, width, 1), some = uninitialized<T>(9, width);
  rescale(view(q), 4);
  for (std::size_t r = 0; r < 9; ++r) copy(view(q).block_rows(of.scored[r], 1), view(some).block_rows(r, 1));
  AttentionShape shape{.heads = heads, .causal = causal, .offsets = of.offsets};
  if (scored_rows_only) {
    shape.query_offsets = of.scored_offsets;
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t r = of.scored_offsets[b]; r < of.scored_offsets[b + 1]; ++r)
        shape.query_rows.push_back(of.scored[r] - of.offsets[b]);
  }
  Terms<T> near;
  near.window = std::make_shared<Nearest>();
  attention(constant(scored_rows_only ? some : q), constant(random_array<T>(206, width, 2)),
            constant(random_array<T>(206, width, 3)), shape, {{{0, 2}, T(0.5), {}}, {{2, 1}, T(0.5), near}}, {},
            &observer);
  return observer.heads();
}

// The same from the dense L x L matrix of each head and sequence.
std::vector<HeadSums> dense(bool causal) {
  const Batch of = batch();
  const Array<double> q = random_array<double>(206, width, 1), k = random_array<double>(206, width, 2);
  std::vector<HeadSums> all(heads);
  for (std::size_t h = 0; h < heads; ++h) {
    HeadSums& sums = all[h];
    sums.profile.resize(9);  // 0, 1, 2, 4, ..., 128
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t r = of.scored_offsets[b]; r < of.scored_offsets[b + 1]; ++r) {
        const std::size_t begin = of.offsets[b], n = of.offsets[b + 1] - begin, i = of.scored[r] - begin;
        std::vector<double> logit(n, -INFINITY), weight(n);
        double total = 0;
        for (std::size_t j = 0; j < n; ++j) {
          if (causal && j > i) continue;
          if (h == 2 && (j + 1 < i || j > i)) continue;
          logit[j] = 0;
          for (std::size_t c = h * d; c < h * d + d; ++c) logit[j] += 0.5 * 4 * q(begin + i, c) * k(begin + j, c);
          total += weight[j] = std::exp(logit[j]);
          sums.largest_logit = std::max(sums.largest_logit, logit[j]);
        }
        sums.queries += 1;
        for (std::size_t j = 0; j < n; ++j) {
          const double a = weight[j] / total, away = std::abs(static_cast<double>(i) - static_cast<double>(j));
          if (a > 0) sums.entropy -= a * std::log(a);
          sums.distance += a * away;
          std::size_t bucket = 0;
          while (away >= (bucket ? std::exp2(bucket) : 1)) ++bucket;
          sums.profile[bucket] += a;
        }
      }
  }
  return all;
}

TEST(Diagnostics, AreThoseOfTheDenseMatrix) {
  for (const bool causal : {true, false})
    for (const bool scored_rows_only : {false, true}) {
      SCOPED_TRACE(testing::Message() << "causal " << causal << ", scored rows only " << scored_rows_only);
      const auto found = observed<double>(causal, scored_rows_only), expected = dense(causal);
      ASSERT_EQ(found.size(), heads);
      for (std::size_t h = 0; h < heads; ++h) {
        EXPECT_EQ(found[h].queries, expected[h].queries);
        EXPECT_NEAR(found[h].entropy, expected[h].entropy, 1e-10);
        EXPECT_NEAR(found[h].distance, expected[h].distance, 1e-10);
        EXPECT_NEAR(found[h].largest_logit, expected[h].largest_logit, 1e-12);
        ASSERT_EQ(found[h].profile.size(), expected[h].profile.size());
        for (std::size_t b = 0; b < expected[h].profile.size(); ++b)
          EXPECT_NEAR(found[h].profile[b], expected[h].profile[b], 1e-10);
      }
    }
}

TEST(Diagnostics, HaveTheSameBitsAtAnyThreadCount) {
  const auto one = observed<float>(true, false);
  for (const std::size_t count : {2, 3}) {
    set_threads(count);
    const auto more = observed<float>(true, false);
    set_threads(1);
    ASSERT_EQ(more.size(), heads);
    for (std::size_t h = 0; h < heads; ++h) {
      EXPECT_EQ(more[h].entropy, one[h].entropy);
      EXPECT_EQ(more[h].distance, one[h].distance);
      EXPECT_EQ(more[h].largest_logit, one[h].largest_logit);
      EXPECT_EQ(more[h].profile, one[h].profile);
    }
  }
}

TEST(Diagnostics, GroupHoldsMeansAndMarksWhatIsMissing) {
  const HeadSums short_head{2, 1, 3, 0.5, {2, 0}}, long_head{4, 8, 40, 7, {1, 1, 2}};
  const Group group = to_group({{{short_head}, {short_head}}, {}, {{long_head}, {long_head}}}, {8, 16, 32});
  EXPECT_EQ(group.dimensions.at("layer").size, 2u);
  EXPECT_EQ(group.dimensions.at("head").size, 1u);
  EXPECT_EQ(group.get<std::int64_t>("distance"), (std::vector<std::int64_t>{0, 1, 2}));
  const auto are = [](const std::vector<double>& values) {
    return testing::Pointwise(testing::NanSensitiveDoubleEq(), values);
  };
  EXPECT_THAT(group.get<double>("attention_entropy"), are({0.5, NAN, 2, 0.5, NAN, 2}));
  EXPECT_THAT(group.get<double>("mean_distance"), are({1.5, NAN, 10, 1.5, NAN, 10}));
  EXPECT_THAT(group.get<double>("largest_logit"), are({0.5, NAN, 7, 0.5, NAN, 7}));
  EXPECT_THAT(group.get<double>("distance_profile"), are({1, 0, 0, NAN, NAN, NAN, 0.25, 0.25, 0.5,  //
                                                          1, 0, 0, NAN, NAN, NAN, 0.25, 0.25, 0.5}));
}

}  // namespace
}  // namespace lengthwise
