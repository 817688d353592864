// Which displacements in a grid a batch needs, and which column of a table each pair of tokens reads.
#pragma once

#include "core/distance_bias.h"
#include "encodings/encoding.h"

namespace lengthwise {

/// Query minus key, where both have a position.
struct Displacement {
  double rows = 0, columns = 0;
  bool query_placed = true, key_placed = true;
  bool defined() const { return query_placed && key_placed; }
};

struct GridDistances {
  std::vector<Displacement> values;  // one a column
  std::shared_ptr<const DistanceColumns> columns;
  std::size_t height = 1, width = 1;  // rows and columns that the largest grid of the batch runs over
  bool one_size = true;               // and so do those of all other sequences
};

/// The displacements of channels "row" and "column". For whole-numbered ids there is one column a displacement, that is
/// (2 height - 1)(2 width - 1) of them in row-major order, and some more for tokens without a position. Fractions of
/// positions, and places scattered so far apart that it takes fewer, have one column a pair: n x n a sequence.
const GridDistances& grid_distances(const Context& context);

}  // namespace lengthwise
