// Which distances a batch needs, and which column of a table each pair of tokens reads.
#pragma once

#include "core/distance_bias.h"
#include "encodings/encoding.h"

namespace lengthwise {

struct Distances {
  std::vector<double> values;  // one a column: p_query - p_key
  std::shared_ptr<const DistanceColumns> columns;
};

/// The distances of a channel's ids. In equal steps (sequential, interpolated) there is one column a difference of
/// rows; for whole-numbered ids one a difference of ids; for anything else one a pair, which needs n x n columns a
/// sequence and happens only where ids are drawn as real numbers or distances are drawn (Positions::distance_of_rows).
/// Causal attention needs no negative rows' difference.
const Distances& distances(const Context& context, const std::string& channel = "sequence");

}  // namespace lengthwise
