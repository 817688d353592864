#include "core/ops/cross_entropy.h"

#include "core/simd.h"

namespace lengthwise {
namespace {

// Turns a row of logits into its softmax and scores it.
template <class T>
ScoredRow score(T* row, std::size_t classes, std::size_t target) {
  const T at_target = row[target], peak = largest(row, classes);
  bool correct = true;
  for (std::size_t j = 0; j < classes; ++j) correct = correct && (j == target || row[j] < at_target);
  map(
      classes, row, [peak](auto v) { return lanes::exp(v - peak); }, row);
  const T total = sum(row, classes);
  const T scale = 1 / total;
#pragma omp simd
  for (std::size_t j = 0; j < classes; ++j) row[j] *= scale;
  return {std::log(static_cast<double>(total)) - (static_cast<double>(at_target) - static_cast<double>(peak)), correct};
}

}  // namespace

template <class T>
ScoredRows score_rows(Matrix<const T> logits, const std::vector<int>& targets) {
  assert(targets.size() == logits.rows);
  ScoredRows rows(logits.rows);
  Array<T> scratch = uninitialized<T>(1, logits.cols);
  for (std::size_t i = 0; i < logits.rows; ++i) {
    std::copy_n(logits.row(i), logits.cols, scratch.row(0));
    rows[i] = score(scratch.row(0), logits.cols, static_cast<std::size_t>(targets[i]));
  }
  return rows;
}

template <class T>
Variable<T> cross_entropy(const Variable<T>& logits, const std::vector<int>& targets, T weight, ScoredRows* rows) {
  assert(targets.size() == logits.rows());
  auto softmaxes = std::make_shared<Array<T>>(uninitialized<T>(logits.rows(), logits.cols()));
  copy(logits.value(), view(*softmaxes));
  double loss = 0;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const ScoredRow scored = score(softmaxes->row(i), logits.cols(), static_cast<std::size_t>(targets[i]));
    loss += scored.loss;
    if (rows) rows->push_back(scored);
  }
  Array<T> y = uninitialized<T>(1, 1);
  y(0, 0) = static_cast<T>(weight * loss);
  return record<T>("cross_entropy", std::move(y), {logits},
                   [softmaxes, targets, weight](Array<T>& gradient, Sink<T>& into) {
                     const T factor = weight * gradient(0, 0);
                     for (std::size_t i = 0; i < targets.size(); ++i)
                       (*softmaxes)(i, static_cast<std::size_t>(targets[i])) -= 1;
                     rescale(view(*softmaxes), factor);
                     into.add(0, std::move(*softmaxes));
                   });
}

#define LENGTHWISE_INSTANTIATE(T)                                           \
  template ScoredRows score_rows(Matrix<const T>, const std::vector<int>&); \
  template Variable<T> cross_entropy(const Variable<T>&, const std::vector<int>&, T, ScoredRows*);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
