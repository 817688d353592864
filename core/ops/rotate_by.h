#pragma once

#include "core/ops/rotate.h"

namespace lengthwise {

/// rotate() by angles that are learned: turns pair m of head first_head + h of token i by angle[i, h * pairs + m].
/// x [tokens, heads * d], angle [tokens, head_count * pairs] -> [tokens, heads * d]. The gradient of an angle is that
/// of its pair along the direction of turning: g2 y1 - g1 y2.
template <class T>
Variable<T> rotate_by(const Variable<T>& x, const Variable<T>& angle, PairLayout layout, std::size_t heads,
                      std::size_t first_head, std::size_t head_count);

}  // namespace lengthwise
