#include "core/ops/linear.h"

#include "core/gemm.h"
#include "core/parallel.h"
#include "core/simd.h"

namespace lengthwise {
namespace {

// Rows of a product that are completed while they are near the core; fixed, since it decides the bits.
constexpr std::size_t block = 256;

// y += bias + onto, whichever there are
template <class T>
void complete(Matrix<const T> bias, Matrix<const T> onto, Matrix<T> y) {
  if (!bias.data && !onto.data) return;
  for (std::size_t i = 0; i < y.rows; ++i) {  // maps, since a call costs much for a short row
    T* row = y.row(i);
    if (!onto.data)
      map(
          y.cols, row, [](auto v, auto b) { return v + b; }, row, bias.data);
    else if (!bias.data)
      map(
          y.cols, row, [](auto v, auto r) { return v + r; }, row, onto.row(i));
    else
      map(
          y.cols, row, [](auto v, auto b, auto r) { return v + b + r; }, row, bias.data, onto.row(i));
  }
}

// y = x weight^T + bias + onto
template <class T>
void forward(Matrix<const T> x, const Variable<T>& weight, Matrix<const T> bias, Matrix<const T> onto, Matrix<T> y) {
  const Matrix<const T> turned = weight.transposed();
  parallel_for((x.rows + block - 1) / block, [&](std::size_t b) {
    const std::size_t first = b * block, count = std::min(block, x.rows - first);
    const Matrix<T> to = y.block_rows(first, count);
    const Matrix<const T> from = x.block_rows(first, count);
    if (turned.data)
      gemm<T>(Op::none, Op::none, 1, from, turned, 0, to);
    else
      gemm<T>(Op::none, Op::transpose, 1, from, weight.value(), 0, to);
    complete(bias, onto.data ? onto.block_rows(first, count) : onto, to);
  });
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
Variable<T> linear(const Variable<T>& x, const Variable<T>& weight, const Variable<T>& bias, const Variable<T>& onto) {
  assert(x.cols() == weight.cols() && (!bias || bias.cols() == weight.rows()));
  assert(!onto || (onto.rows() == x.rows() && onto.cols() == weight.rows()));
  Array<T> y = uninitialized<T>(x.rows(), weight.rows());
  const auto given = [](const Variable<T>& v) { return v ? v.value() : Matrix<const T>{}; };
  forward<T>(x.value(), weight, given(bias), given(onto), view(y));
  return record<T>("linear", std::move(y), {x, weight, bias, onto}, [x, weight](Array<T>& gradient, Sink<T>& into) {
    const Matrix<const T> dy = view(std::as_const(gradient));
    if (into.wants(0)) {  // dX = dY W
      const auto to = into.target(0);
      gemm<T>(Op::none, Op::none, 1, dy, weight.value(), to.beta, to.matrix);
    }
    if (into.wants(1)) {  // dW = dY^T X
      const auto to = into.target(1);
      gemm<T>(Op::transpose, Op::none, 1, dy, x.value(), to.beta, to.matrix);
    }
    if (into.wants(2)) add_columns(dy, into.accumulator(2));  // db = the columns' sums
    into.add(3, std::move(gradient));
  });
}

template Variable<float> linear(const Variable<float>&, const Variable<float>&, const Variable<float>&,
                                const Variable<float>&);
template Variable<double> linear(const Variable<double>&, const Variable<double>&, const Variable<double>&,
                                 const Variable<double>&);

}  // namespace lengthwise
