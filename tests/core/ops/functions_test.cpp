#include "core/ops/functions.h"

#include <cmath>

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(Functions, Contract) {
  check_op("exp", {{3, 19}}, [](const auto& x) { return exp(x[0]); });
  check_op("log1p of |x|", {{3, 19}}, [](const auto& x) { return log1p(abs(x[0])); });
  check_op("abs", {{3, 19}}, [](const auto& x) { return abs(x[0]); });
  check_op("sigmoid", {{3, 19}}, [](const auto& x) { return sigmoid(x[0]); });
}

TEST(Functions, ByHand) {
  const auto x = constant(array<double>({{0, std::log(3.0)}}));
  expect_close(exp(x), array<double>({{1, 3}}), 1e-15);
  expect_close(sigmoid(x), array<double>({{0.5, 0.75}}), 1e-15);
  expect_close(log1p(constant(array<double>({{0, 1, 1e-12}}))), array<double>({{0, std::log(2.0), 1e-12}}), 1e-18);
  expect_close(abs(constant(array<double>({{-2, 0, 3}}))), array<double>({{2, 0, 3}}), 0);
}

TEST(Functions, FarFromZero) {
  const auto x = constant(array<float>({{-200, 200}}));
  expect_close(sigmoid(x), array<float>({{0, 1}}), 0);
  expect_close(exp(constant(array<float>({{-1e30F}}))), array<float>({{0}}), 0);
}

TEST(Functions, AbsHasNoSlopeAtZero) {
  Tape<float> tape;
  const auto x = leaf(array<float>({{-1, 0, 2}}));
  tape.backward(abs(x), array<float>({{1, 1, 1}}));
  expect_close(x.gradient(), array<float>({{-1, 0, 1}}), 0);
}

}  // namespace
}  // namespace lengthwise
