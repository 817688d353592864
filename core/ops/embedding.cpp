#include "core/ops/embedding.h"

namespace lengthwise {

template <class T>
Variable<T> embedding(const Variable<T>& table, std::vector<std::size_t> index, T factor) {
  Array<T> y = uninitialized<T>(index.size(), table.cols());
  for (std::size_t i = 0; i < index.size(); ++i) {
    assert(index[i] < table.rows());
    const T* from = table.value().row(index[i]);
    T* to = y.row(i);
    for (std::size_t j = 0; j < table.cols(); ++j) to[j] = factor * from[j];
  }
  return record<T>("embedding", std::move(y), {table},
                   [index = std::move(index), factor](Array<T>& gradient, Sink<T>& into) {
                     const Matrix<T> table_gradient = into.accumulator(0);
                     for (std::size_t i = 0; i < index.size(); ++i)
                       accumulate(view(gradient).block_rows(i, 1), table_gradient.block_rows(index[i], 1), factor);
                   });
}

template <class T>
Variable<T> select_rows(const Variable<T>& x, std::vector<std::size_t> index) {
  return embedding(x, std::move(index), T(1));
}

#define LENGTHWISE_INSTANTIATE(T)                                                  \
  template Variable<T> embedding(const Variable<T>&, std::vector<std::size_t>, T); \
  template Variable<T> select_rows(const Variable<T>&, std::vector<std::size_t>);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
