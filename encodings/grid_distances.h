// Which displacements in a grid a batch needs, and which column of a table each pair of tokens reads.
#pragma once

#include "core/distance_bias.h"
#include "encodings/encoding.h"

namespace lengthwise {

/// Query minus key.
struct Displacement {
  double rows = 0, columns = 0;
};

struct GridDistances {
  std::vector<std::optional<Displacement>> values;  // one a column; none where a token of the pair has no position
  std::shared_ptr<const DistanceColumns> columns;
};

/// The displacements of channels "row" and "column". For whole-numbered ids there is one column a displacement, that is
/// (2 height - 1)(2 width - 1) of them in row-major order, and some more for tokens without a position. Fractions of
/// positions, and places scattered so far apart that it takes fewer, have one column a pair: n x n a sequence.
const GridDistances& grid_distances(const Context& context);

}  // namespace lengthwise
