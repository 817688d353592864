#pragma once

#include "core/random.h"
#include "core/variable.h"

namespace lengthwise {

/// a + b, of one shape.
template <class T>
Variable<T> add(const Variable<T>& a, const Variable<T>& b);

/// factor * x, the factor a constant.
template <class T>
Variable<T> scale(const Variable<T>& x, T factor);

/// factor * x, the factor learned: [1, 1].
template <class T>
Variable<T> scale(const Variable<T>& x, const Variable<T>& factor);

/// a b, element by element. b has a's shape, or is one row [1, cols] or one column [rows, 1] that serves all of them.
template <class T>
Variable<T> multiply(const Variable<T>& a, const Variable<T>& b);

/// Inverted dropout (Srivastava et al. 2014): an entry is zeroed with probability `rate` or divided by 1 - rate. Row r
/// of the batch belongs to stream row_rng[r]; its entry in column c is decided by draw c of it, whatever else is in the
/// batch.
template <class T>
Variable<T> dropout(const Variable<T>& x, double rate, const std::vector<Rng>& row_rng);

/// An index that names no column: gather_columns puts zeros there.
inline constexpr std::size_t no_column = ~std::size_t{0};

/// Columns of a table by number: y[:, i] = table[:, index_i]. table [H, entries] -> [H, index.size()].
template <class T>
Variable<T> gather_columns(const Variable<T>& table, std::vector<std::size_t> index);

}  // namespace lengthwise
