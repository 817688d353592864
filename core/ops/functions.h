#pragma once

#include "core/variable.h"

namespace lengthwise {

template <class T>
Variable<T> exp(const Variable<T>& x);

/// ln(1 + x), for x > -1.
template <class T>
Variable<T> log1p(const Variable<T>& x);

/// |x|; its gradient at 0 is 0.
template <class T>
Variable<T> abs(const Variable<T>& x);

/// 1 / (1 + exp(-x))
template <class T>
Variable<T> sigmoid(const Variable<T>& x);

}  // namespace lengthwise
