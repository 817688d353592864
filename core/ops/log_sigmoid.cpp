#include "core/ops/log_sigmoid.h"

#include "core/simd.h"

namespace lengthwise {

template <class T>
Variable<T> log_sigmoid(const Variable<T>& x) {
  Array<T> y = uninitialized<T>(x.rows(), x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    map(
        x.cols(), y.row(i),
        [](auto v) {
          using V = decltype(v);
          const V size = lanes::abs(v);
          return (v - size) * V(0.5) - lanes::log1p(lanes::exp(-size));
        },
        x.value().row(i));
  return record<T>("log_sigmoid", std::move(y), {x}, [x](Array<T>& gradient, Sink<T>& into) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      T* g = gradient.row(i);
      map(
          x.cols(), g,
          [](auto dy, auto v) {
            using V = decltype(v);
            return dy / (V(1) + lanes::exp(v));
          },
          g, x.value().row(i));
    }
    into.add(0, std::move(gradient));
  });
}

template Variable<float> log_sigmoid(const Variable<float>&);
template Variable<double> log_sigmoid(const Variable<double>&);

}  // namespace lengthwise
