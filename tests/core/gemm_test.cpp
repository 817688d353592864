#include "core/gemm.h"

#include "core/gradcheck.h"
#include "tests/core/arrays.h"

namespace lengthwise {
namespace {

// A [rows, cols] block inside a larger array, so that its stride is not its width.
template <class T>
struct Inner {
  Array<T> all;
  std::size_t rows, cols;
  Inner(std::size_t r, std::size_t c, std::uint64_t seed)
      : all(random_array<T>(r + 1, c + 3, seed)), rows(r), cols(c) {}
  Matrix<T> block() { return view(all).block_rows(1, rows).block_cols(2, cols); }
};

// op(A) op(B) from the definition.
double product(Op a_op, Op b_op, Matrix<const double> a, Matrix<const double> b, std::size_t i, std::size_t j,
               std::size_t k) {
  double sum = 0;
  for (std::size_t t = 0; t < k; ++t)
    sum += (a_op == Op::none ? a(i, t) : a(t, i)) * (b_op == Op::none ? b(t, j) : b(j, t));
  return sum;
}

template <class T>
void check(Op a_op, Op b_op, std::size_t m, std::size_t n, std::size_t k, double alpha, double beta) {
  SCOPED_TRACE(testing::Message() << "m " << m << ", n " << n << ", k " << k << ", alpha " << alpha << ", beta "
                                  << beta);
  Inner<T> a(a_op == Op::none ? m : k, a_op == Op::none ? k : m, 1),
      b(b_op == Op::none ? k : n, b_op == Op::none ? n : k, 2), c(m, n, 3);
  if (beta == 0) fill(c.block(), T(NAN));  // may be uninitialised
  const Array<T> before = c.all;
  const Array<double> a_exact = converted<double>(a.all), b_exact = converted<double>(b.all);
  const auto exact = [](const Array<double>& all, const auto& inner) {
    return view(all).block_rows(1, inner.rows).block_cols(2, inner.cols);
  };
  Array<T> expected = before;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      expected(i + 1, j + 2) =
          static_cast<T>(alpha * product(a_op, b_op, exact(a_exact, a), exact(b_exact, b), i, j, k) +
                         (beta == 0 ? 0 : beta * before(i + 1, j + 2)));
  gemm<T>(a_op, b_op, static_cast<T>(alpha), a.block(), b.block(), static_cast<T>(beta), c.block());
  // The whole array: nothing outside of the block may change.
  expect_close(c.all, expected, std::is_same_v<T, float> ? 2e-5 : 1e-14);
}

template <class T>
void check_all(Op a_op, Op b_op) {
  for (const auto [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                               {3, 5, 7},
                               {32, 64, 16},
                               {65, 33, 130},
                               {15, 64, 8},
                               {16, 64, 8},
                               {24, 160, 9},
                               {17, 112, 40},
                               {1, 70, 20},
                               {20, 1, 9}}) {
    check<T>(a_op, b_op, m, n, k, 1, 0);
    check<T>(a_op, b_op, m, n, k, 0.5, 1);
    check<T>(a_op, b_op, m, n, k, -2, 0.25);
  }
  check<T>(a_op, b_op, 3, 4, 0, 1, 0);  // an empty sum is 0
  check<T>(a_op, b_op, 3, 4, 0, 1, 1);
  check<T>(a_op, b_op, 3, 4, 0, 1, 0.5);
  check<T>(a_op, b_op, 0, 4, 5, 1, 0);
  check<T>(a_op, b_op, 3, 0, 5, 1, 0);
}

TEST(Gemm, NoneNone) { check_all<float>(Op::none, Op::none), check_all<double>(Op::none, Op::none); }
TEST(Gemm, NoneTranspose) { check_all<float>(Op::none, Op::transpose), check_all<double>(Op::none, Op::transpose); }
TEST(Gemm, TransposeNone) { check_all<float>(Op::transpose, Op::none), check_all<double>(Op::transpose, Op::none); }
TEST(Gemm, TransposeTranspose) {
  check_all<float>(Op::transpose, Op::transpose), check_all<double>(Op::transpose, Op::transpose);
}

TEST(Gemm, EmptyArraysWithoutMemory) {
  Array<float> c = random_array<float>(2, 2, 1);
  gemm<float>(Op::none, Op::none, 1, Matrix<const float>{nullptr, 2, 0, 0}, Matrix<const float>{nullptr, 0, 2, 2}, 0,
              view(c));
  expect_close(c, zeros<float>(2, 2), 0);
}

TEST(Gemm, NanStaysNan) {
  const Array<float> a = array<float>({{NAN, 1}, {1, 1}}), b = array<float>({{0, 0}, {0, 0}});
  Array<float> c = zeros<float>(2, 2);
  gemm<float>(Op::none, Op::none, 1, view(a), view(b), 0, view(c));
  EXPECT_TRUE(std::isnan(c(0, 0)) && std::isnan(c(0, 1)));
  EXPECT_EQ(c(1, 0), 0);
}

TEST(Gemm, TheSameCallGivesTheSameBits) {
  const Array<float> a = random_array<float>(50, 70, 1), b = random_array<float>(30, 70, 2);
  Array<float> once = zeros<float>(50, 30), again = zeros<float>(50, 30);
  gemm<float>(Op::none, Op::transpose, 1, view(a), view(b), 0, view(once));
  gemm<float>(Op::none, Op::transpose, 1, view(a), view(b), 0, view(again));
  EXPECT_TRUE(same_bits(once, again));
}

}  // namespace
}  // namespace lengthwise
