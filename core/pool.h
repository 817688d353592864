// Memory for arrays: small blocks that are freed are kept, by size, for the thread that freed them, large ones lie in
// the arena of the thread that made them. After the first steps of a training no array costs a call to the system.
#pragma once

#include <cstddef>
#include <new>

namespace lengthwise {

void* pool_allocate(std::size_t bytes);
void pool_release(void* block, std::size_t bytes) noexcept;

/// Gives the calling thread's unused memory back to the system (before and after work of another shape).
void pool_trim() noexcept;

/// Bytes of blocks above 16 KiB that the calling thread made: now, and the most since pool_trim.
struct PoolUse {
  std::size_t in_use = 0, most = 0;
};
PoolUse pool_use();

template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(pool_allocate(n * sizeof(T))); }
  void deallocate(T* block, std::size_t n) noexcept { pool_release(block, n * sizeof(T)); }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) { return true; }
};

}  // namespace lengthwise
