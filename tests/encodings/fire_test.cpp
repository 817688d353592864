#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

OptionValues per_model(OptionValues more = {}) {
  more.insert({"sharing", "per_model"});
  return more;
}

double value(Harness<double>& harness, const char* name) { return harness.parameter(join("fire.", name))(0, 0); }

// The paper's equation, pair by pair: [H n, n], 0 where the mask falls.
Array<double> dense(Harness<double>& harness, const std::vector<double>& ids, bool causal, double start,
                    bool smaller = false) {
  const Matrix<double> w1 = harness.parameter("fire.w1"), b1 = harness.parameter("fire.b1"),
                       w2 = harness.parameter("fire.w2"), b2 = harness.parameter("fire.b2");
  const double c = std::abs(value(harness, "c")), threshold = std::abs(value(harness, "threshold")) * start;
  const std::size_t n = ids.size(), heads = w2.rows;
  Array<double> bias = zeros<double>(heads * n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < (causal ? i + 1 : n); ++j) {
      const double d = ids[i] - ids[j], largest = causal ? ids[i] : ids[n - 1];
      const double limit = smaller ? std::min(threshold, largest) : std::max(threshold, largest);
      const double t = std::copysign(std::log(c * std::abs(d) + 1), d) / (std::log(c * limit + 1) + 1e-6);
      for (std::size_t h = 0; h < heads; ++h) {
        bias(h * n + i, j) = b2(0, h);
        for (std::size_t u = 0; u < w1.cols; ++u)
          bias(h * n + i, j) += w2(h, u) * std::max(0.0, w1(0, u) * t + b1(0, u));
      }
    }
  return bias;
}

TEST(fire, is_the_paper_s_equation) {
  for (const bool causal : {true, false})
    for (const char* limit : {"max", "min"})
      for (const auto& ids :
           {counting(23), std::vector<double>{0, 2, 3, 9, 10, 40}, std::vector<double>{0.5, 1, 4.75, 6, 13.5}}) {
        Harness<double> harness("fire", per_model({{"limit", limit}, {"threshold", "0.5"}}),
                                {.width = 3, .heads = 3, .causal = causal, .train_positions = 16}, {ids});
        harness.parameter("fire.threshold")(0, 0) = -1.1;
        harness.parameter("fire.c")(0, 0) = -0.3;
        expect_close(harness.bias().value(), dense(harness, ids, causal, 8, limit == std::string("min")), 1e-13, limit);
      }
}

// Whatever the network looks like: units that never switch, all alike, or that switch where keys lie.
TEST(fire, any_network_is_piecewise_linear) {
  const std::vector<double> ids = counting(9);
  const std::vector<std::array<std::vector<double>, 2>> networks = {{{{0, 0, 0}, {1, -1, 0}}},
                                                                    {{{1, 1, 1}, {-0.5, -0.5, -0.5}}},
                                                                    {{{2, -3, 0}, {0, 1, 0.5}}},
                                                                    {{{1, -1, 1}, {5, 5, -5}}}};
  for (const auto& [w1, b1] : networks) {
    Harness<double> harness("fire", per_model({{"hidden", "3"}}), {.width = 2, .heads = 2, .train_positions = 4},
                            {ids});
    set_parameter(harness, "fire.w1", {w1.begin(), w1.end()});
    set_parameter(harness, "fire.b1", {b1.begin(), b1.end()});
    expect_close(harness.bias().value(), dense(harness, ids, true, 4), 1e-14);
  }
}

// With f the identity, the bias is the argument itself.
TEST(fire, argument_lies_between_0_and_1) {
  const std::size_t n = 64;
  Harness<double> harness("fire", per_model({{"hidden", "1"}}), {.width = 1, .train_positions = 16}, {counting(n)});
  for (const char* one : {"w1", "w2"}) harness.parameter(join("fire.", one))(0, 0) = 1;
  for (const char* zero : {"b1", "b2"}) harness.parameter(join("fire.", zero))(0, 0) = 0;
  const Variable<double> bias = harness.bias();
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(bias.value()(i, i), 0);
    for (std::size_t j = 0; j <= i; ++j) EXPECT_LE(bias.value()(i, j), 1);
    if (i < 16) continue;
    EXPECT_NEAR(bias.value()(i, 0), 1, 1e-5);
  }
  // Toeplitz up to the threshold, not beyond.
  EXPECT_EQ(bias.value()(5, 3), bias.value()(16, 14));
  EXPECT_GT(bias.value()(16, 14), bias.value()(17, 15) + 1e-4);
}

// Below the threshold and with f a line, it is the logarithmic kernel.
TEST(fire, contains_kerple) {
  const std::size_t n = 24;
  Harness<double> fire("fire", per_model({{"hidden", "1"}}), {.width = 1, .train_positions = n}, {counting(n)});
  Harness<double> kerple("kerple", {}, {.width = 1}, {counting(n)});
  kerple.parameter("kerple.r1")(0, 0) = 0.7;
  kerple.parameter("kerple.r2")(0, 0) = 0.1;
  fire.parameter("fire.w1")(0, 0) = 1;
  fire.parameter("fire.w2")(0, 0) = -0.7 * (std::log(1 + 0.1 * static_cast<double>(n)) + 1e-6);
  for (const char* zero : {"b1", "b2"}) fire.parameter(join("fire.", zero))(0, 0) = 0;
  expect_close(fire.bias().value(), kerple.bias().value(), 1e-14);
}

TEST(fire, sees_absolute_positions_beyond_the_threshold) {
  const std::size_t n = 8;
  const auto weights = [&](double by) {
    std::vector<double> ids = counting(n);
    for (double& p : ids) p += by;
    Harness<double> harness("fire", {}, {.width = n, .train_positions = n}, {ids});
    return harness.weights(random_array<double>(n, n, 1));
  };
  EXPECT_GT(largest_difference(weights(0), weights(4)), 1e-4);
}

TEST(fire, layers_have_their_own_network_unless_shared) {
  const ModelShape shape{.layers = 2, .width = 4, .heads = 2, .train_positions = 8};
  for (const bool share : {false, true}) {
    ParameterStore<float> store(1);
    for (std::size_t layer : {0, 1})
      make_encoding<float>(
          "fire", {shape, layer, {0, 2}, encoding_options("fire", share ? per_model() : OptionValues{}), store});
    EXPECT_EQ(store.list().size(), share ? 6u : 12u);
    EXPECT_EQ(store.find("blocks.1.fire.w1") != nullptr, !share);
    EXPECT_EQ(store.count(), (share ? 1 : 2) * (32u * 2 + 2 + 64 + 2));  // 33 H + 66
  }
}

}  // namespace
}  // namespace lengthwise
