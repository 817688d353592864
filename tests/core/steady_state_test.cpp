// A training step in steady state takes its memory from the pool alone.
#include <gtest/gtest.h>

#include "core/parallel.h"
#include "tests/benchmarks/bench_model.h"
#include "tests/core/allocations.h"

namespace lengthwise {
namespace {

std::size_t large_allocations(const std::string& encoding, bool variable) {
  set_threads(1);
  const BenchSize size = bench_sizes().at("A");
  const RandomTokens task(size.vocabulary);
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  ParameterStore<float> store(1);
  Transformer<float> model(bench_model(size, encoding), store);
  TrainSettings settings = bench_training(size);
  if (variable) settings.lengths = {5, 17, 64};
  Trainer<float> trainer(settings, task, *scheme, store, model);
  for (int i = 0; i < 12; ++i) trainer.step();
  start_counting_allocations();
  for (int i = 0; i < 5; ++i) trainer.step();
  return counted_allocations().large;
}

TEST(SteadyState, NoLargeAllocations) {
  for (const char* encoding : {"none", "learned", "rope", "alibi", "t5", "shaw", "fire"})
    EXPECT_EQ(large_allocations(encoding, false), 0u) << encoding;
}

TEST(SteadyState, NorWithRaggedBatches) { EXPECT_EQ(large_allocations("rope", true), 0u); }

}  // namespace
}  // namespace lengthwise
