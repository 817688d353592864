#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

void set(Harness<double>& harness, const std::string& name, const std::vector<double>& values) {
  std::ranges::copy(values, harness.parameter(name).data);
}

TEST(kerple, by_hand) {
  Harness<double> log("kerple", {}, {.width = 1, .causal = false}, {{0, 2, 5.5}});
  set(log, "kerple.r1", {2});
  set(log, "kerple.r2", {0.5});
  const double near = -2 * std::log(2.0), far = -2 * std::log(3.75), middle = -2 * std::log(2.75);
  expect_close(log.bias().value(), array<double>({{0, near, far}, {near, 0, middle}, {far, middle, 0}}), 1e-15);

  Harness<double> power("kerple", {{"kernel", "power"}}, {.width = 1}, {{0, 4, 13}});
  set(power, "kerple.r1", {3});
  set(power, "kerple.r2", {0.5});
  expect_close(power.bias().value(), array<double>({{0, 0, 0}, {-6, 0, 0}, {-3 * std::sqrt(13.0), -9, 0}}), 1e-14);
}

TEST(kerple, parameters_start_and_stay_in_range) {
  for (const char* kernel : {"log", "power", "log_power"}) {
    Harness<double> harness("kerple", {{"kernel", kernel}}, {.width = 64, .heads = 64}, {counting(3)});
    const bool power = kernel == std::string("power");
    for (const ParameterInfo& info : harness.store().list()) {
      const Matrix<double> values = harness.store().values(info);
      const bool wide = power == (info.name == "kerple.r2");  // the ranges of r1 and r2 change places
      for (std::size_t h = 0; h < 64; ++h) {
        EXPECT_GE(values(h, 0), 0.01);
        EXPECT_LE(values(h, 0), info.name == "kerple.r3" || !wide ? 1 : 2) << kernel << " " << info.name;
        values(h, 0) = h % 2 ? 50 : -50;
      }
    }
    harness.clamp();
    for (const ParameterInfo& info : harness.store().list()) {
      const bool exponent = info.name == "kerple.r3" || (power && info.name == "kerple.r2");
      EXPECT_EQ(harness.store().values(info)(0, 0), 0.01) << kernel << " " << info.name;
      EXPECT_EQ(harness.store().values(info)(1, 0), exponent ? 2 : 50) << kernel << " " << info.name;
    }
  }
}

TEST(kerple, with_exponent_one_it_is_alibi) {
  const ModelShape shape{.width = 4, .heads = 4, .causal = false};
  Harness<double> power("kerple", {{"kernel", "power"}}, shape, {counting(12)}),
      alibi("alibi", {}, shape, {counting(12)});
  set(power, "kerple.r1", {0.25, 0.0625, 0.015625, 0.00390625});
  set(power, "kerple.r2", {1, 1, 1, 1});
  expect_close(power.bias().value(), alibi.bias().value(), 1e-14);
}

// sum_ij c_i c_j b(i - j) >= 0 whenever the c sum to 0: the kernels are conditionally positive definite.
TEST(kerple, kernels_are_conditionally_positive_definite) {
  const std::size_t n = 16;
  for (const char* kernel : {"log", "power"}) {
    Harness<double> harness("kerple", {{"kernel", kernel}}, {.width = 8, .heads = 8, .causal = false}, {counting(n)});
    const Array<double> bias = Harness<double>::copied(harness.bias().value());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Array<double> c = random_array<double>(1, n, seed);
      const double mean = std::accumulate(c.row(0), c.row(0) + n, 0.0) / static_cast<double>(n);
      each_value(view(c), [&](double& x) { x -= mean; });
      for (std::size_t h = 0; h < 8; ++h) {
        double form = 0;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) form += c(0, i) * c(0, j) * bias(h * n + i, j);
        EXPECT_GT(form, 0) << kernel;
      }
    }
  }
}

TEST(kerple, falls_with_distance_on_both_sides_alike) {
  const std::size_t n = 12;
  for (const char* kernel : {"log", "power", "log_power"}) {
    Harness<double> harness("kerple", {{"kernel", kernel}}, {.width = 2, .heads = 2, .causal = false}, {counting(n)});
    const Variable<double> bias = harness.bias();
    EXPECT_EQ(bias.value()(0, 0), 0);
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t d = 1; d < n; ++d) {
        EXPECT_EQ(bias.value()(h * n, d), bias.value()(h * n + d, 0));
        EXPECT_LT(bias.value()(h * n, d), bias.value()(h * n, d - 1));
      }
  }
}

}  // namespace
}  // namespace lengthwise
