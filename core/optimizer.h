// AdamW on the flat buffer of a ParameterStore, gradient clipping, and learning-rate schedules.
#pragma once

#include <string>

#include "core/parameters.h"

namespace lengthwise {

struct AdamWSettings {
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;
  double weight_decay = 0.1;
  bool decay_all = false;  // every parameter alike, not only the matrices of linear layers
  double clip = 1;         // largest global norm of the gradient; 0 clips nothing
};

/// Adam with decoupled weight decay (Loshchilov, Hutter 2019, arXiv:1711.05101, algorithm 2):
///   p *= 1 - rate decay;  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;
///   p -= rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
template <class T>
class AdamW {
 public:
  AdamW(ParameterStore<T>& store, const AdamWSettings& settings);

  /// One update with gradient * factor, clipped. `gradient` is one row in the store's layout. Returns the norm before
  /// clipping, accumulated in double. Throws RunError naming the first parameter whose gradient is not finite, before
  /// anything is changed.
  double update(Matrix<const T> gradient, double factor, double rate);

  std::uint64_t steps() const { return steps_; }
  /// First and second moments, one row each in the store's layout: what a checkpoint holds besides the parameters.
  Matrix<T> first_moment() { return {first_.data(), 1, first_.size(), first_.size()}; }
  Matrix<T> second_moment() { return {second_.data(), 1, second_.size(), second_.size()}; }
  void restore_steps(std::uint64_t steps) { steps_ = steps; }

 private:
  ParameterStore<T>& store_;
  AdamWSettings settings_;
  std::vector<T, PoolAllocator<T>> first_, second_;
  std::uint64_t steps_ = 0;
};

struct Schedule {
  enum class Kind { constant, linear, cosine } kind = Kind::cosine;
  double peak = 1e-3;
  std::size_t warmup = 0, total = 0;  // steps
  double final_share = 0;             // of the peak, at `total` and after it
};

/// The rate of step `step` (0-based): (step + 1) / warmup of the peak during warmup, then from the peak at `warmup` to
/// the final share at `total`, where it stays.
double learning_rate(const Schedule& schedule, std::size_t step);

}  // namespace lengthwise
