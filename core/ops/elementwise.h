// Operations defined by a formula for one element and its derivative. Included by op files alone.
#pragma once

#include "core/parallel.h"
#include "core/simd.h"
#include "core/variable.h"

namespace lengthwise {

/// work(i) for every row, in parallel outside of other parallel work.
template <class Work>
void for_each_row_of(std::size_t rows, Work work) {
  constexpr std::size_t block = 512;
  parallel_for((rows + block - 1) / block, [&](std::size_t b) {
    for (std::size_t i = b * block; i < std::min((b + 1) * block, rows); ++i) work(i);
  });
}

/// y = f(x) element by element; dx = dy derivative(x). Both are generic in their argument: a double or a batch of
/// floats.
template <class T, class F, class D>
Variable<T> elementwise(const char* name, const Variable<T>& x, F f, D derivative) {
  Array<T> y = uninitialized<T>(x.rows(), x.cols());
  for_each_row_of(x.rows(), [&](std::size_t i) { map(x.cols(), y.row(i), f, x.value().row(i)); });
  return record<T>(name, std::move(y), {x}, [x, derivative](Array<T>& gradient, Sink<T>& into) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      T* g = gradient.row(i);
      map(
          x.cols(), g, [derivative](auto dy, auto v) { return dy * derivative(v); }, g, x.value().row(i));
    }
    into.add(0, std::move(gradient));
  });
}

/// Constants as such formulas need them: their type follows the lanes they meet.
template <class V>
V number(double value) {
  if constexpr (std::is_same_v<V, double>)
    return value;
  else
    return V(static_cast<float>(value));
}

}  // namespace lengthwise
