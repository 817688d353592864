#include "core/ops/rotate.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

// Row r, pair m: the angle 0.3 r + m.
template <class T>
std::shared_ptr<const AngleTable<T>> angles(std::size_t rows, std::size_t pairs) {
  auto table =
      std::make_shared<AngleTable<T>>(AngleTable<T>{uninitialized<T>(rows, pairs), uninitialized<T>(rows, pairs)});
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t m = 0; m < pairs; ++m) {
      const double angle = 0.3 * static_cast<double>(r) + static_cast<double>(m);
      table->cosine(r, m) = static_cast<T>(std::cos(angle));
      table->sine(r, m) = static_cast<T>(std::sin(angle));
    }
  return table;
}

TEST(Rotate, Contract) {
  for (const PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    check_op("all channels", {{4, 12}}, [=]<class T>(const std::vector<Variable<T>>& x) {
      return rotate(x[0], angles<T>(3, 3), {0, 2, 1, 2}, layout, 2, 0, 2);
    });
    check_op("some channels of some heads", {{2, 30}}, [=]<class T>(const std::vector<Variable<T>>& x) {
      return rotate(x[0], angles<T>(3, 4), {1, 2}, layout, 3, 1, 2);
    });
  }
}

// A quarter turn takes (x1, x2) to (-x2, x1).
TEST(Rotate, QuarterTurnByHand) {
  const auto table =
      std::make_shared<AngleTable<double>>(AngleTable<double>{array<double>({{0, 0}}), array<double>({{1, 1}})});
  const auto x = constant(array<double>({{1, 2, 3, 4, 5}}));  // the fifth channel belongs to no pair
  expect_close(rotate<double>(x, table, {0}, PairLayout::interleaved, 1, 0, 1), array<double>({{-2, 1, -4, 3, 5}}), 0);
  expect_close(rotate<double>(x, table, {0}, PairLayout::half, 1, 0, 1), array<double>({{-3, -4, 1, 2, 5}}), 0);
}

TEST(Rotate, OtherHeadsAreCopied) {
  const auto x = constant(random_array<double>(2, 12, 1));
  const auto y = rotate<double>(x, angles<double>(5, 2), {4, 1}, PairLayout::half, 3, 1, 1);
  expect_close(y.value().block_cols(0, 4), x.value().block_cols(0, 4), 0);
  expect_close(y.value().block_cols(8, 4), x.value().block_cols(8, 4), 0);
  const double c = std::cos(0.3 * 4 + 1), s = std::sin(0.3 * 4 + 1), a = x.value()(0, 5), b = x.value()(0, 7);
  EXPECT_NEAR(y.value()(0, 5), a * c - b * s, 1e-15);
  EXPECT_NEAR(y.value()(0, 7), b * c + a * s, 1e-15);
}

}  // namespace
}  // namespace lengthwise
