#include "core/pool.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "core/attention.h"
#include "core/gradcheck.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/linear.h"
#include "tests/core/allocations.h"

namespace {

std::atomic<std::size_t> large = 0, in_use = 0, in_use_at_start = 0, most_in_use = 0;

void* counted(void* block, std::size_t bytes) {
  if (!block) throw std::bad_alloc();
  if (bytes >= 4096) ++large;
  const std::size_t now = in_use += malloc_usable_size(block);
  for (std::size_t most = most_in_use; most < now && !most_in_use.compare_exchange_weak(most, now);) {
  }
  return block;
}
void freed(void* block) {
  if (block) in_use -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(std::malloc(bytes ? bytes : 1), bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto line = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(line, (bytes + line - 1) / line * line), bytes);
}
// As the standard library has it; sanitizers bring one that does not call the operator above.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* block) noexcept { freed(block); }
void operator delete(void* block, std::size_t) noexcept { freed(block); }
void operator delete(void* block, std::align_val_t) noexcept { freed(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { freed(block); }

namespace lengthwise {

void start_counting_allocations() {
  large = 0;
  in_use_at_start = most_in_use = in_use.load();
}
Allocations counted_allocations() { return {large, most_in_use - in_use_at_start}; }

namespace {

TEST(Pool, EverySizeFitsAndIsAligned) {
  for (std::size_t bytes = 0; bytes < 200000; bytes += bytes < 5000 ? 1 : 997) {
    void* block = pool_allocate(bytes);
    void* next = pool_allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, bytes);
    std::memset(next, 2, bytes);
    if (bytes > 0) {
      EXPECT_EQ(static_cast<char*>(block)[bytes - 1], 1) << bytes;
    }
    pool_release(block, bytes);
    pool_release(next, bytes);
  }
  pool_trim();
}

TEST(Pool, SmallBlocksWasteAnEighthAtMost) {
  for (std::size_t bytes = 1; bytes <= 16384; bytes += bytes < 5000 ? 1 : 997) {
    void* block = pool_allocate(bytes);
    EXPECT_GE(malloc_usable_size(block), bytes);
    EXPECT_LE(malloc_usable_size(block), bytes + bytes / 8 + 64 + 64) << bytes;  // a line, malloc's own rounding
    pool_release(block, bytes);
  }
  pool_trim();
}

TEST(Pool, AFreedBlockIsUsedAgain) {
  void* first = pool_allocate(10000);
  void* second = pool_allocate(10000);
  EXPECT_NE(first, second);
  pool_release(first, 10000);
  EXPECT_EQ(pool_allocate(10001), first);  // of the same size class
  pool_release(first, 10001);
  pool_release(second, 10000);
}

TEST(Pool, TrimGivesBlocksBack) {
  for (const std::size_t bytes : {std::size_t{1} << 13, std::size_t{1} << 20}) {
    pool_trim();
    start_counting_allocations();
    pool_release(pool_allocate(bytes), bytes);
    pool_release(pool_allocate(bytes), bytes);
    EXPECT_EQ(counted_allocations().large, 1u);
    pool_trim();
    pool_release(pool_allocate(bytes), bytes);
    EXPECT_EQ(counted_allocations().large, 2u);
    pool_trim();
  }
}

TEST(Pool, CountsWhatIsInUse) {
  pool_trim();
  const PoolUse before = pool_use();
  EXPECT_EQ(before.most, before.in_use);
  const std::size_t bytes = 100000;
  void* first = pool_allocate(bytes);
  pool_release(pool_allocate(2 * bytes), 2 * bytes);
  EXPECT_GE(pool_use().in_use, before.in_use + bytes);
  EXPECT_LE(pool_use().in_use, before.in_use + bytes + 256);
  EXPECT_GE(pool_use().most, before.in_use + 3 * bytes);
  pool_release(first, bytes);
  EXPECT_EQ(pool_use().in_use, before.in_use);
  pool_trim();
  EXPECT_EQ(pool_use().most, before.in_use);
}

// Threads come and go, and what one made, another frees: nobody's memory is lost.
TEST(Pool, ArenasOutliveTheirThreads) {
  const std::size_t bytes = std::size_t{1} << 20;
  const auto round = [&] {
    void* block = nullptr;
    std::thread([&] { std::memset(block = pool_allocate(bytes), 1, bytes); }).join();
    EXPECT_EQ(static_cast<char*>(block)[bytes - 1], 1);
    pool_release(block, bytes);
  };
  round();
  start_counting_allocations();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_LE(counted_allocations().peak_bytes, std::size_t{1} << 26);  // a region; all blocks are 100 MiB
}

TEST(Pool, ABlockMayBeFreedByAnotherThread) {
  Array<double> made;
  std::thread([&] { made = random_array<double>(100, 100, 1); }).join();
  const double first = made(0, 0);
  std::thread([moved = std::move(made), first] { EXPECT_EQ(moved(0, 0), first); }).join();
}

TEST(Pool, AStepAllocatesNothingLargeOnceWarm) {
  const auto step = [] {
    Tape<float> tape;
    const auto x = leaf(zeros<float>(200, 32)), w = leaf(zeros<float>(96, 32));
    const auto qkv = linear(x, w);
    const auto out = attention(columns(qkv, 0, 32), columns(qkv, 32, 32), columns(qkv, 64, 32),
                               {.heads = 2, .offsets = {0, 80, 200}}, {{{0, 2}, 0.25f, {}}});
    const std::vector<int> targets(200, 3);
    tape.backward(cross_entropy(out, targets, 1.0f));
  };
  for (int i = 0; i < 3; ++i) step();
  start_counting_allocations();
  for (int i = 0; i < 5; ++i) step();
  EXPECT_EQ(counted_allocations().large, 0u);
}

}  // namespace
}  // namespace lengthwise
