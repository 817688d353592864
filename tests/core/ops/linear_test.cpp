#include "core/ops/linear.h"

#include "core/ops/arithmetic.h"
#include "core/parallel.h"
#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(Linear, Contract) {
  check_op("with bias", {{5, 19}, {7, 19}, {1, 7}}, [](const auto& x) { return linear(x[0], x[1], x[2]); });
  check_op("without bias", {{5, 19}, {7, 19}}, [](const auto& x) { return linear(x[0], x[1]); });
  check_op("residual", {{4, 6}, {6, 6}}, [](const auto& x) { return add(linear(x[0], x[1]), x[0]); });
  check_op("onto", {{5, 19}, {7, 19}, {5, 7}}, [](const auto& x) { return linear(x[0], x[1], {}, x[2]); });
  check_op("with bias, onto", {{5, 19}, {7, 19}, {1, 7}, {5, 7}},
           [](const auto& x) { return linear(x[0], x[1], x[2], x[3]); });
  check_op("onto its input", {{4, 6}, {6, 6}}, [](const auto& x) { return linear(x[0], x[1], {}, x[0]); });
  check_op("one row", {{1, 3}, {2, 3}, {1, 2}}, [](const auto& x) { return linear(x[0], x[1], x[2]); });
}

TEST(Linear, ByHand) {
  const auto x = constant(array<double>({{1, 2}, {3, 4}}));
  const auto w = constant(array<double>({{1, 0}, {0, 1}, {10, 100}}));
  expect_close(linear(x, w, constant(array<double>({{1, 2, 3}}))), array<double>({{2, 4, 213}, {4, 6, 433}}), 0);
}

TEST(Linear, NoRows) {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    Tape<T> tape;
    const auto w = leaf(random_array<T>(3, 4, 1)), b = leaf(random_array<T>(1, 3, 2));
    const auto y = linear(constant(uninitialized<T>(0, 4)), w, b);
    EXPECT_EQ(y.rows(), 0u);
    tape.backward(y, uninitialized<T>(0, 3));
    expect_close(w.gradient(), zeros<T>(3, 4), 0);
    expect_close(b.gradient(), zeros<T>(1, 3), 0);
  };
  check(0.0);
  check(0.0f);
}

// 1100 rows are several blocks of parallel work; 64 columns are taken in halves where the library prefers it.
TEST(Linear, ManyRows) {
  const auto run = []<class T>(T) {
    return run_op<T>([](const auto& x) { return linear(x[0], x[1], x[2], x[3]); },
                     {random_array<double>(1100, 24, 1), random_array<double>(64, 24, 2),
                      random_array<double>(1, 64, 3), random_array<double>(1100, 64, 4)});
  };
  const auto in_double = run(0.0);
  const auto in_float = run(0.0f);
  for (std::size_t k = 0; k < in_double.size(); ++k) expect_close(in_float[k], in_double[k], 1e-4, join("array ", k));
}

TEST(Linear, SameBitsForAnyNumberOfThreads) {
  const auto x = constant(random_array<float>(1100, 24, 1)), w = constant(random_array<float>(40, 24, 2));
  const auto with = [&](std::size_t count) {
    set_threads(count);
    const auto y = linear(x, w);
    set_threads(1);
    Array<float> value = uninitialized<float>(1100, 40);
    copy(y.value(), view(value));
    return value;
  };
  const Array<float> one = with(1);
  EXPECT_TRUE(same_bits(one, with(2)));
  EXPECT_TRUE(same_bits(one, with(3)));
}

}  // namespace
}  // namespace lengthwise
