#pragma once

#include <vector>

#include "core/variable.h"

namespace lengthwise {

/// y_i = factor * table[index_i]. table [entries, D], index of n -> [n, D]. The gradient of an entry is the sum over
/// its uses. Indices must lie inside the table.
template <class T>
Variable<T> embedding(const Variable<T>& table, std::vector<std::size_t> index, T factor = 1);

/// Rows of x by number, each at most once: the scored rows of a batch. x [rows, D] -> [index.size(), D].
template <class T>
Variable<T> select_rows(const Variable<T>& x, std::vector<std::size_t> index);

}  // namespace lengthwise
