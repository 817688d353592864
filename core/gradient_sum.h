// Gradients of the shards of a step, summed in shard order whoever computed them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "core/parameters.h"

namespace lengthwise {

/// Threads take shards. Once a parameter's gradient from a shard is complete and those from all shards before are in
/// the total, it is added, while the shard goes on backward: the sum is the same at any thread count, and a thread
/// holds the gradients of few parameters at a time. Those of shard 0 are computed in the total itself, where the other
/// shards do not look before they are complete.
template <class T>
class GradientSum {
 public:
  /// `store`: has all its parameters.
  explicit GradientSum(ParameterStore<T>& store);
  ~GradientSum();

  /// Calls work(shard, gradients) for every shard, in parallel; `gradients` is for one tape that goes backward at most
  /// once. If one throws, the exception of the lowest such shard is rethrown and the total is void.
  void compute(std::size_t shards, const std::function<void(std::size_t, ParameterGradients<T>&)>& work);

  /// One row, laid out as the store.
  Matrix<T> total() { return {total_.data(), 1, total_.size(), total_.size()}; }

 private:
  class Shard;

  // A parameter's rows, cut into pieces that follow each other into the total like goods on a belt.
  struct Place {
    std::size_t rows_a_piece, first_piece;
    Matrix<T> total;
  };

  std::vector<Place> places_;
  std::vector<T, PoolAllocator<T>> total_;
  std::unique_ptr<std::atomic<std::size_t>[]> merged_;  // of each piece: how many shards are in it
  std::size_t pieces_ = 0;
  std::vector<std::unique_ptr<Shard>> running_;  // one a thread
  std::atomic<bool> failed_{false};
};

}  // namespace lengthwise
