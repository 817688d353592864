#include "core/ops/activation.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(Activation, Contract) {
  check_op("gelu", {{3, 19}}, [](const auto& x) { return gelu(x[0]); });
  check_op("gelu with bias", {{3, 19}, {1, 19}}, [](const auto& x) { return gelu(x[0], x[1]); });
  check_op("gelu_tanh", {{3, 19}}, [](const auto& x) { return gelu_tanh(x[0]); });
  check_op("relu", {{3, 19}}, [](const auto& x) { return relu(x[0]); });
  check_op("swiglu", {{3, 19}, {3, 19}}, [](const auto& x) { return swiglu(x[0], x[1]); });
  check_op("swiglu of one input", {{3, 5}}, [](const auto& x) { return swiglu(x[0], x[0]); });
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
