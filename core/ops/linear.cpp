#include "core/ops/linear.h"

#include "core/gemm.h"
#include "core/parallel.h"
#include "core/simd.h"
#include "core/transpose.h"

namespace lengthwise {
namespace {

constexpr std::size_t block = 512;  // rows; fixed, since it decides the bits

// A product with many rows is faster with the weights transposed first.
constexpr std::size_t many_rows = 64;

template <class T>
void forward(Matrix<const T> x, Op op, Matrix<const T> weight, Matrix<const T> bias, Matrix<T> y) {
  if (bias.data)
    for (std::size_t i = 0; i < y.rows; ++i)
      map(
          y.cols, y.row(i), [](auto b) { return b; }, bias.data);  // no call for a short row
  gemm<T>(Op::none, op, 1, x, weight, bias.data ? 1 : 0, y);
}

// sums += the columns' sums.
void add_columns(Matrix<const float> y, Matrix<float> sums) {
  using V = xsimd::batch<float>;
  constexpr std::size_t vectors = 4;  // summed in registers
  std::size_t j = 0;
  for (; j + vectors * V::size <= y.cols; j += vectors * V::size) {
    V s[vectors];
    for (std::size_t v = 0; v < vectors; ++v) s[v] = V::load_unaligned(sums.data + j + v * V::size);
    for (std::size_t i = 0; i < y.rows; ++i)
      for (std::size_t v = 0; v < vectors; ++v) s[v] += V::load_unaligned(y.row(i) + j + v * V::size);
    for (std::size_t v = 0; v < vectors; ++v) s[v].store_unaligned(sums.data + j + v * V::size);
  }
  for (std::size_t i = 0; i < y.rows && j < y.cols; ++i)
    accumulate(y.block_rows(i, 1).block_cols(j, y.cols - j), sums.block_cols(j, y.cols - j));
}
void add_columns(Matrix<const double> y, Matrix<double> sums) {
  for (std::size_t i = 0; i < y.rows; ++i) accumulate(y.block_rows(i, 1), sums);
}

}  // namespace

template <class T>
Variable<T> linear(const Variable<T>& x, const Variable<T>& weight, const Variable<T>& bias) {
  assert(x.cols() == weight.cols() && (!bias || bias.cols() == weight.rows()));
  Array<T> y = uninitialized<T>(x.rows(), weight.rows());
  const Matrix<const T> b = bias ? bias.value() : Matrix<const T>{};
  Matrix<const T> w = weight.value();
  Op op = Op::transpose;
  Array<T> transposed;
  if constexpr (std::is_same_v<T, float>)
    if (x.rows() >= many_rows) {
      // A vector more a row: rows that lie a power of two apart would share few places of a cache.
      transposed = uninitialized<T>(w.cols, w.rows + square);
      const Matrix<T> to = view(transposed).block_cols(0, w.rows);
      transpose(w, to);
      w = to, op = Op::none;
    }
  parallel_for((x.rows() + block - 1) / block, [&](std::size_t i) {
    const std::size_t first = i * block, count = std::min(block, x.rows() - first);
    forward(x.value().block_rows(first, count), op, w, b, view(y).block_rows(first, count));
  });
  std::vector<Variable<T>> parents{x, weight};
  if (bias) parents.push_back(bias);
  return record<T>("linear", std::move(y), std::move(parents), [x, weight](Array<T>& gradient, Sink<T>& into) {
    const Matrix<const T> dy = view(std::as_const(gradient));
    if (into.wants(0)) {  // dX = dY W
      const auto to = into.target(0);
      gemm<T>(Op::none, Op::none, 1, dy, weight.value(), to.beta, to.matrix);
    }
    if (into.wants(1)) {  // dW = dY^T X
      const auto to = into.target(1);
      gemm<T>(Op::transpose, Op::none, 1, dy, x.value(), to.beta, to.matrix);
    }
    if (into.size() == 3 && into.wants(2)) {  // db = the columns' sums
      add_columns(dy, into.accumulator(2));
    }
  });
}

template Variable<float> linear(const Variable<float>&, const Variable<float>&, const Variable<float>&);
template Variable<double> linear(const Variable<double>&, const Variable<double>&, const Variable<double>&);

}  // namespace lengthwise
