#include "core/ops/activation.h"

#include "core/ops/elementwise.h"

namespace lengthwise {
namespace {

template <class V>
V sigmoid(V v) {
  return number<V>(1) / (number<V>(1) + lanes::exp(-v));
}

constexpr double root_half = 0.70710678118654752440;      // √(1/2)
constexpr double inverse_root_tau = 0.39894228040143267794;  // 1/√(2π)
constexpr double root_two_over_pi = 0.79788456080286535588;  // √(2/π)
constexpr double cubic = 0.044715;

}  // namespace

template <class T>
Variable<T> gelu(const Variable<T>& x) {
  return elementwise(
      "gelu", x,
      [](auto v) {
        using V = decltype(v);
        return number<V>(0.5) * v * (number<V>(1) + lanes::erf(v * number<V>(root_half)));
      },
      [](auto v) {  // Φ(x) + x φ(x)
        using V = decltype(v);
        return number<V>(0.5) * (number<V>(1) + lanes::erf(v * number<V>(root_half))) +
               v * number<V>(inverse_root_tau) * lanes::exp(number<V>(-0.5) * v * v);
      });
}

template <class T>
Variable<T> gelu_tanh(const Variable<T>& x) {
  return elementwise(
      "gelu_tanh", x,
      [](auto v) {
        using V = decltype(v);
        const V inner = number<V>(root_two_over_pi) * (v + number<V>(cubic) * v * v * v);
        return number<V>(0.5) * v * (number<V>(1) + lanes::tanh(inner));
      },
      [](auto v) {
        using V = decltype(v);
        const V t = lanes::tanh(number<V>(root_two_over_pi) * (v + number<V>(cubic) * v * v * v));
        const V slope = number<V>(root_two_over_pi) * (number<V>(1) + number<V>(3 * cubic) * v * v);
        return number<V>(0.5) * (number<V>(1) + t) + number<V>(0.5) * v * (number<V>(1) - t * t) * slope;
      });
}

template <class T>
Variable<T> relu(const Variable<T>& x) {
  return elementwise(
      "relu", x,
      [](auto v) {
        using V = decltype(v);
        return V(lanes::select(v <= number<V>(0), number<V>(0), v));  // NaN stays NaN
      },
      [](auto v) {
        using V = decltype(v);
        return V(lanes::select(v > number<V>(0), number<V>(1), number<V>(0)));
      });
}

template <class T>
Variable<T> swiglu(const Variable<T>& gate, const Variable<T>& up) {
  assert(gate.rows() == up.rows() && gate.cols() == up.cols());
  const std::size_t width = gate.cols();
  Array<T> y = uninitialized<T>(gate.rows(), width);
  for (std::size_t i = 0; i < gate.rows(); ++i)
    map(width, y.data() + i * width, [](auto g, auto u) { return g * sigmoid(g) * u; }, gate.value().row(i), up.value().row(i));
  return record<T>("swiglu", std::move(y), {gate, up}, [gate, up](Array<T>& gradient, Sink<T>& into) {
    const std::size_t columns = gate.cols();
    Array<T> d_gate = uninitialized<T>(gate.rows(), columns);
    for (std::size_t i = 0; i < gate.rows(); ++i) {
      T* dy = gradient.data() + i * columns;
      const T *g = gate.value().row(i), *u = up.value().row(i);
      map(columns, d_gate.data() + i * columns,
          [](auto d, auto a, auto b) {
            using V = decltype(a);
            const V s = sigmoid(a);
            return d * b * s * (number<V>(1) + a * (number<V>(1) - s));
          },
          dy, g, u);
      map(columns, dy, [](auto d, auto a) { return d * a * sigmoid(a); }, dy, g);
    }
    into.add(0, std::move(d_gate));
    into.add(1, std::move(gradient));
  });
}

#define LENGTHWISE_INSTANTIATE(T)                       \
  template Variable<T> gelu(const Variable<T>&);        \
  template Variable<T> gelu_tanh(const Variable<T>&);   \
  template Variable<T> relu(const Variable<T>&);        \
  template Variable<T> swiglu(const Variable<T>&, const Variable<T>&);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
