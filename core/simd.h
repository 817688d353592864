// Element-wise loops over contiguous memory. float goes through xsimd, 8 or 16 values at a time; double goes through
// the standard library one by one, and is the reference that the float kernels are tested against.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>
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

/// The largest lane.
inline float largest(xsimd::batch<float> x) {
  constexpr std::size_t width = xsimd::batch<float>::size;
  using Lanes [[gnu::vector_size(width * sizeof(float))]] = float;
  Lanes v;
  x.store_unaligned(reinterpret_cast<float*>(&v));
  const auto fold = [&v]<std::size_t half, std::size_t... i>(std::index_sequence<i...>) {
    const Lanes other = __builtin_shufflevector(v, v, (half < width ? i ^ half : i)...);
    v = v > other ? v : other;
  };
  fold.template operator()<8>(std::make_index_sequence<width>());
  fold.template operator()<4>(std::make_index_sequence<width>());
  fold.template operator()<2>(std::make_index_sequence<width>());
  fold.template operator()<1>(std::make_index_sequence<width>());
  return v[0];
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
      peak = largest(peaks);
    }
  }
  for (; i < n; ++i) peak = x[i] > peak ? x[i] : peak;
  return peak;
}

/// The sum of f(x[i], ...) for i < n. f is generic in its argument type. (An `omp simd reduction` would end with its
/// lanes added one by one.)
template <class T, class F, class... In>
T sum_of(std::size_t n, F f, const In*... x) {
  T total = 0;
  std::size_t i = 0;
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    if (n >= Batch::size) {
      Batch totals = f(Batch::load_unaligned(x)...);
      for (i = Batch::size; i + Batch::size <= n; i += Batch::size) totals += f(Batch::load_unaligned(x + i)...);
      total = xsimd::hadd(totals);
    }
  }
  for (; i < n; ++i) total += f(x[i]...);
  return total;
}

template <class T>
T sum(const T* x, std::size_t n) {
  return sum_of<T>(
      n, [](auto v) { return v; }, x);
}

template <class T>
T dot(const T* x, const T* y, std::size_t n) {
  return sum_of<T>(
      n, [](auto v, auto w) { return v * w; }, x, y);
}

/// The first `count` lanes of x, and `other` in those after them. No store to part of a vector that is loaded again
/// soon after, for which the processor would have to wait.
inline xsimd::batch<float> first_lanes(xsimd::batch<float> x, std::size_t count, float other) {
  using Batch = xsimd::batch<float>;
  alignas(64) static constexpr auto numbers = [] {
    std::array<float, Batch::size> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i);
    return all;
  }();
  return xsimd::select(Batch::load_aligned(numbers.data()) < Batch(static_cast<float>(count)), x, Batch(other));
}

/// What a softmax has seen, so far where it comes in parts: its largest entry, and the sum of exp(x - peak).
template <class T>
struct SoftmaxParts {
  T peak = -std::numeric_limits<T>::infinity(), total = 0;
};

/// exp(x - peak), for x <= peak. In float by way of 2^t, a tenth faster than exp, which takes a multiple of ln 2 off
/// its argument first. Rounding t adds as much again to the error as rounding x - peak: together 1e-7 of values near
/// the peak, and at most 4e-6 of values above exp(-64).
inline xsimd::batch<float> below_peak(xsimd::batch<float> x, xsimd::batch<float> peak) {
  return xsimd::exp2((x - peak) * std::numbers::log2e_v<float>);
}
inline double below_peak(double x, double peak) { return std::exp(x - peak); }

