#include "core/gradient_sum.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "core/gradcheck.h"
#include "core/ops/arithmetic.h"
#include "core/ops/linear.h"
#include "core/parallel.h"

namespace lengthwise {
namespace {

// A table that every shard uses twice, a matrix of several pieces with padded rows, one that some use, and one that
// none does.
template <class T>
struct Model {
  ParameterStore<T> store{1};
  Parameter<T> table = store.create("table", 1, 256, initial_normal(1));
  Parameter<T> unused = store.create("unused", 3, 5, initial_normal(1));
  Parameter<T> matrix = store.create("matrix", 300, 256, initial_normal(1));
  Parameter<T> rare = store.create("rare", 1, 300, initial_normal(1));

  void backward(std::size_t shard, Tape<T>& tape) {
    const auto x = constant(random_array<T>(9, 256, shard + 1));
    const auto gained = add(linear(x, matrix.variable()), Variable<T>(linear(x, matrix.variable())));
    auto y = linear(table.variable(), constant(random_array<T>(300, 256, shard + 50)));
    y = add(y, linear(table.variable(), matrix.variable()));
    if (shard % 3 == 1) y = add(y, rare.variable());
    const auto all = linear(gained, y);
    tape.backward(all, random_array<T>(9, 1, shard + 100));
  }
};

template <class T>
std::vector<T> summed(std::size_t shards, std::size_t thread_count) {
  Model<T> model;
  GradientSum<T> sum(model.store);
  set_threads(thread_count);
  for (int again = 0; again < 2; ++again)  // what came before leaves no trace
    sum.compute(shards, [&](std::size_t shard, ParameterGradients<T>& gradients) {
      Tape<T> tape(gradients);
      model.backward(shard, tape);
    });
  set_threads(1);
  return {sum.total().data, sum.total().data + sum.total().cols};
}

TEST(GradientSum, IsThatOfAllShards) {
  Model<double> model;
  std::vector<double> expected(model.store.flat().cols, 0.0);
  for (std::size_t shard = 0; shard < 7; ++shard) {
    Tape<double> tape({expected.data(), 1, expected.size(), expected.size()});
    model.backward(shard, tape);
  }
  const auto found = summed<double>(7, 1);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-9) << i;
  const ParameterInfo &rare = model.rare.info(), &unused = model.unused.info();
  EXPECT_NE(rare.in(found.data())(0, 0), 0);
  each_value(unused.in(found.data()), [](double g) { EXPECT_EQ(g, 0); });
}

TEST(GradientSum, HasTheSameBitsAtAnyThreadCount) {
  for (const std::size_t shards : {1, 2, 13}) {
    const auto expected = summed<float>(shards, 1);
    for (const std::size_t thread_count : {2, 3, 3, 8}) {
      const auto found = summed<float>(shards, thread_count);
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0)
          << shards << " shards, " << thread_count << " threads";
    }
  }
}

TEST(GradientSum, TheLowestShardThatThrowsIsReported) {
  Model<float> model;
  GradientSum<float> sum(model.store);
  for (const std::size_t thread_count : {1, 2, 4}) {
    set_threads(thread_count);
    try {
      sum.compute(20, [&](std::size_t shard, ParameterGradients<float>& gradients) {
        Tape<float> tape(gradients);
        if (shard == 3 || shard == 4) throw std::runtime_error(std::to_string(shard));
        model.backward(shard, tape);
      });
      ADD_FAILURE() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    // It can be used again.
    sum.compute(13, [&](std::size_t shard, ParameterGradients<float>& gradients) {
      Tape<float> tape(gradients);
      model.backward(shard, tape);
    });
    set_threads(1);
    const auto expected = summed<float>(13, 1);
    EXPECT_EQ(std::memcmp(sum.total().data, expected.data(), expected.size() * sizeof(float)), 0);
  }
}

TEST(GradientSum, AShardGoesBackwardOnce) {
  Model<float> model;
  GradientSum<float> sum(model.store);
  EXPECT_THROW(sum.compute(1,
                           [&](std::size_t shard, ParameterGradients<float>& gradients) {
                             Tape<float> tape(gradients);
                             model.backward(shard, tape);
                             model.backward(shard, tape);
                           }),
               std::logic_error);
}

// The gradients of forty matrices, of which a shard in its turn holds one or two at a time.
TEST(GradientSum, HoldsFewGradientsAtATime) {
  ParameterStore<float> store(1);
  std::vector<Parameter<float>> layers;
  for (int l = 0; l < 40; ++l) layers.push_back(store.create(join("w", l), 200, 200, initial_normal(0.1)));
  GradientSum<float> sum(store);
  const std::size_t one = 200 * 200 * sizeof(float);
  pool_trim();
  const std::size_t before = pool_use().in_use;
  sum.compute(3, [&](std::size_t shard, ParameterGradients<float>& gradients) {
    Tape<float> tape(gradients);
    Variable<float> x = constant(random_array<float>(2, 200, shard + 1));
    for (const auto& w : layers) x = linear(x, w.variable());
    tape.backward(x, random_array<float>(2, 200, 9));
  });
  EXPECT_GE(pool_use().most - before, one);
  EXPECT_LE(pool_use().most - before, 3 * one);
}

}  // namespace
}  // namespace lengthwise
