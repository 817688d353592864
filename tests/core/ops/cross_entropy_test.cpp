#include "core/ops/cross_entropy.h"

#include "tests/core/op_cases.h"
#include "tests/golden.h"

namespace lengthwise {
namespace {

TEST(CrossEntropy, Contract) {
  check_op("cross_entropy", {{4, 19}}, []<class T>(const std::vector<Variable<T>>& x) {
    return cross_entropy(x[0], {18, 0, 7, 7}, T(0.25));
  });
}

// Label smoothing and ignored targets are not offered: a ragged batch scores the rows it means to score. Where some of
// the golden targets are ignored, those rows are left out.
TEST(CrossEntropy, Golden) {
  for (const char* name : {"cross_entropy_mean", "cross_entropy_sum", "cross_entropy_large_logits"}) {
    const GoldenCase c = golden("layers.h5", name);
    ASSERT_EQ(c.real("label_smoothing"), 0);
    const Array<double> all = c.input("logits").array();
    const auto all_targets = c.input("targets").integers<int>();
    std::vector<std::size_t> kept;
    std::vector<int> targets;
    for (std::size_t i = 0; i < all_targets.size(); ++i)
      if (all_targets[i] != c.integer("ignore_index")) kept.push_back(i), targets.push_back(all_targets[i]);
    Array<double> logits = uninitialized<double>(kept.size(), all.shape(1));
    for (std::size_t i = 0; i < kept.size(); ++i) copy(view(all).block_rows(kept[i], 1), view(logits).block_rows(i, 1));

    Tape<double> tape;
    const auto x = leaf(logits);
    std::vector<ScoredRow> rows;
    const double weight = c.text("reduction") == "mean" ? 1 / static_cast<double>(kept.size()) : 1;
    const auto loss = cross_entropy(x, targets, weight, &rows);
    expect_golden(loss.value(), c, "loss");
    tape.backward(loss);
    Array<double> gradient = zeros<double>(all.shape(0), all.shape(1));
    const Array<double> kept_gradient = x.gradient();
    std::vector<double> per_token(all_targets.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      copy(view(kept_gradient).block_rows(i, 1), view(gradient).block_rows(kept[i], 1));
      per_token[kept[i]] = rows[i].loss;
    }
    expect_golden(gradient, c, "grad_logits");
    expect_golden(per_token, c, "per_token");
  }
}

TEST(CrossEntropy, UniformOver256) {
  const std::vector<int> targets{0, 100, 200, 255};
  const auto loss = cross_entropy(constant(zeros<float>(4, 256)), targets, 0.25f);
  EXPECT_NEAR(loss.value()(0, 0), 5.545177, 1e-6);
  const Array<double> logits = zeros<double>(4, 256);
  for (const ScoredRow& row : score_rows(view(logits), targets)) EXPECT_DOUBLE_EQ(row.loss, std::log(256.0));
}

TEST(CrossEntropy, HugeLogits) {
  std::vector<ScoredRow> rows;
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
