#include "core/ops/linear.h"

#include "core/gemm.h"
#include "core/parallel.h"

namespace lengthwise {
namespace {

constexpr std::size_t block = 512;  // rows; fixed, since it decides the bits

template <class T>
void forward(Matrix<const T> x, Matrix<const T> weight, Matrix<const T> bias, Matrix<T> y) {
  if (bias.data)
    for (std::size_t i = 0; i < y.rows; ++i) std::copy_n(bias.data, y.cols, y.row(i));
  gemm<T>(Op::none, Op::transpose, 1, x, weight, bias.data ? 1 : 0, y);
}

}  // namespace

template <class T>
Variable<T> linear(const Variable<T>& x, const Variable<T>& weight, const Variable<T>& bias) {
  assert(x.cols() == weight.cols() && (!bias || bias.cols() == weight.rows()));
  Array<T> y = uninitialized<T>(x.rows(), weight.rows());
  const Matrix<const T> b = bias ? bias.value() : Matrix<const T>{};
  parallel_for((x.rows() + block - 1) / block, [&](std::size_t i) {
    const std::size_t first = i * block, count = std::min(block, x.rows() - first);
    forward(x.value().block_rows(first, count), weight.value(), b, view(y).block_rows(first, count));
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
      const Matrix<T> db = into.accumulator(2);
      for (std::size_t i = 0; i < dy.rows; ++i) accumulate(dy.block_rows(i, 1), db);
    }
  });
}

template Variable<float> linear(const Variable<float>&, const Variable<float>&, const Variable<float>&);
template Variable<double> linear(const Variable<double>&, const Variable<double>&, const Variable<double>&);

}  // namespace lengthwise
