// Learned or computed vectors that depend on the distance of query and key: what relative encodings add to keys,
// queries and values. Scores are content-dependent here, so that there is no table of biases: a tile multiplies its
// queries with the vectors of the distances it meets and gathers, and never holds a vector a pair.
#pragma once

#include "core/distance_columns.h"

namespace lengthwise {

/// Which row of a table A of vectors the pair (query, key) reads: r(i, j) = row[column(i, j)].
struct RelativeRows {
  /// `row`: of each column; empty when every column has its own row.
  explicit RelativeRows(std::shared_ptr<const DistanceColumns> columns, std::vector<std::uint32_t> row = {});

  std::shared_ptr<const DistanceColumns> columns;
  std::vector<std::uint32_t> row;
  // Clipped distances: all columns before `head` read one row, and all from `tail` on.
  std::size_t head = 0, tail = 0;
};

// Tables are [entries, d], shared by the heads, or [entries, H d], the heads side by side.

/// S_ij += (q_i + b) . A[r(i, j)], inside the scale. b [1, H d], or none.
template <class T>
std::shared_ptr<const ScoreTerm<T>> relative_keys(Variable<T> table, std::shared_ptr<const RelativeRows> rows,
                                                  Variable<T> bias = {});

/// S_ij += k_j . A[r(i, j)], inside the scale.
template <class T>
std::shared_ptr<const ScoreTerm<T>> relative_queries(Variable<T> table, std::shared_ptr<const RelativeRows> rows);

/// out_i += sum_j w_ij A[r(i, j)], w the attention weights.
template <class T>
std::shared_ptr<const ValueTerm<T>> relative_values(Variable<T> table, std::shared_ptr<const RelativeRows> rows);

}  // namespace lengthwise
