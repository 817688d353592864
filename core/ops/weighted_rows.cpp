#include "core/ops/weighted_rows.h"

namespace lengthwise {

template <class T>
Variable<T> weighted_rows(const Variable<T>& table, std::shared_ptr<const RowWeights<T>> weights) {
  Array<T> y = zeros<T>(weights->rows(), table.cols());
  for (std::size_t i = 0; i < weights->rows(); ++i)
    for (std::size_t t = weights->first[i]; t < weights->first[i + 1]; ++t) {
      assert(weights->index[t] < table.rows());
      accumulate(table.value().block_rows(weights->index[t], 1), view(y).block_rows(i, 1), weights->weight[t]);
    }
  return record<T>("weighted_rows", std::move(y), {table}, [weights](Array<T>& gradient, Sink<T>& into) {
    const Matrix<T> table_gradient = into.accumulator(0);
    for (std::size_t i = 0; i < weights->rows(); ++i)
      for (std::size_t t = weights->first[i]; t < weights->first[i + 1]; ++t)
        accumulate(view(gradient).block_rows(i, 1), table_gradient.block_rows(weights->index[t], 1),
                   weights->weight[t]);
  });
}

template Variable<float> weighted_rows(const Variable<float>&, std::shared_ptr<const RowWeights<float>>);
template Variable<double> weighted_rows(const Variable<double>&, std::shared_ptr<const RowWeights<double>>);

}  // namespace lengthwise
