#include "core/ops/activation.h"

#include "core/ops/linear.h"
#include "tests/core/op_cases.h"
#include "tests/golden.h"

namespace lengthwise {
namespace {

TEST(Activation, Contract) {
  check_op("gelu", {{3, 19}}, [](const auto& x) { return gelu(x[0]); });
  check_op("gelu_tanh", {{3, 19}}, [](const auto& x) { return gelu_tanh(x[0]); });
  check_op("relu", {{3, 19}}, [](const auto& x) { return relu(x[0]); });
  check_op("swiglu", {{3, 19}, {3, 19}}, [](const auto& x) { return swiglu(x[0], x[1]); });
  check_op("swiglu of one input", {{3, 5}}, [](const auto& x) { return swiglu(x[0], x[0]); });
}

template <class F>
void check_golden(const char* name, F f) {
  const GoldenCase c = golden("layers.h5", name);
  Tape<double> tape;
  const auto x = leaf(c.input("x").array());
  const auto y = f(x);
  expect_golden(y.value(), c, "out");
  tape.backward(y, c.input("grad_out").array());
  expect_golden(x.gradient(), c, "grad_x");
}

// SiLU is met through SwiGLU; leaky ReLU, softplus and log-sigmoid are not offered.
TEST(Activation, Golden) {
  check_golden("gelu_erf", [](const auto& x) { return gelu(x); });
  check_golden("gelu_tanh", [](const auto& x) { return gelu_tanh(x); });
  check_golden("relu", [](const auto& x) { return relu(x); });
  check_golden("silu", [](const auto& x) {
    Array<double> one = uninitialized<double>(1, x.cols());
    fill(view(one), 1.0);
    return swiglu(x, constant(std::move(one)));
  });
}

TEST(Activation, SwigluLayerGolden) {
  const GoldenCase c = golden("layers.h5", "swiglu");
  Tape<double> tape;
  const auto x = leaf(c.input("x").array()), gate = leaf(c.input("w_gate").array()), up = leaf(c.input("w_up").array()),
             down = leaf(c.input("w_down").array());
  const auto y = linear(swiglu(linear(x, gate), linear(x, up)), down);
  expect_golden(y.value(), c, "out");
  tape.backward(y, c.input("grad_out").array());
  expect_golden(x.gradient(), c, "grad_x");
  expect_golden(gate.gradient(), c, "grad_w_gate");
  expect_golden(up.gradient(), c, "grad_w_up");
  expect_golden(down.gradient(), c, "grad_w_down");
}

// exp overflows long before 200; the results must not.
TEST(Activation, FarFromZero) {
  const auto check = [](const char* name, auto f) {
    Tape<float> tape;
    const auto x = leaf(array<float>({{-200, -30, 30, 200}}));
    const auto y = f(x);
    expect_close(y, array<float>({{0, 0, 30, 200}}), 1e-6, name);
    tape.backward(y, array<float>({{1, 1, 1, 1}}));
    expect_close(x.gradient(), array<float>({{0, 0, 1, 1}}), 1e-6, name);
  };
  check("gelu", [](const auto& x) { return gelu(x); });
  check("gelu_tanh", [](const auto& x) { return gelu_tanh(x); });
  check("relu", [](const auto& x) { return relu(x); });
  check("silu", [](const auto& x) { return swiglu(x, constant(array<float>({{1, 1, 1, 1}}))); });
}

}  // namespace
}  // namespace lengthwise