/// x[0..n) becomes its softmax, and x[n..padded) zeros; padded is the next multiple of the vector width, and may be
/// written to. Returns its peak and total. exp(x - peak) cannot overflow. n >= 1.
template <class T>
SoftmaxParts<T> softmax_padded(T* x, std::size_t n, std::size_t padded) {
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    constexpr std::size_t width = Batch::size;
    const auto at = [&](std::size_t i) {
      const Batch loaded = Batch::load_unaligned(x + i);
      return i + width <= n ? loaded : first_lanes(loaded, n > i ? n - i : 0, -std::numeric_limits<float>::infinity());
    };
    Batch peaks = at(0);
    for (std::size_t i = width; i < padded; i += width) peaks = xsimd::max(peaks, at(i));
    const Batch peak(largest(peaks));
    Batch total(0.f);
    for (std::size_t i = 0; i < padded; i += width) {
      const Batch e = below_peak(at(i), peak);
      e.store_unaligned(x + i);
      total += e;
    }
    const float whole = xsimd::hadd(total);
    const Batch scale(1 / whole);
    for (std::size_t i = 0; i < padded; i += width) (Batch::load_unaligned(x + i) * scale).store_unaligned(x + i);
    return {peak.get(0), whole};
  } else {
    const T peak = largest(x, n);
    T total = 0;
    for (std::size_t i = 0; i < n; ++i) total += x[i] = below_peak(x[i], peak);
    for (std::size_t i = 0; i < n; ++i) x[i] /= total;
    std::fill(x + n, x + padded, T(0));
    return {peak, total};
  }
}

/// The gradient g[0..n) of a softmax a, or of some of its entries, becomes that of its input, a (g - along), and
/// g[n..padded) zeros; along is sum_j a_j g_j over all entries. padded as in softmax_padded; a[n..padded) are zeros.
template <class T>
void softmax_gradient(const T* a, T* g, std::size_t n, std::size_t padded, T along) {
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    const Batch shift(along);
    for (std::size_t i = 0; i < padded; i += Batch::size) {
      const Batch loaded = Batch::load_unaligned(g + i);
      const Batch known = i + Batch::size <= n ? loaded : first_lanes(loaded, n > i ? n - i : 0, 0);
      (Batch::load_unaligned(a + i) * (known - shift)).store_unaligned(g + i);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) g[i] = a[i] * (g[i] - along);
    std::fill(g + n, g + padded, T(0));
  }
}

/// Scores x[0..n), all of a row or some of them, become their weights in the row's softmax, whose peak and total are
/// known, and x[n..padded) zeros. padded as in softmax_padded.
template <class T>
void softmax_again(T* x, std::size_t n, std::size_t padded, const SoftmaxParts<T>& all) {
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    const Batch peak(all.peak), scale(1 / all.total);
    for (std::size_t i = 0; i < padded; i += Batch::size) {
      const Batch e = below_peak(Batch::load_unaligned(x + i), peak) * scale;
      (i + Batch::size <= n ? e : first_lanes(e, n > i ? n - i : 0, 0)).store_unaligned(x + i);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) x[i] = below_peak(x[i], all.peak) / all.total;
    std::fill(x + n, x + padded, T(0));
  }
}

/// What the results of earlier parts of a softmax are to be multiplied with, and whether a new part adds to them.
template <class T>
struct SoftmaxStep {
  T factor;
  bool adds;
};

/// One part of a softmax: x[0..n) becomes exp(x - peak), x[n..padded) zeros, with the peak of all parts yet. Divided by
/// the total, all parts together are the softmax. padded as in softmax_padded; n >= 1.
template <class T>
SoftmaxStep<T> softmax_part(T* x, std::size_t n, std::size_t padded, SoftmaxParts<T>& parts) {
  const T top = largest(x, n), peak = std::max(parts.peak, top);
  const T factor = parts.total == 0 || parts.peak == peak ? T(1) : std::exp(parts.peak - peak);
  T sum = 0;
  if constexpr (std::is_same_v<T, float>) {
    using Batch = xsimd::batch<float>;
    Batch sums(0.f);
    const auto each = [&](auto exponential) {
      for (std::size_t i = 0; i < padded; i += Batch::size) {
        Batch e = exponential(Batch::load_unaligned(x + i));
        if (i + Batch::size > n) e = first_lanes(e, n > i ? n - i : 0, 0);
        e.store_unaligned(x + i);
        sums += e;
      }
    };
    constexpr float vanishes = -90;  // exponentials from here down are 0
    if (top - peak < vanishes)
      each([peak](Batch v) { return xsimd::select(v <= Batch(peak), Batch(0.f), v); });  // a NaN stays one
    else
      each([peak](Batch v) { return below_peak(v, Batch(peak)); });
    sum = xsimd::hadd(sums);
  } else {
    for (std::size_t i = 0; i < n; ++i) sum += x[i] = below_peak(x[i], peak);
    std::fill(x + n, x + padded, T(0));
  }
  parts = {peak, parts.total * factor + sum};
  return {factor, sum != 0};
}

}  // namespace lengthwise
