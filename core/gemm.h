// Matrix products.
#pragma once

#include "core/array.h"

namespace lengthwise {

enum class Op { none, transpose };

/// C = alpha op(A) op(B) + beta C, row-major with strides. op(A) is [m, k], op(B) [k, n], C [m, n]; with beta = 0, C
/// may be uninitialised. float: oneDNN's dnnl_sgemm, single-threaded. double: a plain loop, the reference of every
/// check.
template <class T>
void gemm(Op a_op, Op b_op, std::type_identity_t<T> alpha, Matrix<const std::type_identity_t<T>> a,
          Matrix<const std::type_identity_t<T>> b, std::type_identity_t<T> beta, Matrix<T> c);

}  // namespace lengthwise
