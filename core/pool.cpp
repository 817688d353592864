#include "core/pool.h"

#include <array>
#include <bit>
#include <memory>
#include <mutex>
#include <vector>

#include "core/arena.h"

namespace lengthwise {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t largest_kept = std::size_t{1} << 14;  // larger blocks come from an arena

// Size classes, eight an octave: at most an eighth of a block is unused.
constexpr std::size_t size_class(std::size_t bytes) {
  if (bytes <= 8 * line) return bytes == 0 ? 0 : (bytes - 1) / line;
  const std::size_t octave = std::bit_width(bytes - 1) - 1;  // 2^octave < bytes <= 2^(octave + 1)
  return 8 * (octave - 8) + ((bytes - 1) >> (octave - 3)) - 8;
}
std::size_t class_bytes(std::size_t index) {
  if (index < 8) return line * (index + 1);
  return (index % 8 + 9) << (index / 8 + 5);
}
constexpr std::size_t classes = size_class(largest_kept) + 1;

// Arenas outlive their threads, since their blocks may: the next thread takes them over.
class Arenas {
 public:
  Arena* adopt() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      idle_.reserve(all_.size() + 1);  // room for it when it is retired
      all_.push_back(std::make_unique<Arena>());
      return all_.back().get();
    }
    Arena* arena = idle_.back();
    idle_.pop_back();
    return arena;
  }
  void retire(Arena* arena) noexcept {
    arena->trim();
    const std::lock_guard lock(mutex_);
    idle_.push_back(arena);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> all_;
  std::vector<Arena*> idle_;
};
Arenas& arenas() {
  static Arenas& all = *new Arenas;  // for as long as any thread runs
  return all;
}

void delete_small(void* block) noexcept { ::operator delete(block, std::align_val_t(line)); }

struct Pool {
  std::array<std::vector<void*>, classes> kept;
  Arena* arena = arenas().adopt();
  ~Pool() {
    release_kept();
    arenas().retire(arena);
  }
  void release_kept() {
    for (auto& blocks : kept) {
      for (void* block : blocks) delete_small(block);
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

void* allocate_large(std::size_t bytes) {
  if (!pool_gone) return guarded.pool.arena->allocate(bytes);
  Arena* arena = arenas().adopt();
  const std::unique_ptr<Arena, void (*)(Arena*)> back(arena, [](Arena* a) { arenas().retire(a); });
  return arena->allocate(bytes);
}

}  // namespace

void* pool_allocate(std::size_t bytes) {
  if (bytes > largest_kept) return allocate_large(bytes);
  const std::size_t index = size_class(bytes);
  if (!pool_gone) {
    auto& blocks = guarded.pool.kept[index];
    if (!blocks.empty()) {
      void* block = blocks.back();
      blocks.pop_back();
      return block;
    }
  }
  return ::operator new(class_bytes(index), std::align_val_t(line));
}

void pool_release(void* block, std::size_t bytes) noexcept {
  if (bytes > largest_kept) return Arena::release(block, pool_gone ? nullptr : guarded.pool.arena);
  if (pool_gone) return delete_small(block);
  try {
    guarded.pool.kept[size_class(bytes)].push_back(block);
  } catch (...) {
    delete_small(block);
  }
}

void pool_trim() noexcept {
  guarded.pool.release_kept();
  guarded.pool.arena->trim();
}

PoolUse pool_use() { return {guarded.pool.arena->in_use(), guarded.pool.arena->most_in_use()}; }

}  // namespace lengthwise
