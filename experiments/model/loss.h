// What the scored rows of a batch are judged by: cross-entropy where a row has one right token, the logistic loss where
// it has a set of them (in training, on request, the squared error).
#pragma once

#include "core/ops/logistic_loss.h"
#include "experiments/model/batch.h"

namespace lengthwise {

/// The rows' losses, summed -> [1, 1]. logits [scored rows, vocabulary]; `rows` receives the score of each.
/// `squared`: of sets, squared_set_error.
template <class T>
Variable<T> loss(const Variable<T>& logits, const Batch& batch, ScoredRows* rows, bool squared = false) {
  if (batch.target_sets.empty()) return cross_entropy(logits, batch.targets, T(1), rows);
  return squared ? squared_set_error(logits, batch.target_sets, T(1), rows)
                 : logistic_loss(logits, batch.target_sets, T(1), rows);
}

template <class T>
ScoredRows score(Matrix<const T> logits, const Batch& batch) {
  return batch.target_sets.empty() ? score_rows(logits, batch.targets) : score_sets(logits, batch.target_sets);
}

}  // namespace lengthwise
