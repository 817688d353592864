#include "core/gemm.h"

#include <dnnl.h>

#include <stdexcept>
#include <string>

namespace lengthwise {
namespace {

// With AVX-512 the library's kernel takes 48 columns at a time. Of what remains, 16 are its slowest part, while 32 are
// as fast as the rest: 64, 160, 256 and so on are taken in halves, each of which leaves 32.
std::size_t columns_at_once(Matrix<const float> c) {
  static const bool has_kernel = (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
  const bool many_rows = c.rows >= 16;  // a call costs as much as a few rows
  return has_kernel && many_rows && c.cols % 96 == 64 ? c.cols / 2 : c.cols;
}

}  // namespace

template <>
void gemm<float>(Op a_op, Op b_op, float alpha, Matrix<const float> a, Matrix<const float> b, float beta,
                 Matrix<float> c) {
  const std::size_t k = a_op == Op::none ? a.cols : a.rows;
  assert((a_op == Op::none ? a.rows : a.cols) == c.rows && (b_op == Op::none ? b.rows : b.cols) == k &&
         (b_op == Op::none ? b.cols : b.rows) == c.cols);
  if (c.rows == 0 || c.cols == 0) return;
  if (k == 0) {  // an empty sum: dnnl_sgemm would leave C as it is, or refuse null pointers
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.cols; ++j) c(i, j) = beta == 0 ? 0 : beta * c(i, j);
    return;
  }
  const auto dim = [](std::size_t n) { return static_cast<dnnl_dim_t>(n); };
  const auto stride = [&](const auto& m) { return dim(std::max<std::size_t>({m.stride, m.cols, 1})); };
  const std::size_t columns = columns_at_once(c);
  for (std::size_t first = 0; first < c.cols; first += columns) {
    const float* right = b_op == Op::none ? b.data + first : b.row(first);
    const dnnl_status_t status =
        dnnl_sgemm(a_op == Op::none ? 'N' : 'T', b_op == Op::none ? 'N' : 'T', dim(c.rows), dim(columns), dim(k), alpha,
                   a.data, stride(a), right, stride(b), beta, c.data + first, stride(c));
    if (status != dnnl_success) throw std::runtime_error("dnnl_sgemm failed with status " + std::to_string(status));
  }
}

template <>
void gemm<double>(Op a_op, Op b_op, double alpha, Matrix<const double> a, Matrix<const double> b, double beta,
                  Matrix<double> c) {
  const std::size_t k = a_op == Op::none ? a.cols : a.rows;
  const auto a_at = [&](std::size_t i, std::size_t t) { return a_op == Op::none ? a(i, t) : a(t, i); };
  const auto b_at = [&](std::size_t t, std::size_t j) { return b_op == Op::none ? b(t, j) : b(j, t); };
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.cols; ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < k; ++t) sum += a_at(i, t) * b_at(t, j);
      c(i, j) = alpha * sum + (beta == 0 ? 0 : beta * c(i, j));
    }
  }
}

}  // namespace lengthwise
