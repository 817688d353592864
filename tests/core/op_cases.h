// What every operation must do, checked in one line an operation.
#pragma once

#include <limits>

#include "core/gradcheck.h"
#include "tests/core/arrays.h"

namespace lengthwise {

struct Shape {
  std::size_t rows, cols;
};

/// An operation's result and the gradients of its inputs under fixed random output weights.
template <class T, class F>
std::vector<Array<T>> run_op(F f, const std::vector<Array<double>>& inputs) {
  Tape<T> tape;
  std::vector<Variable<T>> x;
  for (const auto& input : inputs) x.push_back(leaf(converted<T>(input)));
  const Variable<T> y = f(x);
  Array<T> value = uninitialized<T>(y.rows(), y.cols());
  copy(y.value(), view(value));
  std::vector<Array<T>> results{value};
  tape.backward(y, converted<T>(random_array<double>(y.rows(), y.cols(), 5)));
  for (const auto& input : x) results.push_back(input.gradient());
  return results;
}

/// f: (const std::vector<Variable<T>>&) -> Variable<T>, generic in T. Gradients against central differences, float
/// against double, and a NaN in the first entry of any input must reach the output, in both precisions. Inputs are
/// random in [-1.05, 1.05] and stay 0.05 away from 0, where a kink may be.
template <class F>
void check_op(const char* name, const std::vector<Shape>& shapes, F f) {
  SCOPED_TRACE(name);
  std::vector<Array<double>> inputs;
  for (const auto& shape : shapes) {
    inputs.push_back(random_array<double>(shape.rows, shape.cols, 100 + inputs.size()));
    each_value(view(inputs.back()), [](double& x) { x += x < 0 ? -0.05 : 0.05; });
  }

  const GradientCheck check = check_gradients(f, inputs);
  EXPECT_TRUE(check.passed) << check.worst;
  EXPECT_GT(check.compared, inputs.size());

  const auto in_double = run_op<double>(f, inputs);
  const auto in_float = run_op<float>(f, inputs);
  for (std::size_t k = 0; k < in_double.size(); ++k)
    expect_close(in_float[k], in_double[k], 1e-4, k == 0 ? "float result" : join("float gradient of input ", k - 1));

  for (std::size_t k = 0; k < inputs.size(); ++k) {
    auto poisoned = inputs;
    poisoned[k](0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(has_nan(view(std::as_const(run_op<double>(f, poisoned)[0]))))
        << "NaN in input " << k << " is lost in double";
    EXPECT_TRUE(has_nan(view(std::as_const(run_op<float>(f, poisoned)[0]))))
        << "NaN in input " << k << " is lost in float";
  }
}

}  // namespace lengthwise
