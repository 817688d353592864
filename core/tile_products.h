// The matrix products of attention, which need only the keys that a row sees.
#pragma once

#include <span>

#include "core/attention_term.h"

namespace lengthwise {

/// to(i, j) = alpha a_i . b_j for the keys j that row i sees, and something finite elsewhere. a [rows, d], b [keys, d]
/// -> to [rows, keys], whose rows have room up to the next multiple of 16 keys and are written to there.
template <class T>
void tile_scores(std::span<const KeyRange> visible, std::type_identity_t<T> alpha,
                 Matrix<const std::type_identity_t<T>> a, Matrix<const std::type_identity_t<T>> b, Matrix<T> to);

/// to_i = alpha sum_j w(i, j) b_j + beta to_i, where w is 0 for keys that row i does not see and beta is 0 or 1.
/// w [rows, keys], b [keys, d] -> to [rows, d].
template <class T>
void tile_sum_over_keys(std::span<const KeyRange> visible, std::type_identity_t<T> alpha,
                        Matrix<const std::type_identity_t<T>> w, Matrix<const std::type_identity_t<T>> b,
                        std::type_identity_t<T> beta, Matrix<T> to);

/// to_j += alpha sum_i w(i, j) a_i, where w is 0 for keys that row i does not see. w [rows, keys], a [rows, d]
/// -> to [keys, d].
template <class T>
void tile_sum_over_rows(std::span<const KeyRange> visible, std::type_identity_t<T> alpha,
                        Matrix<const std::type_identity_t<T>> w, Matrix<const std::type_identity_t<T>> a, Matrix<T> to);

}  // namespace lengthwise
