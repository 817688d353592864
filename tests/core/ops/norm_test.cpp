#include "core/ops/norm.h"

#include "core/ops/arithmetic.h"
#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(Norm, Contract) {
  check_op("layer_norm", {{4, 19}, {1, 19}, {1, 19}}, [](const auto& x) { return layer_norm(x[0], x[1], x[2]); });
  check_op("rms_norm", {{4, 19}, {1, 19}}, [](const auto& x) { return rms_norm(x[0], x[1]); });
  // In a residual block the gradient of x arrives on top of another one.
  check_op("residual", {{3, 5}, {1, 5}, {1, 5}}, [](const auto& x) { return add(layer_norm(x[0], x[1], x[2]), x[0]); });
}

TEST(Norm, WhatNobodyLearns) {
  const auto fixed = [](const auto& x, std::uint64_t seed) {
    using T = std::remove_cvref_t<decltype(x.gradient()(0, 0))>;
    return constant(random_array<T>(1, 19, seed));
  };
  check_op("gain and bias", {{4, 19}}, [&](const auto& x) { return layer_norm(x[0], fixed(x[0], 1), fixed(x[0], 2)); });
  check_op("gain", {{4, 19}}, [&](const auto& x) { return rms_norm(x[0], fixed(x[0], 1)); });
  check_op("input", {{1, 19}, {1, 19}}, [&](const auto& x) { return layer_norm(fixed(x[0], 3), x[0], x[1]); });
}

// A narrow gain: every piece of a row is a row of its own.
TEST(Norm, Pieces) {
  check_op("layer_norm", {{3, 12}, {1, 4}},
           [](const auto& x) { return layer_norm(x[0], x[1], std::remove_cvref_t<decltype(x[0])>()); });
  check_op("rms_norm", {{3, 12}, {1, 4}}, [](const auto& x) { return rms_norm(x[0], x[1]); });
  const auto x = constant(random_array<double>(3, 12, 1)), gain = constant(random_array<double>(1, 4, 2));
  const auto y = layer_norm(x, gain, Variable<double>());
  for (std::size_t piece = 0; piece < 3; ++piece)
    expect_close(columns(y, 4 * piece, 4), layer_norm(columns(x, 4 * piece, 4), gain, Variable<double>()), 0);
}

// A row of mean 1000 and variance 1: the variance of raw squares would lose everything in float.
TEST(Norm, LargeMean) {
  const auto x = constant(array<float>({{999, 1001}}));
  const auto y = layer_norm(x, constant(array<float>({{1, 1}})), constant(array<float>({{0, 0}})));
  expect_close(y, array<float>({{-1, 1}}), 1e-5);
}

}  // namespace
}  // namespace lengthwise
