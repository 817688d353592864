// Scalings of rotary frequencies: what each leaves alone, and how sequences of a batch are told apart.
#include <gmock/gmock.h>

#include "encodings/rope_frequencies.h"
#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::Pointwise;

std::vector<double> plain(std::size_t width, double base = 10000) { return rope_frequencies(width, base, {}, 0).w; }

TEST(rope_scaling, by_hand) {
  EXPECT_THAT(plain(8), Pointwise(DoubleNear(1e-15), {1.0, 0.1, 0.01, 0.001}));
  EXPECT_THAT(rope_frequencies(8, 10000, {.method = "ntk", .factor = 4, .original_length = 1}, 0).w,
              Pointwise(DoubleNear(1e-6), {1.0, 0.062996, 0.0039685, 0.00025}));
  for (const auto& [s, t] :
       std::map<double, double>{{2, 1.069315}, {4, 1.138629}, {8, 1.207944}, {16, 1.277259}, {32, 1.346574}})
    EXPECT_NEAR(rope_frequencies(8, 10000, {.method = "yarn", .factor = s, .original_length = 64}, 0).attention_factor,
                t, 1e-6);
  EXPECT_NEAR(
      rope_frequencies(2, 10000, {.method = "longrope", .factor = 32, .original_length = 4096}, 0).attention_factor,
      1.190238, 1e-6);
}

const std::vector<std::string> methods = {"linear", "ntk",          "dynamic_ntk", "ntk_by_parts",
                                          "yarn",   "dynamic_yarn", "llama3",      "longrope"};

TEST(rope_scaling, changes_nothing_up_to_L_with_factor_0_and_never_with_factor_1) {
  for (const std::string& method : methods) {
    const RopeScaling by_length{.method = method, .original_length = 64, .long_factors = std::vector<double>(8, 3.0)};
    for (const double n : {1.0, 64.0}) {
      EXPECT_THAT(rope_frequencies(16, 10000, by_length, n).w, Pointwise(DoubleNear(1e-15), plain(16))) << method;
      EXPECT_EQ(rope_frequencies(16, 10000, by_length, n).attention_factor, 1) << method;
    }
    EXPECT_THAT(rope_frequencies(16, 10000, by_length, 256).w, testing::Not(Pointwise(DoubleNear(1e-3), plain(16))))
        << method;
    if (method.starts_with("dynamic")) continue;
    const auto same = rope_frequencies(16, 10000, {.method = method, .factor = 1, .original_length = 64}, 256);
    EXPECT_THAT(same.w, Pointwise(DoubleNear(1e-15), plain(16))) << method;
    EXPECT_EQ(same.attention_factor, 1) << method;
  }
}

TEST(rope_scaling, frequencies_fall_and_lie_between_plain_and_slowed_by_s) {
  for (const std::string& method : methods)
    for (const double L : {4.0, 20.0, 64.0, 4096.0}) {  // at 4 even the first pair turns less than once
      const RopeScaling scaling{.method = method,
                                .factor = method == "dynamic_ntk" ? 1.0 : 4.0,
                                .original_length = L,
                                .long_factors = {1, 1.5, 2, 2.5, 3, 3.5, 4, 4}};
      const std::vector<double> w = rope_frequencies(16, 10000, scaling, 4 * L).w, unscaled = plain(16);
      for (std::size_t m = 0; m < w.size(); ++m) {
        EXPECT_LE(w[m], unscaled[m] * (1 + 1e-12)) << method << " " << L;
        EXPECT_GE(w[m], unscaled[m] / 4 * (1 - 1e-12)) << method << " " << L;
        if (m) {
          EXPECT_LT(w[m], w[m - 1]) << method << " " << L;
        }
      }
      EXPECT_NEAR(w.back(), unscaled.back() / 4, 1e-12) << method << " " << L;
    }
}

TEST(rope_scaling, the_ends_of_yarns_ramp) {
  struct Ends {
    std::size_t width;
    double L;
    std::size_t low, high;
  };
  for (const auto& [width, L, low, high] :
       {Ends{128, 4096, 20, 46}, {128, 2048, 16, 41}, {32, 256, 0, 7}, {32, 64, 0, 5}, {16, 64, 0, 3}}) {
    const auto w = rope_frequencies(width, 10000, {.method = "yarn", .factor = 4, .original_length = L}, 0).w,
               unscaled = plain(width);
    EXPECT_NEAR(w[low], unscaled[low], 1e-15);
    EXPECT_LT(w[low + 1], unscaled[low + 1] * (1 - 1e-3));
    EXPECT_NEAR(w[high], unscaled[high] / 4, 1e-15);
    EXPECT_GT(w[high - 1], unscaled[high - 1] / 4 * (1 + 1e-3));
  }
}

TEST(rope_scaling, llama3_is_continuous_where_its_ranges_meet) {
  for (const double turns : {1.0, 4.0}) {
    // The second of two pairs turns `turns` times within L, or a little more.
    const auto second = [&](double more) {
      const double w = 2 * M_PI * turns / 64 * (1 + more);
      return rope_frequencies(4, 1 / (w * w), {.method = "llama3", .factor = 8, .original_length = 64}, 0).w[1];
    };
    EXPECT_NEAR(second(-1e-9), second(1e-9), 1e-8);
  }
}

