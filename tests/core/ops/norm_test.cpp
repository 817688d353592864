#include "core/ops/norm.h"

#include "core/ops/arithmetic.h"
#include "tests/core/op_cases.h"
#include "tests/golden.h"

namespace lengthwise {
namespace {

Array<double> ones(std::size_t cols) {
  Array<double> a = uninitialized<double>(1, cols);
  fill(view(a), 1.0);
  return a;
}

TEST(Norm, Contract) {
  check_op("layer_norm", {{4, 19}, {1, 19}, {1, 19}}, [](const auto& x) { return layer_norm(x[0], x[1], x[2]); });
  check_op("rms_norm", {{4, 19}, {1, 19}}, [](const auto& x) { return rms_norm(x[0], x[1]); });
  // In a residual block the gradient of x arrives on top of another one.
  check_op("residual", {{3, 5}, {1, 5}, {1, 5}}, [](const auto& x) { return add(layer_norm(x[0], x[1], x[2]), x[0]); });
}

TEST(Norm, LayerNormGolden) {
  for (const char* name : {"layer_norm", "layer_norm_eps12_small_variance", "layer_norm_no_affine"}) {
    const GoldenCase c = golden("layers.h5", name);
    const bool affine = c.integer("affine");
    Tape<double> tape;
    const auto x = leaf(c.input("x").array());
    const auto gain = leaf(affine ? c.input("weight").array() : ones(x.cols()));
    const auto bias = leaf(affine ? c.input("bias").array() : zeros<double>(1, x.cols()));
    const auto y = layer_norm(x, gain, bias, c.real("eps"));
    expect_golden(y.value(), c, "out");
    tape.backward(y, c.input("grad_out").array());
    expect_golden(x.gradient(), c, "grad_x");
    if (!affine) continue;
    expect_golden(gain.gradient(), c, "grad_weight");
    expect_golden(bias.gradient(), c, "grad_bias");
  }
}

TEST(Norm, RmsNormGolden) {
  for (const char* name : {"rms_norm", "rms_norm_eps5"}) {
    const GoldenCase c = golden("layers.h5", name);
    Tape<double> tape;
    const auto x = leaf(c.input("x").array()), gain = leaf(c.input("weight").array());
    const auto y = rms_norm(x, gain, c.real("eps"));
    expect_golden(y.value(), c, "out");
    tape.backward(y, c.input("grad_out").array());
    expect_golden(x.gradient(), c, "grad_x");
    expect_golden(gain.gradient(), c, "grad_weight");
  }
}

// A row of mean 1000 and variance 1: the variance of raw squares would lose everything in float.
TEST(Norm, LargeMean) {
  const auto x = constant(array<float>({{999, 1001}}));
  const auto y = layer_norm(x, constant(array<float>({{1, 1}})), constant(array<float>({{0, 0}})));
  expect_close(y, array<float>({{-1, 1}}), 1e-5);
}

}  // namespace
}  // namespace lengthwise
