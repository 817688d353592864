// Owning rank-2 arrays on xtensor, and the plain view (pointer, rows, columns, stride) that kernels work on.
//
// Loops take Matrix<T>: an xtensor expression with a broadcast or a reduction costs one to two orders of magnitude more
// than a loop over rows.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <xtensor/xtensor.hpp>

#include "core/pool.h"

namespace lengthwise {

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

/// Values from one row to the next of a matrix of its own memory. Rows that lie a multiple of 1 KiB apart get 64 bytes
/// more: they would share few places of a cache, where products walk down them.
template <class T>
constexpr std::size_t row_stride(std::size_t rows, std::size_t cols) {
  const bool apart = rows <= 1 || cols * sizeof(T) % 1024 != 0;
  return apart ? cols : cols + 64 / sizeof(T);
}

/// Row-major [rows, columns], row_stride apart; a vector is one row. Memory comes from a pool and is not initialised.
template <class T>
class Array {
 public:
  Array() = default;
  Array(std::size_t rows, std::size_t cols)
      : cols_(cols), storage_(Storage::from_shape({rows, row_stride<T>(rows, cols)})) {}

  std::size_t rows() const { return storage_.shape(0); }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return storage_.shape(1); }
  std::size_t size() const { return rows() * cols(); }

  T* row(std::size_t i) { return storage_.data() + i * stride(); }
  const T* row(std::size_t i) const { return storage_.data() + i * stride(); }
  T& operator()(std::size_t i, std::size_t j) { return row(i)[checked(i, j)]; }
  const T& operator()(std::size_t i, std::size_t j) const { return row(i)[checked(i, j)]; }

 private:
  using Storage = xt::xtensor_container<xt::uvector<T, PoolAllocator<T>>, 2, xt::layout_type::row_major>;
  std::size_t checked([[maybe_unused]] std::size_t i, std::size_t j) const {
    assert(i < rows() && j < cols_);
    return j;
  }

  std::size_t cols_ = 0;
  Storage storage_ = Storage::from_shape({0, 0});
};

template <class T>
Array<T> uninitialized(std::size_t rows, std::size_t cols) {
  return Array<T>(rows, cols);
}

template <class T>
Matrix<T> view(Array<T>& a) {
  return {a.row(0), a.rows(), a.cols(), a.stride()};
}
template <class T>
Matrix<const T> view(const Array<T>& a) {
  return {a.row(0), a.rows(), a.cols(), a.stride()};
}

template <class T>
void fill(Matrix<T> to, T value) {
  for (std::size_t i = 0; i < to.rows; ++i) std::fill_n(to.row(i), to.cols, value);
}

template <class T>
Array<T> zeros(std::size_t rows, std::size_t cols) {
  Array<T> a(rows, cols);
  fill(view(a), T(0));
  return a;
}

/// f(value) for all of them, row by row.
template <class T, class F>
void each_value(Matrix<T> of, F f) {
  for (std::size_t i = 0; i < of.rows; ++i)
    for (std::size_t j = 0; j < of.cols; ++j) f(of(i, j));
}

/// to = from
template <class T>
void copy(Matrix<const std::type_identity_t<T>> from, Matrix<T> to) {
  assert(from.rows == to.rows && from.cols == to.cols);
  if (from.contiguous() && to.contiguous()) return void(std::copy_n(from.data, to.size(), to.data));
  for (std::size_t i = 0; i < to.rows; ++i) std::copy_n(from.row(i), to.cols, to.row(i));
}

/// to *= factor
template <class T>
void rescale(Matrix<T> to, std::type_identity_t<T> factor) {
  for (std::size_t i = 0; i < to.rows; ++i) {
    T* row = to.row(i);
#pragma omp simd
    for (std::size_t j = 0; j < to.cols; ++j) row[j] *= factor;
  }
}

/// to += factor * from
template <class T>
void accumulate(Matrix<const std::type_identity_t<T>> from, Matrix<T> to, std::type_identity_t<T> factor = 1) {
  assert(from.rows == to.rows && from.cols == to.cols);
  if (from.contiguous() && to.contiguous() && to.rows > 1)
    return accumulate(Matrix<const T>{from.data, 1, to.size(), to.size()}, Matrix<T>{to.data, 1, to.size(), to.size()},
                      factor);
  for (std::size_t i = 0; i < to.rows; ++i) {
    const T* source = from.row(i);
    T* target = to.row(i);
#pragma omp simd
    for (std::size_t j = 0; j < to.cols; ++j) target[j] += factor * source[j];
  }
}

}  // namespace lengthwise
