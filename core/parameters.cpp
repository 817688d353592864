#include "core/parameters.h"

#include <stdexcept>

#include "core/error.h"
#include "core/parallel.h"
#include "core/transpose.h"

namespace lengthwise {
namespace {

template <class Draw>
Initializer initial_each(Draw draw) {
  return [draw](Rng& rng, Matrix<double> values) {
    for (std::size_t i = 0; i < values.rows; ++i)
      for (std::size_t j = 0; j < values.cols; ++j) values(i, j) = draw(rng);
  };
}

}  // namespace

Initializer initial_value(double value) {
  return initial_each([value](Rng&) { return value; });
}
Initializer initial_normal(double deviation) {
  return initial_each([deviation](Rng& rng) { return deviation * rng.normal(); });
}
Initializer initial_uniform(double low, double high) {
  return initial_each([low, high](Rng& rng) { return rng.uniform(low, high); });
}

template <class T>
Parameter<T> ParameterStore<T>::create(const std::string& name, std::size_t rows, std::size_t cols,
                                       const Initializer& init, Decay decay) {
  if (find(name)) throw std::logic_error("parameter " + name + " exists already");
  constexpr std::size_t line = 64 / sizeof(T);
  const std::size_t stride = row_stride<T>(rows, cols);
  list_.push_back({name, rows, cols, flat_.size(), stride, decay});
  flat_.resize(flat_.size() + (rows * stride + line - 1) / line * line, T(0));
  Array<double> drawn = uninitialized<double>(rows, cols);  // in double, so that float and double models start alike
  Rng rng = rng_.at(name);
  init(rng, view(drawn));
  const Matrix<T> to = values(list_.back());
  for (std::size_t i = 0; i < rows; ++i) std::copy_n(drawn.row(i), cols, to.row(i));
  return {this, list_.size() - 1};
}

template <class T>
Parameter<T> ParameterStore<T>::shared(const std::string& name, std::size_t rows, std::size_t cols,
                                       const Initializer& init, Decay decay) {
  const ParameterInfo* known = find(name);
  if (!known) return create(name, rows, cols, init, decay);
  if (known->rows != rows || known->cols != cols)
    throw std::logic_error(
        join("parameter ", name, " is ", known->rows, " x ", known->cols, ", not ", rows, " x ", cols));
  return {this, static_cast<std::size_t>(known - list_.data())};
}

template <class T>
Parameter<T> ParameterStore<T>::table(const std::string& name, std::size_t rows, std::size_t cols,
                                      const Initializer& init) {
  const Parameter<T> made = shared(name, rows, cols, init);
  list_[made.index_].table = true;
  return made;
}

template <class T>
const ParameterInfo* ParameterStore<T>::find(const std::string& name) const {
  for (const auto& info : list_)
    if (info.name == name) return &info;
  return nullptr;
}

template <class T>
std::size_t ParameterStore<T>::count() const {
  std::size_t sum = 0;
  for (const auto& info : list_) sum += info.size();
  return sum;
}

template <class T>
const ParameterInfo& Parameter<T>::info() const {
  return store_->list_[index_];
}
template <class T>
Matrix<T> Parameter<T>::values() const {
  return store_->values(info());
}

template <class T>
Variable<T> Parameter<T>::variable() const {
  auto value = std::make_shared<Value<T>>();
  value->matrix = values();
  if (!store_->transposed_.empty()) value->transposed = store_->transposed_[index_];
  std::shared_ptr<Node<T>> node;
  if (Tape<T>::current()) {
    node = std::make_shared<Node<T>>();
    node->name = "parameter";
    node->rows = info().rows, node->cols = info().cols;
    node->parameter = index_, node->parameter_offset = info().offset;
  }
  return {std::move(value), std::move(node)};
}

template <class T>
TransposedWeights<T>::TransposedWeights(ParameterStore<T>& store) {
  if constexpr (std::is_same_v<T, float>) {
    if (!store.transposed_.empty()) return;
    store_ = &store;
    struct Weight {
      std::size_t index, offset;
    };
    std::vector<Weight> weights;
    std::size_t size = 0;
    // A vector more a row: rows that lie a power of two apart would share few places of a cache.
    const auto stride = [](std::size_t rows) { return (rows + square - 1) / square * square + square; };
    for (std::size_t p = 0; p < store.list_.size(); ++p) {
      if (store.list_[p].decay != Decay::weights) continue;
      weights.push_back({p, size});
      size += store.list_[p].cols * stride(store.list_[p].rows);
    }
    values_ = uninitialized<T>(1, size);
    store.transposed_.resize(store.list_.size());
    parallel_for(weights.size(), [&](std::size_t w) {
      const Matrix<const T> from = store.values(store.list_[weights[w].index]);
      const Matrix<T> to{values_.row(0) + weights[w].offset, from.cols, from.rows, stride(from.rows)};
      transpose(from, to);
      store.transposed_[weights[w].index] = to;
    });
  }
}

template <class T>
TransposedWeights<T>::~TransposedWeights() {
  if (store_) store_->transposed_.clear();
}

template class TransposedWeights<float>;
template class TransposedWeights<double>;
template class Parameter<float>;
template class Parameter<double>;
template class ParameterStore<float>;
template class ParameterStore<double>;

}  // namespace lengthwise
