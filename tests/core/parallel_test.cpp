#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace lengthwise {
namespace {

// Every test leaves one thread behind.
class Parallel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_threads(static_cast<std::size_t>(GetParam())); }
  void TearDown() override { set_threads(1); }
};

TEST_P(Parallel, EveryIndexOnce) {
  std::vector<std::atomic<int>> visits(1000);
  parallel_for(visits.size(), [&](std::size_t i) { ++visits[i]; });
  for (const auto& count : visits) EXPECT_EQ(count, 1);
  parallel_for(0, [](std::size_t) { FAIL(); });
}

TEST_P(Parallel, TheLowestExceptionIsRethrownAndWorkStops) {
  std::atomic<int> begun = 0;
  const auto run = [&] {
    parallel_for(100000, [&](std::size_t i) {
      ++begun;
      if (i >= 10) throw std::runtime_error(std::to_string(i));
    });
  };
  try {
    run();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "10");
  }
  EXPECT_LT(begun, 100);
  EXPECT_FALSE(ParallelScope::inside());
}

TEST_P(Parallel, NestedLoopsRunOnTheirThread) {
  std::atomic<int> total = 0;
  parallel_for(8, [&](std::size_t) {
    EXPECT_TRUE(ParallelScope::inside());
    const int outer = omp_get_thread_num();
    std::size_t expected = 0;
    parallel_for(10, [&](std::size_t i) {
      EXPECT_EQ(i, expected++);
      EXPECT_EQ(omp_get_thread_num(), outer);
      ++total;
    });
  });
  EXPECT_EQ(total, 80);
  EXPECT_THROW(
      parallel_for(2, [](std::size_t) { parallel_for(2, [](std::size_t) { throw std::logic_error("inner"); }); }),
      std::logic_error);
}

TEST_P(Parallel, NoMoreThreadsThanAsked) {
  std::atomic<int> most = 0;
  parallel_for(100, [&](std::size_t) {
    for (int seen = most, mine = omp_get_num_threads(); seen < mine && !most.compare_exchange_weak(seen, mine);) {
    }
  });
  EXPECT_EQ(most, GetParam());
}

#if defined(__SSE__)
TEST_P(Parallel, DenormalsAreFlushedInsideOnly) {
  volatile float smallest_normal = 1.17549435e-38f;
  const auto half = [&] { return smallest_normal * 0.5f; };
  EXPECT_GT(half(), 0);
  parallel_for(4, [&](std::size_t) { EXPECT_EQ(half(), 0); });
  EXPECT_GT(half(), 0);
  EXPECT_THROW(parallel_for(4, [](std::size_t) { throw std::runtime_error(""); }), std::runtime_error);
  EXPECT_GT(half(), 0);
}
#endif

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3));

TEST(Threads, AtLeastOne) {
  set_threads(0);
  EXPECT_EQ(threads(), 1u);
  EXPECT_GE(available_cores(), 1u);
}

}  // namespace
}  // namespace lengthwise
