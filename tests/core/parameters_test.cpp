#include "core/parameters.h"

#include <numeric>

#include "core/gradcheck.h"
#include "core/ops/arithmetic.h"
#include "core/ops/linear.h"
#include "core/parallel.h"
#include "tests/core/arrays.h"

namespace lengthwise {
namespace {

TEST(Parameters, LayoutAndNames) {
  ParameterStore<float> store(1);
  const auto a = store.create("a", 3, 5, initial_value(1.5), Decay::weights);
  const auto b = store.create("b", 1, 1, initial_value(-2));
  EXPECT_EQ(a.info().offset, 0u);
  EXPECT_EQ(b.info().offset, 16u);  // 64 bytes
  EXPECT_EQ(store.flat().cols, 32u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store.flat().data) % 64, 0u);
  EXPECT_EQ(store.count(), 16u);
  EXPECT_EQ(a.values()(2, 4), 1.5f);
  EXPECT_EQ(store.flat()(0, 15), 0);  // padding
  EXPECT_EQ(store.flat()(0, 16), -2);
  EXPECT_EQ(a.info().decay, Decay::weights);
  EXPECT_EQ(b.info().decay, Decay::no);
  EXPECT_EQ(store.find("b"), &store.list()[1]);
  EXPECT_EQ(store.find("c"), nullptr);
  EXPECT_THROW(store.create("a", 3, 5, initial_value(0)), std::logic_error);
  EXPECT_FALSE(Parameter<float>());
}

TEST(Parameters, RowsOfAKibibyteArePadded) {
  ParameterStore<float> store(1);
  const auto wide = store.create("wide", 3, 256, initial_value(1)), row = store.create("row", 1, 256, initial_value(2));
  EXPECT_EQ(wide.info().stride, 272u);
  EXPECT_EQ(row.info().offset, 3 * 272u);
  EXPECT_EQ(store.flat().cols, 3 * 272u + 256u);
  EXPECT_EQ(store.count(), 4 * 256u);
  const auto all = store.flat();
  EXPECT_EQ(std::accumulate(all.data, all.data + all.cols, 0.0), 3 * 256 + 2 * 256);  // padding is zeros
  EXPECT_EQ(wide.values()(2, 255), 1);
  EXPECT_EQ(wide.values().row(2), all.data + 2 * 272);
}

// What linear layers find is what a product with the weights as they stand gives.
TEST(Parameters, TransposedWeights) {
  ParameterStore<float> store(1);
  const auto w = store.create("w", 50, 256, initial_normal(1), Decay::weights);
  const auto other = store.create("other", 50, 256, initial_normal(1));
  const auto x = constant(random_array<float>(70, 256, 1));
  const auto expected = linear(x, w.variable());
  EXPECT_EQ(w.variable().transposed().data, nullptr);
  {
    const TransposedWeights<float> weights(store);
    { const TransposedWeights<float> within(store); }  // nothing, at its end neither
    const Matrix<const float> turned = w.variable().transposed();
    ASSERT_NE(turned.data, nullptr);
    EXPECT_EQ(other.variable().transposed().data, nullptr);
    ASSERT_EQ(turned.rows, 256u);
    ASSERT_EQ(turned.cols, 50u);
    for (std::size_t i = 0; i < 50; ++i)
      for (std::size_t j = 0; j < 256; ++j) ASSERT_EQ(turned(j, i), w.values()(i, j));
    expect_close(linear(x, w.variable()), expected, 1e-5);
  }
  EXPECT_EQ(w.variable().transposed().data, nullptr);
  w.values()(0, 0) += 1;
  const TransposedWeights<float> again(store);
  EXPECT_EQ(w.variable().transposed()(0, 0), w.values()(0, 0));
}

TEST(Parameters, SharedIsMadeOnce) {
  ParameterStore<double> store(1);
  const auto first = store.shared("table", 2, 2, initial_normal(1));
  const auto again = store.shared("table", 2, 2, initial_value(0));
  EXPECT_EQ(first.values().data, again.values().data);
  EXPECT_NE(again.values()(0, 0), 0);
  EXPECT_THROW(store.shared("table", 2, 3, initial_value(0)), std::logic_error);
}

TEST(Parameters, InitialValuesDependOnSeedAndNameAlone) {
  ParameterStore<double> one(1), two(1), other(2);
  ParameterStore<float> in_float(1);
  one.create("x", 5, 5, initial_normal(1));
  const auto w1 = one.create("w", 20, 30, initial_normal(0.02)), w2 = two.create("w", 20, 30, initial_normal(0.02)),
             w3 = other.create("w", 20, 30, initial_normal(0.02));
  const auto wf = in_float.create("w", 20, 30, initial_normal(0.02));
  expect_close(w1.values(), w2.values(), 0);
  expect_close(wf.values(), w1.values(), 1e-8);
  EXPECT_NE(w1.values()(0, 0), w3.values()(0, 0));
  double square = 0;
  for (std::size_t e = 0; e < 600; ++e) square += std::pow(w1.values().data[e] / 0.02, 2);
  EXPECT_NEAR(square / 600, 1, 0.3);
  const auto u = one.create("u", 1, 200, initial_uniform(2, 3));
  for (std::size_t e = 0; e < 200; ++e) EXPECT_TRUE(u.values()(0, e) >= 2 && u.values()(0, e) < 3);
}

// Backward twice on one tape, gradients in the store's layout.
TEST(Parameters, GradientsAddUpInTheBuffer) {
  ParameterStore<double> store(1);
  store.create("unused", 1, 3, initial_value(1));
  const auto w = store.create("w", 2, 2, initial_value(1));
  std::vector<double> buffer(store.flat().cols, 0.0);
  Tape<double> tape({buffer.data(), 1, buffer.size(), buffer.size()});
  for (const double x : {1.0, 10.0})
    tape.backward(linear(constant(array<double>({{x, 2 * x}})), w.variable()), array<double>({{1, 3}}));
  std::vector<double> expected(buffer.size(), 0.0);
  const double gradient[] = {11, 22, 33, 66};
  copy<double>({gradient, 2, 2, 2}, w.info().in(expected.data()));
  EXPECT_EQ(buffer, expected);
}

TEST(Parameters, OneUsedTwice) {
  ParameterStore<double> store(1);
  const auto w = store.create("w", 1, 1, initial_value(3));
  std::vector<double> buffer(store.flat().cols, 0.0);
  Tape<double> tape({buffer.data(), 1, buffer.size(), buffer.size()});
  tape.backward(linear(w.variable(), w.variable()));
  EXPECT_EQ(buffer[0], 6);
  tape.backward(w.variable());  // the loss may be a parameter itself
  EXPECT_EQ(buffer[0], 7);
}

// Evaluation needs no gradients, with or without another tape's buffer.
TEST(Parameters, WithoutATapeTheyAreConstants) {
  ParameterStore<double> store(1);
  const auto w = store.create("w", 1, 1, initial_value(3));
  EXPECT_EQ(w.variable().node(), nullptr);
  EXPECT_EQ(w.variable().value().data, w.values().data);
  w.values()(0, 0) = 5;
  EXPECT_EQ(w.variable().value()(0, 0), 5);
}

TEST(Parameters, SeveralThreadsDifferentiateAtOnce) {
  ParameterStore<double> store(1);
  const auto w = store.create("w", 1, 1, initial_value(3));
  std::vector<std::vector<double>> buffers(8, std::vector<double>(store.flat().cols, 0.0));
  set_threads(3);
  parallel_for(buffers.size(), [&](std::size_t i) {
    Tape<double> tape({buffers[i].data(), 1, buffers[i].size(), buffers[i].size()});
    tape.backward(scale(w.variable(), static_cast<double>(i)));
  });
  set_threads(1);
  for (std::size_t i = 0; i < buffers.size(); ++i) EXPECT_EQ(buffers[i][0], static_cast<double>(i));
}

}  // namespace
}  // namespace lengthwise
