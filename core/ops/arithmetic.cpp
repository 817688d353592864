#include "core/ops/arithmetic.h"

#include <cmath>

#include "core/simd.h"

namespace lengthwise {

template <class T>
Variable<T> add(const Variable<T>& a, const Variable<T>& b) {
  assert(a.rows() == b.rows() && a.cols() == b.cols());
  Array<T> y = uninitialized<T>(a.rows(), a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const T *u = a.value().row(i), *v = b.value().row(i);
    T* to = y.row(i);
#pragma omp simd
    for (std::size_t j = 0; j < a.cols(); ++j) to[j] = u[j] + v[j];
  }
  return record<T>("add", std::move(y), {a, b}, [](Array<T>& gradient, Sink<T>& into) {
    into.add(1, view(std::as_const(gradient)));
    into.add(0, std::move(gradient));
  });
}

template <class T>
Variable<T> scale(const Variable<T>& x, T factor) {
  Array<T> y = zeros<T>(x.rows(), x.cols());
  accumulate(x.value(), view(y), factor);
  return record<T>("scale", std::move(y), {x}, [factor](Array<T>& gradient, Sink<T>& into) {
    rescale(view(gradient), factor);
    into.add(0, std::move(gradient));
  });
}

template <class T>
Variable<T> scale(const Variable<T>& x, const Variable<T>& factor) {
  assert(factor.rows() == 1 && factor.cols() == 1);
  Array<T> y = zeros<T>(x.rows(), x.cols());
  accumulate(x.value(), view(y), factor.value()(0, 0));
  return record<T>("scale", std::move(y), {x, factor}, [x, factor](Array<T>& gradient, Sink<T>& into) {
    if (into.wants(1)) {
      T along = 0;
      for (std::size_t i = 0; i < x.rows(); ++i) along += dot(gradient.row(i), x.value().row(i), x.cols());
      into.accumulator(1)(0, 0) += along;
    }
    rescale(view(gradient), factor.value()(0, 0));
    into.add(0, std::move(gradient));
  });
}

template <class T>
Variable<T> multiply(const Variable<T>& a, const Variable<T>& b) {
  const bool one_row = b.rows() == 1, one_column = b.cols() == 1;
  assert((one_row || b.rows() == a.rows()) && (one_column || b.cols() == a.cols()));
  const std::size_t down = one_row ? 0 : 1, along = one_column ? 0 : 1;  // steps in b for a step in a
  Array<T> y = uninitialized<T>(a.rows(), a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) y(i, j) = a.value()(i, j) * b.value()(i * down, j * along);
  return record<T>("multiply", std::move(y), {a, b}, [a, b, down, along](Array<T>& gradient, Sink<T>& into) {
    if (into.wants(1)) {
      const Matrix<T> to = into.accumulator(1);
      for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::size_t j = 0; j < a.cols(); ++j) to(i * down, j * along) += gradient(i, j) * a.value()(i, j);
    }
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t j = 0; j < a.cols(); ++j) gradient(i, j) *= b.value()(i * down, j * along);
    into.add(0, std::move(gradient));
  });
}

template <class T>
Variable<T> dropout(const Variable<T>& x, double rate, const std::vector<Rng>& row_rng) {
  assert(row_rng.size() == x.rows() && rate >= 0 && rate < 1);
  if (rate == 0) return x;
  const auto threshold = static_cast<std::uint64_t>(std::ldexp(rate, 64));
  auto kept = std::make_shared<Array<T>>(uninitialized<T>(x.rows(), x.cols()));  // 0 or 1 / (1 - rate)
  Array<T> y = uninitialized<T>(x.rows(), x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j) {
      (*kept)(i, j) = row_rng[i].bits(j) < threshold ? T(0) : T(1 / (1 - rate));
      y(i, j) = x.value()(i, j) * (*kept)(i, j);
    }
  return record<T>("dropout", std::move(y), {x}, [kept](Array<T>& gradient, Sink<T>& into) {
    for (std::size_t i = 0; i < kept->rows(); ++i)
      for (std::size_t j = 0; j < kept->cols(); ++j) gradient(i, j) *= (*kept)(i, j);
    into.add(0, std::move(gradient));
  });
}

template <class T>
Variable<T> gather_columns(const Variable<T>& table, std::vector<std::size_t> index) {
  Array<T> y = uninitialized<T>(table.rows(), index.size());
  for (std::size_t h = 0; h < table.rows(); ++h)
    for (std::size_t i = 0; i < index.size(); ++i) y(h, i) = index[i] == no_column ? T(0) : table.value()(h, index[i]);
  return record<T>("gather_columns", std::move(y), {table},
                   [index = std::move(index)](Array<T>& gradient, Sink<T>& into) {
                     const Matrix<T> to = into.accumulator(0);
                     for (std::size_t h = 0; h < to.rows; ++h)
                       for (std::size_t i = 0; i < index.size(); ++i)
                         if (index[i] != no_column) to(h, index[i]) += gradient(h, i);
                   });
}

#define LENGTHWISE_INSTANTIATE(T)                                                    \
  template Variable<T> add(const Variable<T>&, const Variable<T>&);                  \
  template Variable<T> scale(const Variable<T>&, T);                                 \
  template Variable<T> scale(const Variable<T>&, const Variable<T>&);                \
  template Variable<T> multiply(const Variable<T>&, const Variable<T>&);             \
  template Variable<T> dropout(const Variable<T>&, double, const std::vector<Rng>&); \
  template Variable<T> gather_columns(const Variable<T>&, std::vector<std::size_t>);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
