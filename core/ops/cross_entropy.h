#pragma once

#include <vector>

#include "core/variable.h"

namespace lengthwise {

/// One scored row: its loss in nats, and whether the largest logit is the target's.
struct ScoredRow {
  double loss = 0;
  bool correct = false;
};
using ScoredRows = std::vector<ScoredRow, PoolAllocator<ScoredRow>>;

/// -log softmax(logits)[target] of every row. logits [rows, classes]; targets of 0 .. classes-1. A row is correct when
/// the target's logit is larger than every other: a tie is not a right answer.
template <class T>
ScoredRows score_rows(Matrix<const T> logits, const std::vector<int>& targets);

/// weight * the sum of the rows' losses -> [1, 1]. `rows`, if given, receives what score_rows would.
template <class T>
Variable<T> cross_entropy(const Variable<T>& logits, const std::vector<int>& targets, T weight,
                          ScoredRows* rows = nullptr);

}  // namespace lengthwise
