#include "core/ops/rotate_by.h"

#include <cmath>

namespace lengthwise {
namespace {

// Which channels of a row pair m of the h-th turned head is made of.
struct Pairs {
  PairLayout layout;
  std::size_t head_dim, first_head, count;

  std::size_t first(std::size_t h, std::size_t m) const {
    return (first_head + h) * head_dim + (layout == PairLayout::half ? m : 2 * m);
  }
  std::size_t apart() const { return layout == PairLayout::half ? count : 1; }
};

}  // namespace

template <class T>
Variable<T> rotate_by(const Variable<T>& x, const Variable<T>& angle, PairLayout layout, std::size_t heads,
                      std::size_t first_head, std::size_t head_count) {
  const Pairs pairs{layout, x.cols() / heads, first_head, angle.cols() / head_count};
  assert(angle.rows() == x.rows() && 2 * pairs.count <= pairs.head_dim && first_head + head_count <= heads);
  const std::size_t tokens = x.rows(), apart = pairs.apart();
  Array<T> y = uninitialized<T>(tokens, x.cols());
  auto cosine = std::make_shared<Array<T>>(uninitialized<T>(tokens, angle.cols()));
  auto sine = std::make_shared<Array<T>>(uninitialized<T>(tokens, angle.cols()));
  for (std::size_t i = 0; i < tokens; ++i) {
    const T *from = x.value().row(i), *by = angle.value().row(i);
    T *to = y.row(i), *c = cosine->row(i), *s = sine->row(i);
    std::copy_n(from, x.cols(), to);
    for (std::size_t a = 0; a < angle.cols(); ++a) c[a] = std::cos(by[a]), s[a] = std::sin(by[a]);
    for (std::size_t h = 0; h < head_count; ++h)
      for (std::size_t m = 0; m < pairs.count; ++m) {
        const std::size_t one = pairs.first(h, m), other = one + apart, a = h * pairs.count + m;
        to[one] = from[one] * c[a] - from[other] * s[a];
        to[other] = from[other] * c[a] + from[one] * s[a];
      }
  }
  const Held<T> held = hold(std::move(y));
  return record<T>("rotate_by", held, {x, angle}, [=](Array<T>& gradient, Sink<T>& into) {
    const Matrix<T> angle_gradient = into.wants(1) ? into.accumulator(1) : Matrix<T>{};
    for (std::size_t i = 0; i < tokens; ++i) {
      const T *out = held->matrix.row(i), *c = cosine->row(i), *s = sine->row(i);
      T* g = gradient.row(i);
      for (std::size_t h = 0; h < head_count; ++h)
        for (std::size_t m = 0; m < pairs.count; ++m) {
          const std::size_t one = pairs.first(h, m), other = one + apart, a = h * pairs.count + m;
          const T g1 = g[one], g2 = g[other];
          if (angle_gradient.data) angle_gradient(i, a) += g2 * out[one] - g1 * out[other];
          g[one] = g1 * c[a] + g2 * s[a];
          g[other] = g2 * c[a] - g1 * s[a];
        }
    }
    into.add(0, std::move(gradient));
  });
}

#define LENGTHWISE_INSTANTIATE(T)                                                                              \
  template Variable<T> rotate_by(const Variable<T>&, const Variable<T>&, PairLayout, std::size_t, std::size_t, \
                                 std::size_t);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
