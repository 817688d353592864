// Analytic gradients against central differences, in double.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/variable.h"

namespace lengthwise {

struct GradientCheck {
  bool passed = true;
  std::size_t compared = 0;
  std::string worst;  // the entry of largest error relative to its tolerance: input, index, analytic, numeric
};

/// A function of the leaves (and of the parameters of `store`, when given); any shape of result.
using CheckedFunction = std::function<Variable<double>(const std::vector<Variable<double>>&)>;

/// Weights the output with fixed random numbers, since equal weights hide errors, and compares up to `samples` entries
/// of every input plus one random direction: |analytic - numeric| <= absolute + relative * max(|analytic|, |numeric|).
/// Keep inputs away from kinks.
GradientCheck check_gradients(const CheckedFunction& f, const std::vector<Array<double>>& inputs,
                              ParameterStore<double>* store = nullptr, std::size_t samples = 64, double absolute = 1e-7,
                              double relative = 1e-6);

/// Numbers in [-1, 1], the same every time.
template <class T>
Array<T> random_array(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Array<T> a = uninitialized<T>(rows, cols);
  Rng rng = Rng(seed).at("random_array");
  each_value(view(a), [&](T& value) { value = static_cast<T>(rng.uniform(-1, 1)); });
  return a;
}

}  // namespace lengthwise
