#include "core/pool.h"

#include <array>
#include <bit>
#include <vector>

namespace lengthwise {
namespace {

constexpr std::size_t alignment = 64;

// Eight size classes an octave: at most an eighth of a block is unused.
struct SizeClass {
  std::size_t index, bytes;
};
SizeClass size_class(std::size_t bytes) {
  if (bytes <= 512) {
    const std::size_t index = bytes == 0 ? 0 : (bytes - 1) / 64;
    return {index, 64 * (index + 1)};
  }
  const std::size_t octave = std::bit_width(bytes - 1) - 1;  // 2^octave < bytes <= 2^(octave + 1)
  const std::size_t step = std::size_t{1} << (octave - 3);
  const std::size_t eighth = (bytes - 1 - (std::size_t{1} << octave)) / step;
  return {8 * (octave - 8) + eighth, (std::size_t{1} << octave) + (eighth + 1) * step};
}

struct Pool {
  std::array<std::vector<void*>, 8 * 56> kept;
  ~Pool() { release(); }
  void release() {
    for (auto& blocks : kept) {
      for (void* block : blocks) ::operator delete(block, std::align_val_t(alignment));
      blocks.clear();
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
  const SizeClass wanted = size_class(bytes);
  if (!pool_gone) {
    auto& blocks = guarded.pool.kept[wanted.index];
    if (!blocks.empty()) {
      void* block = blocks.back();
      blocks.pop_back();
      return block;
    }
  }
  return ::operator new(wanted.bytes, std::align_val_t(alignment));
}

void pool_release(void* block, std::size_t bytes) noexcept {
  if (pool_gone) {
    ::operator delete(block, std::align_val_t(alignment));
    return;
  }
  try {
    guarded.pool.kept[size_class(bytes).index].push_back(block);
  } catch (...) {
    ::operator delete(block, std::align_val_t(alignment));
  }
}

void pool_trim() noexcept { guarded.pool.release(); }

}  // namespace lengthwise
