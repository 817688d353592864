// Reverse-mode differentiation on a tape.
//
// A Variable is a value and, while a Tape records on this thread, a node that knows how to pass a gradient on. Values
// live as long as somebody needs them: without a tape, intermediate results are freed as the computation leaves them
// behind. Gradients belong to the tape, and parameter gradients to a buffer that the tape is given, so that several
// threads can differentiate with respect to the same parameters at once.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/array.h"

namespace lengthwise {

/// A matrix and whatever keeps its memory alive.
template <class T>
struct Value {
  Array<T> owned;
  std::shared_ptr<const Value> base;  // the owner, for a view of another value
  Matrix<const T> matrix;
  Matrix<const T> transposed;  // of a weight, while TransposedWeights live
};

template <class T>
using Held = std::shared_ptr<const Value<T>>;

template <class T>
Held<T> hold(Array<T> array) {
  auto value = std::make_shared<Value<T>>();
  value->owned = std::move(array);
  value->matrix = view(std::as_const(value->owned));
  return value;
}

template <class T>
class Sink;

/// Receives the gradient of a node's value, which it may move from, and hands the parents theirs.
template <class T>
using Backward = std::function<void(Array<T>& gradient, Sink<T>& parents)>;

template <class T>
struct Node {
  const char* name = "";
  std::vector<std::shared_ptr<Node>> parents;
  Backward<T> backward;  // empty for leaves
  std::size_t rows = 0, cols = 0;
  Array<T> gradient;
  bool has_gradient = false;
  // Parameters leave their gradient where the tape is told to; views in their owner's gradient.
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t parameter = none, parameter_offset = 0;  // number and place in the store
  std::shared_ptr<Node> view_of;
  std::size_t first_column = 0;
};

template <class T>
class Variable {
 public:
  Variable() = default;
  Variable(Held<T> value, std::shared_ptr<Node<T>> node) : value_(std::move(value)), node_(std::move(node)) {}

  Matrix<const T> value() const { return value_->matrix; }
  /// The value transposed, or a null pointer where that is not at hand.
  Matrix<const T> transposed() const { return value_->transposed; }
  std::size_t rows() const { return value_->matrix.rows; }
  std::size_t cols() const { return value_->matrix.cols; }
  explicit operator bool() const { return value_ != nullptr; }

  /// The value without the node: what a backward function keeps of its own output, which would otherwise own itself.
  const Held<T>& held() const { return value_; }
  const std::shared_ptr<Node<T>>& node() const { return node_; }

  /// Of a leaf, after Tape::backward. Zeros where nothing arrived.
  Array<T> gradient() const;

 private:
  Held<T> value_;
  std::shared_ptr<Node<T>> node_;  // null for constants
};

/// Memory for a gradient and what to multiply its content with before adding: 0 the first time (it is uninitialised
/// then), 1 afterwards. Whoever asked for it writes all of it.
template <class T>
struct GradientTarget {
  Matrix<T> matrix;
  T beta = 0;
};

/// Takes the gradients of parameters that a tape comes upon.
template <class T>
class ParameterGradients {
 public:
  virtual ~ParameterGradients() = default;
  virtual GradientTarget<T> target(const Node<T>& parameter) = 0;
  /// The tape that goes backward holds nothing more for the parameter of this number.
  virtual void complete(std::size_t parameter) = 0;
};

/// One row, laid out as the ParameterStore, that gradients are added to.
template <class T>
class GradientRow final : public ParameterGradients<T> {
 public:
  explicit GradientRow(Matrix<T> row) : row_(row) {}
  GradientTarget<T> target(const Node<T>& parameter) override;
  void complete(std::size_t) override {}

 private:
  Matrix<T> row_;
};

/// Where a backward function leaves the gradients of the parents it was recorded with.
template <class T>
class Sink {
 public:
  Sink(Node<T>& node, ParameterGradients<T>& parameters) : node_(node), parameters_(parameters) {}

  std::size_t size() const { return node_.parents.size(); }
  bool wants(std::size_t parent) const { return node_.parents[parent] != nullptr; }

  /// Memory of the parent's shape.
  GradientTarget<T> target(std::size_t parent);
  /// The same, for callers that add to parts of it: zeros the first time.
  Matrix<T> accumulator(std::size_t parent);

  void add(std::size_t parent, Array<T>&& gradient);
  void add(std::size_t parent, Matrix<const T> gradient);

 private:
  Node<T>& node_;
  ParameterGradients<T>& parameters_;
};

/// Records the operations of the calling thread while it lives. Tapes do not nest.
template <class T>
class Tape {
 public:
  /// `parameter_gradients`: one row, laid out as the ParameterStore; backward adds to it. Empty when nothing is
  /// learned.
  explicit Tape(Matrix<T> parameter_gradients = {});
  explicit Tape(ParameterGradients<T>& parameter_gradients);
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  static Tape* current();

  /// d loss / d everything recorded, times `seed`. The loss is [1, 1]. Empties the tape, freeing values on the way.
  void backward(const Variable<T>& loss, T seed = 1);
  /// The same from a given gradient of `output`.
  void backward(const Variable<T>& output, Array<T> gradient);

  void push(std::shared_ptr<Node<T>> node);
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<std::shared_ptr<Node<T>>> nodes_;
  std::vector<std::size_t> uses_;  // of each parameter, by the nodes
  GradientRow<T> row_;
  ParameterGradients<T>& parameters_;

  Tape(Matrix<T> row, ParameterGradients<T>* given);
};

/// A value that nothing is learned from.
template <class T>
Variable<T> constant(Array<T> array) {
  return {hold(std::move(array)), nullptr};
}

/// An input whose gradient is wanted (checks, tests).
template <class T>
Variable<T> leaf(Array<T> array);

/// The result of an operation. `backward` is dropped where no parent wants a gradient or no tape records.
template <class T>
Variable<T> record(const char* name, Held<T> value, std::vector<Variable<T>> parents, Backward<T> backward);
template <class T>
Variable<T> record(const char* name, Array<T> value, std::vector<Variable<T>> parents, Backward<T> backward) {
  return record(name, hold(std::move(value)), std::move(parents), std::move(backward));
}

/// Columns first .. first+count-1 of x, without a copy. [rows, cols] -> [rows, count].
template <class T>
Variable<T> columns(const Variable<T>& x, std::size_t first, std::size_t count);

}  // namespace lengthwise
