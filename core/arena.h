// Large blocks of memory out of regions that lie in huge pages.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace lengthwise {

/// One thread's large blocks. A block is cut from the first free place that it fits into, and places that are freed
/// grow together again: what batches of many sizes need one after another is little more than the largest of them. A
/// product that walks down a matrix touches a page a row, hence the huge pages, where the system has them.
class Arena {
 public:
  Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// At a multiple of 64 bytes. Throws std::bad_alloc.
  void* allocate(std::size_t bytes);
  /// For a block of any arena, from any thread; `mine`: the calling thread's own arena, or null.
  static void release(void* block, Arena* mine) noexcept;

  /// Gives regions without a block back to the system.
  void trim() noexcept;

  std::size_t in_use() const { return in_use_; }
  /// The largest in_use() since the last trim().
  std::size_t most_in_use() const { return most_; }

 private:
  struct Header;
  struct Region;

  Region& add_region(std::size_t bytes);
  void release_regions() noexcept;
  void put_back(Header* block) noexcept;
  void take_returned() noexcept;

  std::vector<std::unique_ptr<Region>> regions_;  // the oldest first: what few blocks there are lie close together
  std::size_t in_use_ = 0, most_ = 0;
  std::atomic<Header*> returned_{nullptr};  // by other threads
};

}  // namespace lengthwise
