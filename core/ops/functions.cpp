#include "core/ops/functions.h"

#include "core/ops/elementwise.h"

namespace lengthwise {

template <class T>
Variable<T> exp(const Variable<T>& x) {
  const auto value = [](auto v) { return lanes::exp(v); };
  return elementwise("exp", x, value, value);
}

template <class T>
Variable<T> log1p(const Variable<T>& x) {
  return elementwise(
      "log1p", x, [](auto v) { return lanes::log1p(v); },
      [](auto v) {
        using V = decltype(v);
        return number<V>(1) / (number<V>(1) + v);
      });
}

template <class T>
Variable<T> abs(const Variable<T>& x) {
  return elementwise(
      "abs", x, [](auto v) { return lanes::abs(v); },
      [](auto v) {
        using V = decltype(v);
        const V past_zero = lanes::select(v > number<V>(0), number<V>(1), number<V>(0));
        return V(lanes::select(v < number<V>(0), number<V>(-1), past_zero));
      });
}

template <class T>
Variable<T> sigmoid(const Variable<T>& x) {
  const auto value = [](auto v) {
    using V = decltype(v);
    return number<V>(1) / (number<V>(1) + lanes::exp(-v));
  };
  return elementwise("sigmoid", x, value, [value](auto v) {
    const auto s = value(v);
    return s * (number<decltype(v)>(1) - s);
  });
}

#define LENGTHWISE_INSTANTIATE(T)                 \
  template Variable<T> exp(const Variable<T>&);   \
  template Variable<T> log1p(const Variable<T>&); \
  template Variable<T> abs(const Variable<T>&);   \
  template Variable<T> sigmoid(const Variable<T>&);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
