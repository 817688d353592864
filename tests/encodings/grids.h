// Tokens of a grid, row after row, for encodings that read rows and columns.
#pragma once

#include "tests/encodings/harness.h"

namespace lengthwise {

struct GridIds {
  std::vector<double> row, column;

  GridIds(std::size_t rows, std::size_t columns) {
    for (std::size_t t = 0; t < rows * columns; ++t) {
      row.push_back(static_cast<double>(t / columns));
      column.push_back(static_cast<double>(t % columns));
    }
  }
  std::size_t tokens() const { return row.size(); }
  GridIds moved(double down, double across) const {
    GridIds to = *this;
    for (double& r : to.row) r += down;
    for (double& c : to.column) c += across;
    return to;
  }
};

/// A harness whose sequences are all that grid.
inline std::unique_ptr<Harness<double>> on_grid(const std::string& encoding, const OptionValues& options,
                                                const ModelShape& shape, const GridIds& grid,
                                                std::size_t sequences = 1) {
  auto harness = std::make_unique<Harness<double>>(
      encoding, options, shape, std::vector<std::vector<double>>(sequences, counting(grid.tokens())));
  std::vector<double> rows, columns;
  for (std::size_t b = 0; b < sequences; ++b) {
    rows.insert(rows.end(), grid.row.begin(), grid.row.end());
    columns.insert(columns.end(), grid.column.begin(), grid.column.end());
  }
  harness->positions().set("row", std::move(rows));
  harness->positions().set("column", std::move(columns));
  return harness;
}

/// q_i . k_j of one head.
inline double score(const QueryKey<double>& qk, std::size_t i, std::size_t j) {
  return std::inner_product(qk.q.value().row(i), qk.q.value().row(i) + qk.q.cols(), qk.k.value().row(j), 0.0);
}

}  // namespace lengthwise
