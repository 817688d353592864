#include "core/ops/cross_entropy.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(CrossEntropy, Contract) {
  check_op("cross_entropy", {{4, 19}}, []<class T>(const std::vector<Variable<T>>& x) {
    return cross_entropy(x[0], {18, 0, 7, 7}, T(0.25));
  });
}

TEST(CrossEntropy, UniformOver256) {
  const std::vector<int> targets{0, 100, 200, 255};
  const auto loss = cross_entropy(constant(zeros<float>(4, 256)), targets, 0.25f);
  EXPECT_NEAR(loss.value()(0, 0), 5.545177, 1e-6);
  const Array<double> logits = zeros<double>(4, 256);
  for (const ScoredRow& row : score_rows(view(logits), targets)) EXPECT_DOUBLE_EQ(row.loss, std::log(256.0));
}

TEST(CrossEntropy, HugeLogits) {
  ScoredRows rows;
  const auto loss = cross_entropy(constant(array<float>({{1e30f, -1e30f, 0}, {1000, 999, 0}})), {0, 1}, 1.0f, &rows);
  EXPECT_EQ(rows[0].loss, 0);
  EXPECT_NEAR(loss.value()(0, 0), 1.3132617, 1e-5);  // log(1 + e)
}

TEST(CrossEntropy, ATieIsNotRight) {
  const Array<double> logits = array<double>({{1, 3, 3}, {1, 2, 3}, {1, 2, 3}, {0, 0, 0}});
  const auto rows = score_rows(view(logits), {1, 2, 1, 0});
  EXPECT_FALSE(rows[0].correct);
  EXPECT_TRUE(rows[1].correct);
  EXPECT_FALSE(rows[2].correct);
  EXPECT_FALSE(rows[3].correct);
}

TEST(CrossEntropy, NanIsNotRight) {
  const Array<float> logits = array<float>({{NAN, 1}, {1, NAN}});
  for (const ScoredRow& row : score_rows(view(logits), {1, 0})) {
    EXPECT_FALSE(row.correct);
    EXPECT_TRUE(std::isnan(row.loss));
  }
}

}  // namespace
}  // namespace lengthwise
