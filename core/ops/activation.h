#pragma once

#include "core/variable.h"

namespace lengthwise {

/// z Φ(z) of z = x + bias, with the normal distribution function (Hendrycks, Gimpel 2016, arXiv:1606.08415).
/// x [rows, cols], bias [1, cols] or none.
template <class T>
Variable<T> gelu(const Variable<T>& x, const Variable<T>& bias = {});

/// The same paper's approximation x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))).
template <class T>
Variable<T> gelu_tanh(const Variable<T>& x);

template <class T>
Variable<T> relu(const Variable<T>& x);

/// silu(gate) * up, silu(x) = x / (1 + exp(-x)): the middle of a SwiGLU layer (Shazeer 2020, arXiv:2002.05202).
template <class T>
Variable<T> swiglu(const Variable<T>& gate, const Variable<T>& up);

}  // namespace lengthwise
