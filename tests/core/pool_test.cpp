#include "core/pool.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
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
  for (std::size_t bytes = 0; bytes < 70000; bytes += bytes < 5000 ? 1 : 997) {
    void* block = pool_allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
    EXPECT_GE(malloc_usable_size(block), bytes);
    EXPECT_LE(malloc_usable_size(block), bytes + bytes / 8 + 64 + 64)
        << bytes;  // an eighth, a line, malloc's own rounding
    std::memset(block, 1, bytes);
    pool_release(block, bytes);
  }
  pool_trim();
}

TEST(Pool, LargeBlocksAreMadeOfHugePages) {
  constexpr std::size_t huge = std::size_t{1} << 21;
  for (const std::size_t bytes : {huge - 1, huge, huge + 1, 3 * huge - 5}) {
    void* block = pool_allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % huge, 0u) << bytes;
    EXPECT_GE(malloc_usable_size(block), bytes);
    std::memset(block, 1, bytes);
    pool_release(block, bytes);
    EXPECT_EQ(pool_allocate(bytes), block);
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
  pool_trim();
  start_counting_allocations();
  pool_release(pool_allocate(1 << 20), 1 << 20);
  pool_trim();
  pool_release(pool_allocate(1 << 20), 1 << 20);
  EXPECT_EQ(counted_allocations().large, 2u);
  EXPECT_LT(counted_allocations().peak_bytes, std::size_t{3} << 19);
  pool_trim();
}

TEST(Pool, VeryLargeBlocksDoNotWaitForTheirSizeToComeAgain) {
  const auto in_use_after = [](std::size_t bytes) {
    pool_release(pool_allocate(bytes), bytes);
    return in_use.load();
  };
  pool_trim();
  const std::size_t before = in_use;
  const std::size_t small = std::size_t{1} << 20, large = std::size_t{1} << 26;
  EXPECT_GE(in_use_after(small), before + small);
  EXPECT_GE(in_use_after(large), before + small + large);
  EXPECT_LT(in_use_after(large * 3 / 2), before + small + 2 * large);  // in place of the other
  EXPECT_GE(in_use_after(large * 3 / 2), before + small + large * 3 / 2);
  pool_trim();
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
