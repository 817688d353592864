#include "core/variable.h"

#include <stdexcept>

namespace lengthwise {
namespace {

template <class T>
thread_local Tape<T>* current_tape = nullptr;

template <class T>
Matrix<T> zeroed_gradient(Node<T>& node) {
  if (!node.has_gradient) {
    node.gradient = zeros<T>(node.rows, node.cols);
    node.has_gradient = true;
  }
  return view(node.gradient);
}

}  // namespace

template <class T>
Tape<T>* Tape<T>::current() {
  return current_tape<T>;
}

template <class T>
Tape<T>::Tape(Matrix<T> parameter_gradients) : Tape(parameter_gradients, nullptr) {}

template <class T>
Tape<T>::Tape(ParameterGradients<T>& parameter_gradients) : Tape({}, &parameter_gradients) {}

template <class T>
Tape<T>::Tape(Matrix<T> row, ParameterGradients<T>* given) : row_(row), parameters_(given ? *given : row_) {
  if (current_tape<T>) throw std::logic_error("a tape records on this thread already");
  current_tape<T> = this;
}

template <class T>
Tape<T>::~Tape() {
  current_tape<T> = nullptr;
}

template <class T>
void Tape<T>::push(std::shared_ptr<Node<T>> node) {
  for (const auto& parent : node->parents) {
    if (!parent || parent->parameter == Node<T>::none) continue;
    if (uses_.size() <= parent->parameter) uses_.resize(parent->parameter + 1, 0);
    ++uses_[parent->parameter];
  }
  nodes_.push_back(std::move(node));
}

template <class T>
void Tape<T>::backward(const Variable<T>& loss, T seed) {
  assert(loss.rows() == 1 && loss.cols() == 1);
  Array<T> gradient = uninitialized<T>(1, 1);
  gradient(0, 0) = seed;
  backward(loss, std::move(gradient));
}

template <class T>
void Tape<T>::backward(const Variable<T>& output, Array<T> gradient) {
  if (!output.node()) throw std::logic_error("backward: nothing that wants a gradient led to this value");
  Node<T> above;  // a sink knows where the gradients of views and parameters go
  above.parents = {output.node()};
  Sink<T>(above, parameters_).add(0, std::move(gradient));
  while (!nodes_.empty()) {
    const std::shared_ptr<Node<T>> node = std::move(nodes_.back());
    nodes_.pop_back();
    if (node->backward && node->has_gradient) {
      Sink<T> sink(*node, parameters_);
      node->backward(node->gradient, sink);
    }
    node->backward = nullptr;  // frees the values it kept
    for (const auto& parent : node->parents)
      if (parent && parent->parameter != Node<T>::none && --uses_[parent->parameter] == 0)
        parameters_.complete(parent->parameter);
    node->parents.clear();
    node->gradient = Array<T>();
    node->has_gradient = false;
  }
}

template <class T>
GradientTarget<T> GradientRow<T>::target(const Node<T>& p) {
  const Matrix<T> at{row_.data + p.parameter_offset, p.rows, p.cols, row_stride<T>(p.rows, p.cols)};
  assert(p.parameter_offset + p.rows * at.stride <= row_.cols);  // a tape without its buffer
  return {at, T(1)};
}

template <class T>
GradientTarget<T> Sink<T>::target(std::size_t parent) {
  Node<T>& node = *node_.parents[parent];
  if (node.parameter != Node<T>::none) return parameters_.target(node);
  if (node.view_of) return {zeroed_gradient(*node.view_of).block_cols(node.first_column, node.cols), T(1)};
  const bool first = !node.has_gradient;
  if (first) {
    node.gradient = uninitialized<T>(node.rows, node.cols);
    node.has_gradient = true;
  }
  return {view(node.gradient), first ? T(0) : T(1)};
}

template <class T>
Matrix<T> Sink<T>::accumulator(std::size_t parent) {
  const GradientTarget<T> to = target(parent);
  if (to.beta == 0) fill(to.matrix, T(0));
  return to.matrix;
}

template <class T>
void Sink<T>::add(std::size_t parent, Array<T>&& gradient) {
  if (!wants(parent)) return;
  Node<T>& node = *node_.parents[parent];
  if (!node.has_gradient && !node.view_of && node.parameter == Node<T>::none) {
    node.gradient = std::move(gradient);
    node.has_gradient = true;
    return;
  }
  add(parent, view(std::as_const(gradient)));
}

template <class T>
void Sink<T>::add(std::size_t parent, Matrix<const T> gradient) {
  if (!wants(parent)) return;
  const GradientTarget<T> to = target(parent);
  if (to.beta == 0) {
    copy(gradient, to.matrix);
  } else {
    accumulate(gradient, to.matrix);
  }
}

template <class T>
Array<T> Variable<T>::gradient() const {
  if (!node_) throw std::logic_error("a constant has no gradient");
  return node_->has_gradient ? node_->gradient : zeros<T>(node_->rows, node_->cols);
}

template <class T>
Variable<T> leaf(Array<T> array) {
  auto node = std::make_shared<Node<T>>();
  node->name = "leaf";
  node->rows = array.rows(), node->cols = array.cols();
  return {hold(std::move(array)), std::move(node)};
}

template <class T>
Variable<T> record(const char* name, Held<T> value, std::vector<Variable<T>> parents, Backward<T> backward) {
  Tape<T>* tape = Tape<T>::current();
  const bool wanted =
      tape && std::any_of(parents.begin(), parents.end(), [](const auto& p) { return p.node() != nullptr; });
  if (!wanted) return {std::move(value), nullptr};
  auto node = std::make_shared<Node<T>>();
  node->name = name;
  node->rows = value->matrix.rows, node->cols = value->matrix.cols;
  node->parents.reserve(parents.size());
  for (const auto& parent : parents) node->parents.push_back(parent.node());
  node->backward = std::move(backward);
  tape->push(node);
  return {std::move(value), std::move(node)};
}

template <class T>
Variable<T> columns(const Variable<T>& x, std::size_t first, std::size_t count) {
  auto value = std::make_shared<Value<T>>();
  value->base = x.held();
  value->matrix = x.value().block_cols(first, count);
  std::shared_ptr<Node<T>> node;
  if (x.node()) {
    if (x.node()->view_of || x.node()->parameter != Node<T>::none)
      throw std::logic_error("columns: a view of a view or of a parameter");
    node = std::make_shared<Node<T>>();
    node->name = "columns";
    node->rows = x.rows(), node->cols = count;
    node->view_of = x.node();
    node->first_column = first;
  }
  return {std::move(value), std::move(node)};
}

#define LENGTHWISE_INSTANTIATE(T)                                                           \
  template class GradientRow<T>;                                                            \
  template class Tape<T>;                                                                   \
  template class Sink<T>;                                                                   \
  template Array<T> Variable<T>::gradient() const;                                          \
  template Variable<T> leaf(Array<T>);                                                      \
  template Variable<T> record(const char*, Held<T>, std::vector<Variable<T>>, Backward<T>); \
  template Variable<T> columns(const Variable<T>&, std::size_t, std::size_t);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
