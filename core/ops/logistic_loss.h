#pragma once

#include <cstdint>

#include "core/ops/cross_entropy.h"

namespace lengthwise {

/// The sum over the columns c of -ln sigmoid(±x_c), with + where c belongs to the row's set: each column decides for
/// itself. logits [rows, columns], at most 64 columns; bit c of a row's set says whether column c belongs to it. A row
/// is correct when every logit has the right sign; 0 has none.
template <class T>
ScoredRows score_sets(Matrix<const T> logits, const std::vector<std::uint64_t>& sets);

/// weight * the sum of the rows' losses -> [1, 1]. `rows`, if given, receives what score_sets would.
template <class T>
Variable<T> logistic_loss(const Variable<T>& logits, const std::vector<std::uint64_t>& sets, T weight,
                          ScoredRows* rows = nullptr);

/// As logistic_loss, with the mean over the columns of (sigmoid(x_c) - b_c)^2 as a row's loss, where b_c is 1 for a
/// column of the set and 0 for others: what Bhattamishra et al. 2020 (arXiv:2009.11264) train with.
template <class T>
Variable<T> squared_set_error(const Variable<T>& logits, const std::vector<std::uint64_t>& sets, T weight,
                              ScoredRows* rows = nullptr);

}  // namespace lengthwise
