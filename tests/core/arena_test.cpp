#include "core/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/core/allocations.h"

namespace lengthwise {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

TEST(Arena, FreedPlacesGrowTogether) {
  Arena arena;
  std::vector<void*> blocks;
  for (int i = 0; i < 30; ++i) blocks.push_back(arena.allocate(mib));
  void* const first = blocks[0];
  // The second of three neighbours last, the first and the third before it.
  for (const std::size_t i : {0, 2, 1}) Arena::release(blocks[i], &arena);
  EXPECT_EQ(arena.allocate(3 * mib), first);
  for (std::size_t i = 29; i > 2; --i) Arena::release(blocks[i], &arena);
  start_counting_allocations();
  EXPECT_NE(arena.allocate(27 * mib), nullptr);  // beside the three
  EXPECT_EQ(counted_allocations().large, 0u);
}

TEST(Arena, TakesTheLowestPlaceThatFits) {
  Arena arena;
  void* a = arena.allocate(3 * mib);
  void* b = arena.allocate(mib);
  void* c = arena.allocate(2 * mib);
  arena.allocate(mib);
  Arena::release(a, &arena), Arena::release(c, &arena);
  EXPECT_EQ(arena.allocate(mib), a);
  EXPECT_EQ(arena.allocate(2 * mib - 64), static_cast<char*>(a) + mib + 64);  // a line before every block
  EXPECT_EQ(arena.allocate(2 * mib), c);
  EXPECT_NE(b, nullptr);
}

// Blocks of many sizes come and go; none touches another, and all of them together never need what they take in turn.
TEST(Arena, ManySizesInTurn) {
  Arena arena;
  struct Block {
    unsigned char* data;
    std::size_t bytes;
    unsigned char mark;
  };
  std::vector<Block> live;
  std::mt19937 random(1);
  start_counting_allocations();
  std::size_t made = 0;
  for (int i = 0; i < 3000; ++i) {
    if (live.size() < 12 && random() % 2) {
      const std::size_t bytes = random() % mib + 1;
      live.push_back({static_cast<unsigned char*>(arena.allocate(bytes)), bytes, static_cast<unsigned char>(i)});
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(live.back().data) % 64, 0u);
      std::memset(live.back().data, live.back().mark, bytes);
      made += bytes;
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      const Block& block = live.back();
      for (const std::size_t at : {std::size_t{0}, block.bytes / 2, block.bytes - 1})
        ASSERT_EQ(block.data[at], block.mark);
      Arena::release(block.data, &arena);
      live.pop_back();
    }
  }
  EXPECT_GT(made, 500 * mib);
  EXPECT_LE(counted_allocations().peak_bytes, 40 * mib);  // one region
  for (const Block& block : live) Arena::release(block.data, &arena);
  EXPECT_EQ(arena.in_use(), 0u);
  EXPECT_LE(arena.most_in_use(), 12 * (mib + 128));
}

TEST(Arena, VeryLargeBlocksDoNotWaitForTheirSizeToComeAgain) {
  Arena arena;
  start_counting_allocations();
  for (const std::size_t bytes : {64 * mib, 96 * mib, 80 * mib}) Arena::release(arena.allocate(bytes), &arena);
  EXPECT_EQ(counted_allocations().large, 3u);
  Arena::release(arena.allocate(78 * mib), &arena);  // nearly as large: it fits where the last was
  EXPECT_EQ(counted_allocations().large, 3u);
  EXPECT_LT(counted_allocations().peak_bytes, 105 * mib);
  void* kept = arena.allocate(60 * mib);
  Arena::release(arena.allocate(128 * mib), &arena);
  std::memset(kept, 1, 60 * mib);  // the region it lies in stays
}

TEST(Arena, OtherThreadsReturnBlocks) {
  Arena arena;
  std::vector<void*> blocks;
  for (int i = 0; i < 20; ++i) blocks.push_back(arena.allocate(mib));
  std::thread one([&] {
    for (int i = 0; i < 10; ++i) Arena::release(blocks[i], nullptr);
  });
  std::thread two([&] {
    Arena mine;
    for (int i = 10; i < 20; ++i) Arena::release(blocks[i], &mine);
  });
  one.join(), two.join();
  EXPECT_EQ(arena.allocate(20 * mib), blocks[0]);  // all of them, grown together
  arena.trim();
  EXPECT_EQ(arena.in_use(), 20 * mib + 64);
}

}  // namespace
}  // namespace lengthwise
