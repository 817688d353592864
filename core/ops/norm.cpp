#include "core/ops/norm.h"

#include "core/simd.h"

namespace lengthwise {
namespace {

// Both norms are x -> (x - shift) * factor per piece of a row, then a gain; they share the backward pass. With h the
// normalised piece and g = dy * gain: dx = factor * (g - [mean(g)] - h * mean(g h)), where layer norm alone has the
// bracket.
template <class T>
struct Pieces {
  Array<T> shift, factor;  // one value a piece
};

template <class T>
Variable<T> normalize(const char* name, const Variable<T>& x, const Variable<T>& gain, const Variable<T>& bias,
                      T epsilon, bool centred) {
  const std::size_t width = gain.cols(), a_row = x.cols() / width, count = x.rows() * a_row;
  assert(x.cols() == a_row * width && (!bias || bias.cols() == width));
  Array<T> y = uninitialized<T>(x.rows(), x.cols());
  auto pieces = std::make_shared<Pieces<T>>(Pieces<T>{uninitialized<T>(1, count), uninitialized<T>(1, count)});
  const T* w = gain.value().data;
  const T* b = bias ? bias.value().data : nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const T* in = x.value().row(i / a_row) + i % a_row * width;
    T* out = y.row(i / a_row) + i % a_row * width;
    const T shift = centred ? sum(in, width) / T(width) : T(0);
    const auto squared = [shift](auto v) { return (v - decltype(v)(shift)) * (v - decltype(v)(shift)); };
    const T square = sum_of<T>(width, squared, in);
    const T factor = 1 / std::sqrt(square / T(width) + epsilon);
#pragma omp simd
    for (std::size_t j = 0; j < width; ++j) out[j] = (in[j] - shift) * factor * w[j] + (b ? b[j] : T(0));
    pieces->shift(0, i) = shift;
    pieces->factor(0, i) = factor;
  }
  std::vector<Variable<T>> parents{x, gain};
  if (bias) parents.push_back(bias);
  return record<T>(
      name, std::move(y), std::move(parents), [x, gain, pieces, centred](Array<T>& gradient, Sink<T>& into) {
        const std::size_t columns = gain.cols(), in_row = x.cols() / columns;
        const T* gain_row = gain.value().data;
        const auto to = into.wants(0) ? into.target(0) : GradientTarget<T>{};
        Array<T> rows = zeros<T>(3, columns);  // of one piece, and where a gradient goes that nobody wants
        T* h = rows.row(0);
        T* d_gain = into.wants(1) ? into.accumulator(1).data : rows.row(1);
        T* d_bias = into.size() == 3 && into.wants(2) ? into.accumulator(2).data : rows.row(2);
        for (std::size_t i = 0; i < x.rows() * in_row; ++i) {
          const std::size_t row = i / in_row, first = i % in_row * columns;
          const T* in = x.value().row(row) + first;
          T* g = gradient.row(row) + first;
          const T shift = pieces->shift(0, i), factor = pieces->factor(0, i);
#pragma omp simd
          for (std::size_t j = 0; j < columns; ++j) {
            h[j] = (in[j] - shift) * factor;
            d_bias[j] += g[j];
            d_gain[j] += g[j] * h[j];
            g[j] *= gain_row[j];
          }
          if (!to.matrix.data) continue;
          const T mean = centred ? sum(g, columns) / T(columns) : T(0), along = dot(g, h, columns) / T(columns);
          T* dx = to.matrix.row(row) + first;
          if (to.beta == 0)
#pragma omp simd
            for (std::size_t j = 0; j < columns; ++j) dx[j] = factor * (g[j] - mean - h[j] * along);
          else
#pragma omp simd
            for (std::size_t j = 0; j < columns; ++j) dx[j] += factor * (g[j] - mean - h[j] * along);
        }
      });
}

}  // namespace

template <class T>
Variable<T> layer_norm(const Variable<T>& x, const Variable<T>& gain, const Variable<T>& bias, T epsilon) {
  return normalize("layer_norm", x, gain, bias, epsilon, true);
}

template <class T>
Variable<T> rms_norm(const Variable<T>& x, const Variable<T>& gain, T epsilon) {
  return normalize("rms_norm", x, gain, Variable<T>(), epsilon, false);
}

#define LENGTHWISE_INSTANTIATE(T)                                                                 \
  template Variable<T> layer_norm(const Variable<T>&, const Variable<T>&, const Variable<T>&, T); \
  template Variable<T> rms_norm(const Variable<T>&, const Variable<T>&, T);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
