// Making and comparing arrays in tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "core/array.h"
#include "core/error.h"
#include "core/variable.h"

namespace lengthwise {

template <class T>
Array<T> array(std::initializer_list<std::initializer_list<double>> rows) {
  Array<T> a = uninitialized<T>(rows.size(), rows.begin()->size());
  T* to = a.row(0);
  for (const auto& row : rows) {
    std::ranges::transform(row, to, [](double value) { return static_cast<T>(value); });
    to += a.stride();
  }
  return a;
}

template <class To, class From>
Array<To> converted(const Array<From>& from) {
  Array<To> to = uninitialized<To>(from.rows(), from.cols());
  for (std::size_t i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), from.cols(), to.row(i));
  return to;
}

/// 0, 1, 2, ... row by row.
inline void count_up(Matrix<double> values) {
  double next = 0;
  each_value(values, [&](double& value) { value = next++; });
}

template <class T>
Matrix<const T> matrix(const Array<T>& a) {
  return view(a);
}
template <class T>
Matrix<const T> matrix(const Variable<T>& a) {
  return a.value();
}
template <class T>
Matrix<const T> matrix(Matrix<T> a) {
  return a;
}

/// |a - b| <= tolerance max(1, |b|) for every element; prints the worst.
template <class A, class B>
void expect_close(const A& left, const B& right, double tolerance, const std::string& what = "") {
  const auto a = matrix(left);
  const auto b = matrix(right);
  ASSERT_TRUE(a.rows == b.rows && a.cols == b.cols)
      << what << ": [" << a.rows << ", " << a.cols << "] against [" << b.rows << ", " << b.cols << "]";
  double worst = 0;
  std::size_t row = 0, col = 0;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) {
      const double x = a(i, j), y = b(i, j), error = std::abs(x - y) / std::max(1.0, std::abs(y));
      if (error > worst || std::isnan(error)) worst = std::isnan(error) ? INFINITY : error, row = i, col = j;
    }
  if (!(worst <= tolerance))
    ADD_FAILURE() << what << "[" << row << ", " << col << "]: " << join(a(row, col)) << " against " << join(b(row, col))
                  << ", allowed " << tolerance;
}

template <class T>
bool same_bits(const Array<T>& a, const Array<T>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (std::size_t i = 0; i < a.rows(); ++i)
    if (std::memcmp(a.row(i), b.row(i), a.cols() * sizeof(T)) != 0) return false;
  return true;
}

template <class T>
bool has_nan(Matrix<const T> a) {
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j)
      if (std::isnan(a(i, j))) return true;
  return false;
}

}  // namespace lengthwise
