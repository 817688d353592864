#pragma once

#include <memory>
#include <vector>

#include "core/variable.h"

namespace lengthwise {

/// What each row of a result is made of: row i of taps first[i] .. first[i + 1] - 1, each a row of a table and its
/// weight.
template <class T>
struct RowWeights {
  std::vector<std::size_t> first{0}, index;
  std::vector<T> weight;

  void add(std::size_t row, T share) {
    index.push_back(row);
    weight.push_back(share);
  }
  void end_row() { first.push_back(index.size()); }
  std::size_t rows() const { return first.size() - 1; }
};

/// y_i = sum over the taps t of row i of weight_t table[index_t]: interpolation in a table. table [entries, D] ->
/// [rows, D]. A single tap of weight 1 copies its row bit for bit. Indices must lie inside the table.
template <class T>
Variable<T> weighted_rows(const Variable<T>& table, std::shared_ptr<const RowWeights<T>> weights);

}  // namespace lengthwise
