#pragma once

#include "core/variable.h"

namespace lengthwise {

/// y = onto + x W^T + b. x [rows, in], weight [out, in], bias [1, out] or none, onto [rows, out] (what a residual
/// branch is added to) or none -> [rows, out]. Long inputs are worked on in fixed blocks of rows in parallel, outside
/// of other parallel work.
template <class T>
Variable<T> linear(const Variable<T>& x, const Variable<T>& weight, const Variable<T>& bias = {},
                   const Variable<T>& onto = {});

}  // namespace lengthwise
