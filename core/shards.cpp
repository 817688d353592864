#include "core/shards.h"

#include <sched.h>

#include "core/parallel.h"

namespace lengthwise {

template <class T>
ShardSum<T>::ShardSum(std::size_t size) : total_(size, T(0)), blocks_((size + block - 1) / block) {
  merged_ = std::make_unique<std::atomic<std::size_t>[]>(blocks_);
}

template <class T>
void ShardSum<T>::compute(std::size_t shards, const std::function<void(std::size_t, Matrix<T>)>& work) {
  failed_ = false;
  for (std::size_t b = 0; b < blocks_; ++b) merged_[b].store(0, std::memory_order_relaxed);
  if (buffers_.size() < threads()) buffers_.resize(threads());
  parallel_for(shards, [&](std::size_t shard) {
    Buffer& buffer = buffers_[static_cast<std::size_t>(omp_get_thread_num())];
    if (buffer.size() != total_.size()) buffer.assign(total_.size(), T(0));
    try {
      work(shard, {buffer.data(), 1, buffer.size(), buffer.size()});
      merge(shard, buffer);
    } catch (...) {
      failed_ = true;  // whoever waits for this shard gives up
      std::fill(buffer.begin(), buffer.end(), T(0));
      throw;
    }
  });
}

template <class T>
void ShardSum<T>::merge(std::size_t shard, Buffer& buffer) {
  for (std::size_t b = 0; b < blocks_; ++b) {
    for (std::size_t spins = 0; merged_[b].load(std::memory_order_acquire) != shard; ++spins) {
      if (failed_.load(std::memory_order_relaxed)) break;
      if (spins > 64) sched_yield();
    }
    const std::size_t end = std::min(total_.size(), (b + 1) * block);
    T *to = total_.data(), *from = buffer.data();
    if (shard == 0) {
      std::copy(from + b * block, from + end, to + b * block);
    } else {
#pragma omp simd
      for (std::size_t i = b * block; i < end; ++i) to[i] += from[i];
    }
    std::fill(from + b * block, from + end, T(0));
    merged_[b].store(shard + 1, std::memory_order_release);
  }
}

template class ShardSum<float>;
template class ShardSum<double>;

}  // namespace lengthwise
