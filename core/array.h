// Owning rank-2 arrays on xtensor, and the plain view (pointer, rows, columns, stride) that kernels work on.
//
// xtensor is lazy: keep a result as Array<T>, never as auto. Inner loops take Matrix<T>: an xtensor expression with a
// broadcast or a reduction costs one to two orders of magnitude more than a loop over rows.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <xtensor/xtensor.hpp>

#include "core/pool.h"

namespace lengthwise {

/// Row-major [rows, columns]; a vector is one row. Memory comes from a pool and is not initialised.
template <class T>
using Array = xt::xtensor_container<xt::uvector<T, PoolAllocator<T>>, 2, xt::layout_type::row_major>;

/// A rectangle of somebody else's memory; rows lie `stride` elements apart. Matrix<const T> is read-only.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::size_t rows = 0, cols = 0, stride = 0;

  T* row(std::size_t i) const { return data + i * stride; }
  T& operator()(std::size_t i, std::size_t j) const {
    assert(i < rows && j < cols);
    return data[i * stride + j];
  }
  std::size_t size() const { return rows * cols; }
  bool contiguous() const { return stride == cols || rows <= 1; }

  Matrix block_rows(std::size_t first, std::size_t count) const {
    assert(first + count <= rows);
    return {data + first * stride, count, cols, stride};
  }
  Matrix block_cols(std::size_t first, std::size_t count) const {
    assert(first + count <= cols);
    return {data + first, rows, count, stride};
  }
  operator Matrix<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, stride}; }
};

template <class T>
Array<T> uninitialized(std::size_t rows, std::size_t cols) {
  return Array<T>::from_shape({rows, cols});
}

template <class T>
Array<T> zeros(std::size_t rows, std::size_t cols) {
  Array<T> a = uninitialized<T>(rows, cols);
  std::fill(a.data(), a.data() + a.size(), T(0));
  return a;
}

template <class T>
Matrix<T> view(Array<T>& a) {
  return {a.data(), a.shape(0), a.shape(1), a.shape(1)};
}
template <class T>
Matrix<const T> view(const Array<T>& a) {
  return {a.data(), a.shape(0), a.shape(1), a.shape(1)};
}

template <class T>
void fill(Matrix<T> to, T value) {
  for (std::size_t i = 0; i < to.rows; ++i) std::fill_n(to.row(i), to.cols, value);
}

/// to = from
template <class T>
void copy(Matrix<const std::type_identity_t<T>> from, Matrix<T> to) {
  assert(from.rows == to.rows && from.cols == to.cols);
  for (std::size_t i = 0; i < to.rows; ++i) std::copy_n(from.row(i), to.cols, to.row(i));
}

/// to += factor * from
template <class T>
void accumulate(Matrix<const std::type_identity_t<T>> from, Matrix<T> to, std::type_identity_t<T> factor = 1) {
  assert(from.rows == to.rows && from.cols == to.cols);
  for (std::size_t i = 0; i < to.rows; ++i) {
    const T* source = from.row(i);
    T* target = to.row(i);
#pragma omp simd
    for (std::size_t j = 0; j < to.cols; ++j) target[j] += factor * source[j];
  }
}

}  // namespace lengthwise
