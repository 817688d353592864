#include "core/ops/arithmetic.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

std::vector<Rng> streams(std::size_t count) {
  std::vector<Rng> rng;
  for (std::size_t i = 0; i < count; ++i) rng.push_back(Rng(4).at(i));
  return rng;
}

TEST(Arithmetic, Contract) {
  check_op("add", {{3, 19}, {3, 19}}, [](const auto& x) { return add(x[0], x[1]); });
  check_op("x + x", {{3, 5}}, [](const auto& x) { return add(x[0], x[0]); });
  check_op("scale", {{3, 19}}, []<class T>(const std::vector<Variable<T>>& x) { return scale(x[0], T(-1.5)); });
  check_op("learned scale", {{3, 19}, {1, 1}}, [](const auto& x) { return scale(x[0], x[1]); });
  check_op("multiply", {{3, 19}, {3, 19}}, [](const auto& x) { return multiply(x[0], x[1]); });
  check_op("multiply by a row", {{3, 19}, {1, 19}}, [](const auto& x) { return multiply(x[0], x[1]); });
  check_op("multiply by a column", {{3, 19}, {3, 1}}, [](const auto& x) { return multiply(x[0], x[1]); });
  check_op("x x", {{3, 5}}, [](const auto& x) { return multiply(x[0], x[0]); });
  check_op("dropout", {{3, 19}}, [](const auto& x) { return dropout(x[0], 0.4, streams(3)); });
  check_op("gather_columns", {{2, 4}}, [](const auto& x) { return gather_columns(x[0], {3, 0, 3, 1, 3}); });
  check_op("gather_columns with gaps", {{2, 2}}, [](const auto& x) {
    return gather_columns(x[0], {no_column, 1, 0, no_column});
  });
}

TEST(Arithmetic, ByHand) {
  const auto x = constant(array<double>({{1, 2, 3}}));
  expect_close(add(x, x), array<double>({{2, 4, 6}}), 0);
  expect_close(scale(x, -2.0), array<double>({{-2, -4, -6}}), 0);
  expect_close(scale(x, constant(array<double>({{0.5}}))), array<double>({{0.5, 1, 1.5}}), 0);
  expect_close(gather_columns(x, {2, 2, 0}), array<double>({{3, 3, 1}}), 0);
  expect_close(gather_columns(x, {2, no_column, 0}), array<double>({{3, 0, 1}}), 0);
  const auto square = constant(array<double>({{1, 2}, {3, 4}}));
  expect_close(multiply(square, constant(array<double>({{5, 7}}))), array<double>({{5, 14}, {15, 28}}), 0);
  expect_close(multiply(square, constant(array<double>({{5}, {7}}))), array<double>({{5, 10}, {21, 28}}), 0);
  expect_close(multiply(square, square), array<double>({{1, 4}, {9, 16}}), 0);
}

TEST(Dropout, KeepsTheMean) {
  Array<double> ones = uninitialized<double>(100, 200);
  fill(view(ones), 1.0);
  const auto y = dropout(constant(ones), 0.3, streams(100));
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t j = 0; j < 200; ++j) {
      const double v = y.value()(i, j);
      EXPECT_TRUE(v == 0 || v == 1 / 0.7) << v;
      dropped += v == 0;
    }
  EXPECT_NEAR(static_cast<double>(dropped), 6000, 5 * std::sqrt(20000 * 0.3 * 0.7));
}

TEST(Dropout, ARowDependsOnItsStreamAlone) {
  const auto x = random_array<double>(5, 40, 1);
  const auto all = dropout(constant(x), 0.5, streams(5));
  Array<double> third = uninitialized<double>(1, 40);
  copy(view(x).block_rows(3, 1), view(third));
  const auto alone = dropout(constant(third), 0.5, {streams(5)[3]});
  expect_close(alone.value(), all.value().block_rows(3, 1), 0);
}

TEST(Dropout, RateZeroIsTheInput) {
  const auto x = constant(random_array<double>(2, 3, 1));
  EXPECT_EQ(dropout(x, 0, streams(2)).value().data, x.value().data);
}

}  // namespace
}  // namespace lengthwise
