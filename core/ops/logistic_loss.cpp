#include "core/ops/logistic_loss.h"

#include <cmath>

namespace lengthwise {
namespace {

enum class Measure { logistic, squared };

// Turns a row of logits into the gradient of its loss and scores it.
template <Measure measure, class T>
ScoredRow score(T* row, std::size_t columns, std::uint64_t set) {
  ScoredRow scored{.loss = 0, .correct = true};
  for (std::size_t c = 0; c < columns; ++c) {
    const bool belongs = set >> c & 1;
    const T margin = belongs ? row[c] : -row[c];
    const T e = std::exp(-std::abs(margin));  // at most 1, so that nothing below overflows or cancels
    scored.correct = scored.correct && margin > 0;
    const T error = (margin > 0 ? e : T(1)) / (1 + e);  // sigmoid(-margin)
    T slope = error;
    if constexpr (measure == Measure::logistic) {
      scored.loss += static_cast<double>(std::max(-margin, T(0)) + std::log1p(e));
    } else {
      const T share = T(1) / static_cast<T>(columns);
      scored.loss += static_cast<double>(share * error * error);
      slope = 2 * share * error * error * (margin > 0 ? T(1) : e) / (1 + e);
    }
    row[c] = belongs ? -slope : slope;
  }
  return scored;
}

template <Measure measure, class T>
Variable<T> set_loss(const char* name, const Variable<T>& logits, const std::vector<std::uint64_t>& sets, T weight,
                     ScoredRows* rows) {
  assert(sets.size() == logits.rows() && logits.cols() <= 64);
  auto slopes = std::make_shared<Array<T>>(uninitialized<T>(logits.rows(), logits.cols()));
  copy(logits.value(), view(*slopes));
  double loss = 0;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const ScoredRow scored = score<measure>(slopes->row(i), logits.cols(), sets[i]);
    loss += scored.loss;
    if (rows) rows->push_back(scored);
  }
  Array<T> y = uninitialized<T>(1, 1);
  y(0, 0) = static_cast<T>(weight * loss);
  return record<T>(name, std::move(y), {logits}, [slopes, weight](Array<T>& gradient, Sink<T>& into) {
    const T factor = weight * gradient(0, 0);
    rescale(view(*slopes), factor);
    into.add(0, std::move(*slopes));
  });
}

}  // namespace

template <class T>
ScoredRows score_sets(Matrix<const T> logits, const std::vector<std::uint64_t>& sets) {
  assert(sets.size() == logits.rows && logits.cols <= 64);
  ScoredRows rows(logits.rows);
  Array<T> scratch = uninitialized<T>(1, logits.cols);
  for (std::size_t i = 0; i < logits.rows; ++i) {
    std::copy_n(logits.row(i), logits.cols, scratch.row(0));
    rows[i] = score<Measure::logistic>(scratch.row(0), logits.cols, sets[i]);
  }
  return rows;
}

template <class T>
Variable<T> logistic_loss(const Variable<T>& logits, const std::vector<std::uint64_t>& sets, T weight,
                          ScoredRows* rows) {
  return set_loss<Measure::logistic>("logistic_loss", logits, sets, weight, rows);
}

template <class T>
Variable<T> squared_set_error(const Variable<T>& logits, const std::vector<std::uint64_t>& sets, T weight,
                              ScoredRows* rows) {
  return set_loss<Measure::squared>("squared_set_error", logits, sets, weight, rows);
}

#define LENGTHWISE_INSTANTIATE(T)                                                                            \
  template ScoredRows score_sets(Matrix<const T>, const std::vector<std::uint64_t>&);                        \
  template Variable<T> logistic_loss(const Variable<T>&, const std::vector<std::uint64_t>&, T, ScoredRows*); \
  template Variable<T> squared_set_error(const Variable<T>&, const std::vector<std::uint64_t>&, T, ScoredRows*);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
