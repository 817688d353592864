// Memory for arrays: freed blocks are kept, by size, for the thread that freed them. A training step allocates the same
// sizes again and again, so that after the first steps no array costs a call to the system.
#pragma once

#include <cstddef>
#include <new>

namespace lengthwise {

void* pool_allocate(std::size_t bytes);
void pool_release(void* block, std::size_t bytes) noexcept;

/// Gives the calling thread's kept blocks back to the system (before and after work of another shape).
void pool_trim() noexcept;

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
