#pragma once

#include <memory>
#include <vector>

#include "core/variable.h"

namespace lengthwise {

/// Cosines and sines of the angles to turn by: one row an id, one column a pair. Made from angles in double and rounded
/// once: at position 1,000,000 an angle formed in float is off by 0.02 rad.
template <class T>
struct AngleTable {
  Array<T> cosine, sine;  // [ids, pairs]
};

/// Which two channels of a head form pair m: (2m, 2m + 1), or (m, m + pairs).
enum class PairLayout { interleaved, half };

/// Turns pair m of every head by the angle at [row_of_token[i], m] of the table:
/// (x1, x2) -> (x1 cos - x2 sin, x2 cos + x1 sin) (Su et al. 2021, arXiv:2104.09864, eq. 34).
/// x [tokens, heads * d]; the first 2 * pairs channels of heads first_head .. first_head + head_count - 1 are turned,
/// the rest is copied. The backward pass turns by the negative angle.
template <class T>
Variable<T> rotate(const Variable<T>& x, std::shared_ptr<const AngleTable<T>> table,
                   std::vector<std::size_t> row_of_token, PairLayout layout, std::size_t heads, std::size_t first_head,
                   std::size_t head_count);

}  // namespace lengthwise