// Scores of two tokens at positions p and 0, as the layer's hooks compute them: q and k are (1, 0) in every pair.
double score(Harness<double>& harness, std::size_t token) {
  const std::size_t n = harness.offsets().back();
  Array<double> x = zeros<double>(n, 8);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t m = 0; m < 4; ++m) x(i, m) = 1;
  const Array<double> turned = harness.rotate(x);
  double sum = 0;
  for (std::size_t c = 0; c < 8; ++c) sum += turned(token, c) * turned(0, c);
  return sum;
}

const ModelShape one_head{.layers = 1, .width = 8, .heads = 1, .causal = true, .train_positions = 16};

TEST(rope_scaling, each_sequence_is_scaled_by_its_own_length) {
  for (const std::string& method : methods) {
    OptionValues options{{"scaling", method}};
    if (method == "longrope") options["long_factors"] = "1, 2, 3, 4";
    Harness<double> together("rope", options, one_head, {counting(64), counting(8)}),
        plain_rope("rope", {}, one_head, {counting(64), counting(8)});
    Harness<double> long_one("rope", options, one_head, {counting(64)});
    const Array<double> x = random_array<double>(72, 8, 1);
    const Array<double> mine = together.rotate(x), unscaled = plain_rope.rotate(x);
    expect_close(view(mine).block_rows(64, 8), view(unscaled).block_rows(64, 8), 0, method);
    Array<double> first = uninitialized<double>(64, 8);
    copy(view(x).block_rows(0, 64), view(first));
    expect_close(view(mine).block_rows(0, 64), long_one.rotate(first), 0, method);
    EXPECT_GT(std::abs(score(long_one, 63) - score(plain_rope, 63)), 1e-3) << method;
  }
}

TEST(rope_scaling, linear_is_a_division_of_positions) {
  std::vector<double> squeezed = counting(40);
  for (double& p : squeezed) p /= 2.5;
  Harness<double> scaled("rope", {{"scaling", "linear"}, {"factor", "2.5"}}, one_head, {counting(40)}),
      divided("rope", {}, one_head, {squeezed});
  const Array<double> x = random_array<double>(40, 8, 2);
  expect_close(scaled.rotate(x), divided.rotate(x), 1e-13);
}

TEST(rope_scaling, longrope_keeps_the_first_tokens) {
  const OptionValues options{
      {"scaling", "longrope"}, {"factor", "4"}, {"long_factors", "2,2,2,2"}, {"attention_factor", "1"}};
  OptionValues keeping = options;
  keeping["unscaled_tokens"] = "3";
  const Array<double> x = random_array<double>(32, 8, 3);
  const Array<double> kept = Harness<double>("rope", keeping, one_head, {counting(32)}).rotate(x);
  const Array<double> none = Harness<double>("rope", {}, one_head, {counting(32)}).rotate(x);
  const Array<double> all = Harness<double>("rope", options, one_head, {counting(32)}).rotate(x);
  expect_close(view(kept).block_rows(0, 3), view(none).block_rows(0, 3), 0);
  expect_close(view(kept).block_rows(3, 29), view(all).block_rows(3, 29), 0);
}

TEST(rope_scaling, what_makes_no_sense_is_refused) {
  const auto message = [](const OptionValues& options, ModelShape shape = one_head) {
    return refusal([&] { Harness<double>("rope", options, shape, {counting(4)}); });
  };
  EXPECT_THAT(message({{"factor", "0.5"}}), HasSubstr("rope.factor is 0.5"));
  EXPECT_THAT(message({{"scaling", "longrope"}}), HasSubstr("rope.long_factors to 4 numbers"));
  EXPECT_THAT(message({{"scaling", "longrope"}, {"long_factors", "1,2"}}),
              HasSubstr("has 2 numbers; it needs one a pair, 4"));
  EXPECT_THAT(message({{"scaling", "longrope"}, {"long_factors", "1,2,x,4"}}),
              HasSubstr("entry 3 of rope.long_factors is 'x'"));
  EXPECT_THAT(message({{"scaling", "longrope"}, {"long_factors", "1,2,3,4,"}}), HasSubstr("entry 5 of"));
  EXPECT_THAT(message({{"scaling", "ntk"}}, {.layers = 1, .width = 2, .heads = 1, .train_positions = 16}),
              HasSubstr("more than one pair"));
  EXPECT_THAT(message({{"scaling", "yarn"}, {"beta_slow", "40"}}), HasSubstr("rope.beta_fast is 32"));
  EXPECT_THAT(message({{"scaling", "yarn"}}, {.layers = 1, .width = 8, .heads = 1, .train_positions = 0}),
              HasSubstr("rope.original_length"));
  for (const OptionSpec& option : encoding_info("rope").section.options)
    EXPECT_EQ(option.at_evaluation, option.name != "base" && option.name != "layout" && option.name != "fraction" &&
                                        option.name != "keep_fraction")
        << option.name;
}

}  // namespace
}  // namespace lengthwise
