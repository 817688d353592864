// A bias that depends on the distance of query and key alone, gathered from a table.
#pragma once

#include <memory>

#include "core/distance_columns.h"

namespace lengthwise {

/// S[h, i, j] += table[h - first head, column(i, j)]. table [heads, columns].
template <class T>
std::shared_ptr<const ScoreTerm<T>> distance_bias(Variable<T> table, std::shared_ptr<const DistanceColumns> columns,
                                                  std::size_t first_head);

}  // namespace lengthwise
