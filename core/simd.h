// Element-wise loops over contiguous memory. float goes through xsimd, 8 or 16 values at a time; double goes through
// the standard library one by one, and is the reference that the float kernels are tested against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <xsimd/xsimd.hpp>

namespace lengthwise {

/// Functions that lambdas below call on a batch of floats or on one double alike.
namespace lanes {
using std::abs, std::erf, std::exp, std::fma, std::log, std::log1p, std::max, std::sqrt, std::tanh;
using xsimd::abs, xsimd::erf, xsimd::exp, xsimd::fma, xsimd::log, xsimd::log1p, xsimd::max, xsimd::sqrt, xsimd::tanh;
inline double select(bool condition, double yes, double no) { return condition ? yes : no; }
using xsimd::select;
}  // namespace lanes

/// y[i] = f(x[i], ...) for i < n. f is generic in its argument type. The last, incomplete batch is computed in a padded
/// one: a value never depends on where in the array it stands.
template <class T, class F, class... In>
void map(std::size_t n, T* y, F f, const In*... x) {
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    constexpr std::size_t width = Batch::size;
    std::size_t i = 0;
    for (; i + width <= n; i += width) Batch(f(Batch::load_unaligned(x + i)...)).store_unaligned(y + i);
    if (i < n) {
      const auto load = [&](const float* from) {
        float padded[width] = {};
        std::copy(from + i, from + n, padded);
        return Batch::load_unaligned(padded);
      };
      float out[width];
      Batch(f(load(x)...)).store_unaligned(out);
      std::copy_n(out, n - i, y + i);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) y[i] = f(x[i]...);
  }
}

/// The largest of x[0..n), n >= 1. A NaN may be passed over: whoever goes on with x meets it there.
template <class T>
T largest(const T* x, std::size_t n) {
  T peak = x[0];
  std::size_t i = 0;
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    if (n >= Batch::size) {
      Batch peaks = Batch::load_unaligned(x);
      for (i = Batch::size; i + Batch::size <= n; i += Batch::size)
        peaks = xsimd::max(peaks, Batch::load_unaligned(x + i));
      float lanes_[Batch::size];
      peaks.store_unaligned(lanes_);
      for (const float v : lanes_) peak = v > peak ? v : peak;
    }
  }
  for (; i < n; ++i) peak = x[i] > peak ? x[i] : peak;
  return peak;
}

template <class T>
T sum(const T* x, std::size_t n) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (std::size_t i = 0; i < n; ++i) total += x[i];
  return total;
}

template <class T>
T dot(const T* x, const T* y, std::size_t n) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (std::size_t i = 0; i < n; ++i) total += x[i] * y[i];
  return total;
}

/// x[0..n) becomes its softmax, and x[n..padded) zeros; padded is a multiple of the vector width and may be written to.
/// exp(x - largest) cannot overflow. n >= 1.
template <class T>
void softmax_padded(T* x, std::size_t n, std::size_t padded) {
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    constexpr std::size_t width = Batch::size;
    for (std::size_t i = n; i < padded; ++i) x[i] = -std::numeric_limits<float>::infinity();
    Batch peaks = Batch::load_unaligned(x);
    for (std::size_t i = width; i < padded; i += width) peaks = xsimd::max(peaks, Batch::load_unaligned(x + i));
    float lanes_[width];
    peaks.store_unaligned(lanes_);
    float peak = lanes_[0];
    for (const float v : lanes_) peak = v > peak ? v : peak;
    const Batch shift(peak);
    Batch total(0.f);
    for (std::size_t i = 0; i < padded; i += width) {
      const Batch e = xsimd::exp(Batch::load_unaligned(x + i) - shift);
      e.store_unaligned(x + i);
      total += e;
    }
    const Batch scale(1 / xsimd::hadd(total));
    for (std::size_t i = 0; i < padded; i += width) (Batch::load_unaligned(x + i) * scale).store_unaligned(x + i);
  } else {
    const T peak = largest(x, n);
    T total = 0;
    for (std::size_t i = 0; i < n; ++i) total += x[i] = std::exp(x[i] - peak);
    for (std::size_t i = 0; i < n; ++i) x[i] /= total;
    std::fill(x + n, x + padded, T(0));
  }
}

/// What a softmax that comes in parts has seen so far: its largest entry, and the sum of exp(x - peak).
template <class T>
struct SoftmaxParts {
  T peak = -std::numeric_limits<T>::infinity(), total = 0;
};

/// One part of a softmax: x[0..n) becomes exp(x - peak), x[n..padded) zeros, with the peak of all parts yet. Returns
/// what the results of earlier parts are to be multiplied with. Divided by the total, all parts together are the
/// softmax. padded as in softmax_padded; n >= 1.
template <class T>
T softmax_part(T* x, std::size_t n, std::size_t padded, SoftmaxParts<T>& parts) {
  const T peak = std::max(parts.peak, largest(x, n));
  const T factor = parts.total == 0 ? T(1) : std::exp(parts.peak - peak);
  T sum_here = 0;
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    for (std::size_t i = n; i < padded; ++i) x[i] = -std::numeric_limits<float>::infinity();
    const Batch shift(peak);
    Batch total(0.f);
    for (std::size_t i = 0; i < padded; i += Batch::size) {
      const Batch e = xsimd::exp(Batch::load_unaligned(x + i) - shift);
      e.store_unaligned(x + i);
      total += e;
    }
    sum_here = xsimd::hadd(total);
  } else {
    for (std::size_t i = 0; i < n; ++i) sum_here += x[i] = std::exp(x[i] - peak);
    std::fill(x + n, x + padded, T(0));
  }
  parts = {peak, parts.total * factor + sum_here};
  return factor;
}

}  // namespace lengthwise
