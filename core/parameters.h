// Everything that is learned, by name, in one flat buffer; gradients and optimizer moments share its layout.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/variable.h"

namespace lengthwise {

/// Which parameters weight decay reaches: by default only the matrices of linear layers.
enum class Decay { no, weights };

/// Fills a new parameter. The stream is keyed by the parameter's name, so that models which share a name start alike
/// there.
using Initializer = std::function<void(Rng&, Matrix<double>)>;

Initializer initial_value(double value);
Initializer initial_normal(double deviation);
Initializer initial_uniform(double low, double high);

struct ParameterInfo {
  std::string name;
  std::size_t rows = 0, cols = 0;
  std::size_t offset = 0;  // in the flat buffer; multiples of 64 bytes
  std::size_t stride = 0;  // of its rows there, as those of an Array
  Decay decay = Decay::no;
  bool table = false;  // looked up: training may never reach some of its entries

  std::size_t size() const { return rows * cols; }
  /// Its part of a flat buffer.
  template <class T>
  Matrix<T> in(T* flat) const {
    return {flat + offset, rows, cols, stride};
  }
};

template <class T>
class ParameterStore;
template <class T>
class TransposedWeights;

/// A handle; cheap to copy, valid as long as its store.
template <class T>
class Parameter {
 public:
  Parameter() = default;
  Parameter(ParameterStore<T>* store, std::size_t index) : store_(store), index_(index) {}
  explicit operator bool() const { return store_ != nullptr; }
  /// As an input of operations. Its gradient goes to the buffer of the tape that records.
  Variable<T> variable() const;
  Matrix<T> values() const;
  const ParameterInfo& info() const;

 private:
  ParameterStore<T>* store_ = nullptr;
  std::size_t index_ = 0;
  friend class ParameterStore<T>;
};

template <class T>
class ParameterStore {
 public:
  explicit ParameterStore(std::uint64_t seed) : rng_(Rng(seed).at("parameters")) {}
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  /// A new parameter [rows, cols]; the name must be free.
  Parameter<T> create(const std::string& name, std::size_t rows, std::size_t cols, const Initializer&,
                      Decay = Decay::no);
  /// The parameter of that name, made at its first mention: a table that several layers share.
  Parameter<T> shared(const std::string& name, std::size_t rows, std::size_t cols, const Initializer&,
                      Decay = Decay::no);
  /// The same, for a table of which a sequence reads some entries: evaluations tell when they read one that training
  /// never reached.
  Parameter<T> table(const std::string& name, std::size_t rows, std::size_t cols, const Initializer&);

  const std::vector<ParameterInfo>& list() const { return list_; }
  const ParameterInfo* find(const std::string& name) const;
  Matrix<T> values(const ParameterInfo& info) { return info.in(flat_.data()); }
  /// All values in one row, padding (zeros) included.
  Matrix<T> flat() { return {flat_.data(), 1, flat_.size(), flat_.size()}; }
  /// Learned numbers, without padding.
  std::size_t count() const;

 private:
  Rng rng_;
  std::vector<ParameterInfo> list_;
  std::vector<T, PoolAllocator<T>> flat_;
  std::vector<Matrix<const T>> transposed_;  // by parameter; empty without TransposedWeights
  friend class Parameter<T>;
  friend class TransposedWeights<T>;
};

/// While it lives, the weights of linear layers (those that decay) are at hand transposed, so that a product does not
/// turn them anew: it takes a fifth to a half less time. They must not change meanwhile. Within another's life it does
/// nothing. In double, where products are plain loops, it never does.
template <class T>
class TransposedWeights {
 public:
  explicit TransposedWeights(ParameterStore<T>& store);
  ~TransposedWeights();
  TransposedWeights(const TransposedWeights&) = delete;
  TransposedWeights& operator=(const TransposedWeights&) = delete;

 private:
  ParameterStore<T>* store_ = nullptr;  // null within another's life
  Array<T> values_;
};

}  // namespace lengthwise
