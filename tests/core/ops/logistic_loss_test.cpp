#include "core/ops/logistic_loss.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(LogisticLoss, Contract) {
  check_op("logistic_loss", {{4, 19}}, []<class T>(const std::vector<Variable<T>>& x) {
    return logistic_loss(x[0], {0, 0x7FFFF, 0x40001, 0x155}, T(0.25));
  });
}

TEST(LogisticLoss, ByHand) {
  const auto logits = constant(array<double>({{0, 0, 0}, {std::log(3.0), -std::log(3.0), 0}}));
  ScoredRows rows;
  const auto loss = logistic_loss(logits, {0b101, 0b001}, 0.5, &rows);
  EXPECT_NEAR(rows[0].loss, 3 * std::log(2.0), 1e-12);
  EXPECT_NEAR(rows[1].loss, 2 * std::log(4.0 / 3) + std::log(2.0), 1e-12);  // sigmoid(ln 3) = 3/4
  EXPECT_NEAR(loss.value()(0, 0), 0.5 * (rows[0].loss + rows[1].loss), 1e-12);
}

TEST(SquaredSetError, Contract) {
  check_op("squared_set_error", {{4, 19}}, []<class T>(const std::vector<Variable<T>>& x) {
    return squared_set_error(x[0], {0, 0x7FFFF, 0x40001, 0x155}, T(0.25));
  });
}

TEST(SquaredSetError, ByHand) {
  const auto logits = constant(array<double>({{0, 0, 0}, {std::log(3.0), -std::log(3.0), 0}, {9, 9, -9}}));
  ScoredRows rows;
  const auto loss = squared_set_error(logits, {0b101, 0b001, 0b011}, 0.5, &rows);
  EXPECT_NEAR(rows[0].loss, 0.25, 1e-12);
  EXPECT_NEAR(rows[1].loss, (1 / 16. + 1 / 16. + 1 / 4.) / 3, 1e-12);  // sigmoid(ln 3) = 3/4
  EXPECT_NEAR(loss.value()(0, 0), 0.5 * (rows[0].loss + rows[1].loss + rows[2].loss), 1e-12);
  EXPECT_FALSE(rows[0].correct);
  EXPECT_FALSE(rows[1].correct);
  EXPECT_TRUE(rows[2].correct);
}

TEST(SquaredSetError, HugeLogits) {
  Tape<float> tape;
  const Variable<float> logits = leaf(array<float>({{1e30f, -1e30f, 1e30f}}));
  ScoredRows rows;
  const auto loss = squared_set_error(logits, {0b001}, 1.0f, &rows);
  EXPECT_NEAR(rows[0].loss, 1 / 3., 1e-6);  // the third alone is wrong
  tape.backward(loss);
  expect_close(logits.gradient(), array<float>({{0, 0, 0}}), 0);
}

TEST(LogisticLoss, UsesTheLastOf64Columns) {
  Array<double> logits = zeros<double>(1, 64);
  logits(0, 63) = 2;
  EXPECT_NEAR(score_sets(view(std::as_const(logits)), {std::uint64_t{1} << 63})[0].loss,
              63 * std::log(2.0) + std::log1p(std::exp(-2.0)), 1e-12);
}

TEST(LogisticLoss, HugeLogits) {
  Tape<float> tape;
  const Variable<float> logits = leaf(array<float>({{1e30f, -1e30f, 1e30f}}));
  ScoredRows rows;
  const auto loss = logistic_loss(logits, {0b001}, 1.0f, &rows);
  EXPECT_EQ(rows[0].loss, static_cast<double>(1e30f));  // the third alone is wrong
  tape.backward(loss);
  expect_close(logits.gradient(), array<float>({{0, 0, 1}}), 0);
}

TEST(LogisticLoss, EveryColumnMustDecideRightly) {
  const Array<double> logits = array<double>({{1, -1, 2}, {1, -1, 2}, {1, -1, -2}, {1, 0, 2}, {1, 0, 2}});
  const auto rows = score_sets(view(logits), {0b101, 0b111, 0b101, 0b101, 0b111});
  EXPECT_TRUE(rows[0].correct);
  for (const std::size_t r : {1, 2, 3, 4}) EXPECT_FALSE(rows[r].correct) << r;
}

TEST(LogisticLoss, NanIsNotRight) {
  const Array<float> logits = array<float>({{NAN, 1}, {1, NAN}});
  for (const ScoredRow& row : score_sets(view(logits), {0b10, 0b01})) {
    EXPECT_FALSE(row.correct);
    EXPECT_TRUE(std::isnan(row.loss));
  }
}

}  // namespace
}  // namespace lengthwise
