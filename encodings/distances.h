// Which distances a batch needs, and which column of a table each pair of tokens reads.
#pragma once

#include "core/distance_bias.h"
#include "encodings/encoding.h"

namespace lengthwise {

struct Distances {
  std::vector<double> values;  // one a column: p_query - p_key
  std::shared_ptr<const DistanceColumns> columns;
};

/// The distances of a channel's ids. In equal steps (sequential, interpolated), and where distances are drawn
/// (Positions::distance_of_rows), there is one column a difference of rows; for whole-numbered ids one a difference of
/// ids; for anything else, where ids are drawn as real numbers or lie millions apart, one a pair: n x n columns a
/// sequence. Throws InputError where those are too many. Causal attention needs no negative rows' difference. Pairs
/// with a token that has no position read no column.
const Distances& distances(const Context& context, const std::string& channel = "sequence");

}  // namespace lengthwise
