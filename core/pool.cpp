#include "core/pool.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <vector>

namespace lengthwise {
namespace {

// Size classes, eight an octave: at most an eighth of a block is unused.
constexpr std::size_t line = 64;
constexpr std::size_t classes = 8 * 56;

constexpr std::size_t size_class(std::size_t bytes) {
  if (bytes <= 8 * line) return bytes == 0 ? 0 : (bytes - 1) / line;
  const std::size_t octave = std::bit_width(bytes - 1) - 1;  // 2^octave < bytes <= 2^(octave + 1)
  return 8 * (octave - 8) + ((bytes - 1) >> (octave - 3)) - 8;
}
std::size_t class_bytes(std::size_t index) {
  if (index < 8) return line * (index + 1);
  return (index % 8 + 9) << (index / 8 + 5);
}

// Large blocks lie in huge pages, where the system has them: a product that walks down a matrix touches a page a row.
constexpr std::size_t huge_page = std::size_t{1} << 21;

std::align_val_t alignment(std::size_t index) {
  return std::align_val_t(class_bytes(index) >= huge_page ? huge_page : line);
}
// For `wanted` bytes; only what they fill is asked to be huge, so that no memory is taken without use.
void* new_block(std::size_t index, std::size_t wanted) {
  void* block = ::operator new(class_bytes(index), alignment(index));
  if (class_bytes(index) >= huge_page) madvise(block, wanted / huge_page * huge_page, MADV_HUGEPAGE);
  return block;
}
void delete_block(void* block, std::size_t index) noexcept { ::operator delete(block, alignment(index)); }

// From 32 MiB on, clearing a new block is nothing beside the work on what it holds.
constexpr std::size_t very_large = size_class(std::size_t{1} << 25);

struct Pool {
  std::array<std::vector<void*>, classes> kept;
  ~Pool() { release(); }
  void release(std::size_t first = 0) {
    for (std::size_t index = first; index < classes; ++index) {
      for (void* block : kept[index]) delete_block(block, index);
      kept[index].clear();
    }
  }
};

// Trivially destructible, so it can still be read when other thread-local objects are torn down after the pool.
thread_local bool pool_gone = false;
struct Guarded {
  Pool pool;
  ~Guarded() { pool_gone = true; }
};
thread_local Guarded guarded;

}  // namespace

void* pool_allocate(std::size_t bytes) {
  const std::size_t index = size_class(bytes);
  if (!pool_gone) {
    auto& blocks = guarded.pool.kept[index];
    if (!blocks.empty()) {
      void* block = blocks.back();
      blocks.pop_back();
      return block;
    }
    // One sequence of tens of thousands of tokens: its layers' parts have other sizes, and none of them waits in vain.
    if (index >= very_large) guarded.pool.release(very_large);
  }
  return new_block(index, bytes);
}

void pool_release(void* block, std::size_t bytes) noexcept {
  const std::size_t index = size_class(bytes);
  if (pool_gone) return delete_block(block, index);
  try {
    guarded.pool.kept[index].push_back(block);
  } catch (...) {
    delete_block(block, index);
  }
}

void pool_trim() noexcept { guarded.pool.release(); }

}  // namespace lengthwise
