// Gradients of the fixed shards of a step, summed in shard order whoever computed them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "core/array.h"

namespace lengthwise {

/// Threads take shards and compute into a buffer of their own. A finished shard's buffer is added to the total after
/// those of all shards before it, block by block, so that merges follow each other like a pipeline: the sum is the same
/// at any thread count, and there is one buffer a thread, not one a shard.
template <class T>
class ShardSum {
 public:
  /// `size`: values of a gradient.
  explicit ShardSum(std::size_t size);

  /// Calls work(shard, gradient) for every shard, in parallel; `gradient` is zero and one row of `size` values. If one
  /// throws, the exception of the lowest such shard is rethrown and the total is void.
  void compute(std::size_t shards, const std::function<void(std::size_t, Matrix<T>)>& work);

  Matrix<T> total() { return {total_.data(), 1, total_.size(), total_.size()}; }

 private:
  using Buffer = std::vector<T, PoolAllocator<T>>;
  void merge(std::size_t shard, Buffer& buffer);

  static constexpr std::size_t block = 16384;
  Buffer total_;
  std::vector<Buffer> buffers_;                         // one a thread
  std::unique_ptr<std::atomic<std::size_t>[]> merged_;  // of each block: how many shards are in it
  std::size_t blocks_;
  std::atomic<bool> failed_{false};
};

}  // namespace lengthwise
