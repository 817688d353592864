#include "core/ops/log_sigmoid.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(LogSigmoid, Contract) {
  check_op("log_sigmoid", {{3, 19}}, [](const auto& x) { return log_sigmoid(x[0]); });
}

TEST(LogSigmoid, FarFromZero) {
  const auto y = log_sigmoid(constant(array<double>({{-1000, -40, 0, 40, 1000}})));
  expect_close(y, array<double>({{-1000, -40, -std::log(2.0), -std::exp(-40.0), 0}}), 1e-15);
  EXPECT_LT(y.value()(0, 3), 0);
  expect_close(log_sigmoid(constant(array<float>({{-1000, -40, 0, 40, 1000}}))), y, 1e-7);
}

TEST(LogSigmoid, GradientFarFromZero) {
  Tape<float> tape;
  const Variable<float> x = leaf(array<float>({{-1000, 1000}}));
  tape.backward(log_sigmoid(x), array<float>({{1, 1}}));
  expect_close(x.gradient(), array<float>({{1, 0}}), 0);
}

}  // namespace
}  // namespace lengthwise
