// Grids of tokens for the tests of two-dimensional encodings.
#pragma once

#include "tests/encodings/harness.h"

namespace lengthwise {

/// Gives the tokens the places of a grid in row-major order, the first of them at (row, column).
template <class T>
void place_grid(Harness<T>& harness, std::size_t height, std::size_t width, double row = 0, double column = 0) {
  std::vector<double> rows, columns;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      rows.push_back(row + static_cast<double>(y));
      columns.push_back(column + static_cast<double>(x));
    }
  harness.positions().set("row", std::move(rows));
  harness.positions().set("column", std::move(columns));
}

}  // namespace lengthwise
