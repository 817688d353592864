#include "core/ops/activation.h"

#include <numbers>

#include "core/ops/elementwise.h"

namespace lengthwise {
namespace {

template <class V>
V sigmoid(V v) {
  return number<V>(1) / (number<V>(1) + lanes::exp(-v));
}

constexpr double root_half = 0.70710678118654752440;         // √(1/2)
constexpr double inverse_root_tau = 0.39894228040143267794;  // 1/√(2π)
constexpr double root_two_over_pi = 0.79788456080286535588;  // √(2/π)
constexpr double cubic = 0.044715;

// Φ(x) and φ(x) of a batch from a single exponential: erf by Abramowitz and Stegun 7.1.26, |error| <= 1.5e-7, which
// needs exp(-x²/2) just as the density does.
struct NormalDistribution {
  xsimd::batch<float> cumulative, density;
};
NormalDistribution normal_distribution(xsimd::batch<float> x) {
  using V = xsimd::batch<float>;
  const V bell = xsimd::exp2(V(-0.5f * std::numbers::log2e_v<float>) * x * x);  // exp(-x²/2)
  const V z = xsimd::abs(x) * V(static_cast<float>(root_half));
  const V t = V(1.f) / xsimd::fma(V(0.3275911f), z, V(1.f));
  V tail = xsimd::fma(V(1.061405429f), t, V(-1.453152027f));
  tail = xsimd::fma(tail, t, V(1.421413741f));
  tail = xsimd::fma(tail, t, V(-0.284496736f));
  tail = xsimd::fma(tail, t, V(0.254829592f));
  const V half_tail = V(0.5f) * tail * t * bell;  // Φ(-|x|)
  return {xsimd::select(x > V(0.f), V(1.f) - half_tail, half_tail), bell * V(static_cast<float>(inverse_root_tau))};
}

// y = z Φ(z) and, where wanted, slope = Φ(z) + z φ(z), of z = x + bias, where there is one.
void gelu_row(const float* x, const float* bias, std::size_t n, float* y, float* slope) {
  using V = xsimd::batch<float>;
  const auto step = [](V z, V& value, V& derivative) {
    const NormalDistribution normal = normal_distribution(z);
    value = z * normal.cumulative;
    derivative = xsimd::fma(z, normal.density, normal.cumulative);
  };
  std::size_t i = 0;
  V value, derivative;
  for (; i + V::size <= n; i += V::size) {
    const V in = V::load_unaligned(x + i);
    step(bias ? in + V::load_unaligned(bias + i) : in, value, derivative);
    value.store_unaligned(y + i);
    if (slope) derivative.store_unaligned(slope + i);
  }
  if (i == n) return;
  float in[V::size] = {}, out[V::size], out_slope[V::size];
  for (std::size_t j = i; j < n; ++j) in[j - i] = bias ? x[j] + bias[j] : x[j];
  step(V::load_unaligned(in), value, derivative);
  value.store_unaligned(out);
  derivative.store_unaligned(out_slope);
  std::copy_n(out, n - i, y + i);
  if (slope) std::copy_n(out_slope, n - i, slope + i);
}
void gelu_row(const double* x, const double* bias, std::size_t n, double* y, double* slope) {
  for (std::size_t i = 0; i < n; ++i) {
    const double z = bias ? x[i] + bias[i] : x[i], cumulative = 0.5 * std::erfc(-z * root_half);
    y[i] = z * cumulative;
    if (slope) slope[i] = cumulative + z * inverse_root_tau * std::exp(-0.5 * z * z);
  }
}

}  // namespace

template <class T>
Variable<T> gelu(const Variable<T>& x, const Variable<T>& bias) {
  assert(!bias || bias.cols() == x.cols());
  const bool recorded = Tape<T>::current() && (x.node() || bias.node());
  const T* b = bias ? bias.value().data : nullptr;
  Array<T> y = uninitialized<T>(x.rows(), x.cols());
  auto slope = std::make_shared<Array<T>>(recorded ? uninitialized<T>(x.rows(), x.cols()) : Array<T>());
  for_each_row_of(x.rows(), [&](std::size_t i) {
    gelu_row(x.value().row(i), b, x.cols(), y.row(i), recorded ? slope->row(i) : nullptr);
  });
  return record<T>("gelu", std::move(y), {x, bias}, [slope](Array<T>& gradient, Sink<T>& into) {
    const std::size_t rows = gradient.rows(), columns = gradient.cols();
    T* d_bias = into.wants(1) ? into.accumulator(1).data : nullptr;
    for (std::size_t i = 0; i < rows; ++i) {
      T* g = gradient.row(i);
      const T* s = slope->row(i);
      if (d_bias) {
#pragma omp simd
        for (std::size_t j = 0; j < columns; ++j) d_bias[j] += g[j] *= s[j];
      } else {
#pragma omp simd
        for (std::size_t j = 0; j < columns; ++j) g[j] *= s[j];
      }
    }
    into.add(0, std::move(gradient));
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
    map(
        width, y.row(i), [](auto g, auto u) { return g * sigmoid(g) * u; }, gate.value().row(i), up.value().row(i));
  return record<T>("swiglu", std::move(y), {gate, up}, [gate, up](Array<T>& gradient, Sink<T>& into) {
    const std::size_t columns = gate.cols();
    Array<T> d_gate = uninitialized<T>(gate.rows(), columns);
    for (std::size_t i = 0; i < gate.rows(); ++i) {
      T* dy = gradient.row(i);
      const T *g = gate.value().row(i), *u = up.value().row(i);
      map(
          columns, d_gate.row(i),
          [](auto d, auto a, auto b) {
            using V = decltype(a);
            const V s = sigmoid(a);
            return d * b * s * (number<V>(1) + a * (number<V>(1) - s));
          },
          dy, g, u);
      map(
          columns, dy, [](auto d, auto a) { return d * a * sigmoid(a); }, dy, g);
    }
    into.add(0, std::move(d_gate));
    into.add(1, std::move(gradient));
  });
}

#define LENGTHWISE_INSTANTIATE(T)                                    \
  template Variable<T> gelu(const Variable<T>&, const Variable<T>&); \
  template Variable<T> gelu_tanh(const Variable<T>&);                \
  template Variable<T> relu(const Variable<T>&);                     \
  template Variable<T> swiglu(const Variable<T>&, const Variable<T>&);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
