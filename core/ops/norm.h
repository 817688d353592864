#pragma once

#include "core/variable.h"

namespace lengthwise {

/// y = (x - mean) / sqrt(variance + epsilon) * gain + bias over each row, with the biased variance (Ba, Kiros, Hinton
/// 2016, arXiv:1607.06450). x [rows, D], gain [1, D], bias [1, D] or none -> [rows, D]. Where the gain is narrower, it
/// serves every piece of its width by itself, as the heads of attention: x [rows, H d], gain [1, d].
template <class T>
Variable<T> layer_norm(const Variable<T>& x, const Variable<T>& gain, const Variable<T>& bias, T epsilon = T(1e-5));

/// y = x / sqrt(mean(x^2) + epsilon) * gain over each row, or piece of it (Zhang, Sennrich 2019, arXiv:1910.07467).
template <class T>
Variable<T> rms_norm(const Variable<T>& x, const Variable<T>& gain, T epsilon = T(1e-5));

}  // namespace lengthwise
