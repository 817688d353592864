#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

std::unique_ptr<PositionScheme> scheme(const std::string& factor) {
  return make_scheme("interpolated", Options(schemes().at("interpolated").section, {{"factor", factor}}));
}

std::vector<double> ids(const std::string& factor, const std::vector<std::size_t>& lengths, std::size_t trained) {
  std::vector<std::size_t> offsets{0};
  for (const std::size_t n : lengths) offsets.push_back(offsets.back() + n);
  Positions positions;
  scheme(factor)->assign({Phase::evaluate, offsets, nullptr, {}, trained}, positions);
  const auto found = positions.channel("sequence");
  return {found.begin(), found.end()};
}

TEST(interpolated, factor_1_and_lengths_within_training_are_sequential) {
  EXPECT_EQ(ids("1", {40}, 8), counting(40));
  EXPECT_EQ(ids("0", {8}, 8), counting(8));
  EXPECT_EQ(ids("0", {3, 2}, 8), std::vector<double>({0, 1, 2, 0, 1}));
  EXPECT_EQ(ids("0", {5}, 0), counting(5));  // before training has a length
}

TEST(interpolated, every_sequence_is_squeezed_by_its_own_length) {
  EXPECT_EQ(ids("0", {8, 2}, 4), std::vector<double>({0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 0, 1}));
  EXPECT_EQ(ids("2", {3, 2}, 4), std::vector<double>({0, 0.5, 1, 0, 0.5}));
}

TEST(interpolated, declares_what_it_does) {
  EXPECT_FALSE(scheme("0")->whole());
  EXPECT_TRUE(schemes().at("interpolated").rescales);
}

// Linear scaling of rotary encodings divides every frequency by the factor; here the ids are divided.
TEST(interpolated, rotates_by_the_frequencies_of_public_linear_scaling) {
  for (const char* name : {"linear_factor4", "linear_factor1p5"}) {
    const GoldenCase c = golden("rope_scaling.h5", name);
    const auto d = static_cast<std::size_t>(c.integer("head_dim"));
    const auto frequencies = c.output("inv_freq").values;
    const std::size_t n = 50;
    Harness<double> harness("rope", {{"base", number_text(c.real("base"))}}, {.width = d},
                            {ids(number_text(c.real("factor")), {n}, 8)});
    Array<double> x = zeros<double>(n, d);
    for (std::size_t i = 0; i < n; ++i) std::fill_n(&x(i, 0), d / 2, 1.0);
    const Array<double> y = harness.rotate(x);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t m = 0; m < d / 2; ++m) {
        EXPECT_NEAR(y(i, m), std::cos(static_cast<double>(i) * frequencies[m]), 1e-12);
        EXPECT_NEAR(y(i, m + d / 2), std::sin(static_cast<double>(i) * frequencies[m]), 1e-12);
      }
    EXPECT_EQ(c.output("attention_factor").values[0], 1);  // scores are not rescaled
  }
}

}  // namespace
}  // namespace lengthwise
