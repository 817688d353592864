#pragma once

#include "core/variable.h"

namespace lengthwise {

/// ln sigmoid(x) = min(x, 0) - ln(1 + exp(-|x|)), which neither overflows nor rounds to 0 too early.
template <class T>
Variable<T> log_sigmoid(const Variable<T>& x);

}  // namespace lengthwise
