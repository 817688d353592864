#include <gmock/gmock.h>

#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

Array<double> row(const std::vector<double>& values) {
  Array<double> x = uninitialized<double>(1, values.size());
  std::ranges::copy(values, x.row(0));
  return x;
}

// x turned to position p, as one head.
Array<double> turned(const Array<double>& x, double p, const OptionValues& options = {}) {
  Harness<double> harness("rope", options, {.width = x.cols()}, {{p}});
  return harness.rotate(x);
}

double product(const Array<double>& a, const Array<double>& b) {
  return std::inner_product(a.row(0), a.row(0) + a.size(), b.row(0), 0.0);
}

TEST(rope, by_hand) {
  const Array<double> x = row({1, 2, 3, 4});
  for (const char* layout : {"half", "interleaved"})
    EXPECT_EQ(largest_difference(turned(x, 0, {{"layout", layout}}), x), 0);
  EXPECT_LT(
      largest_difference(turned(x, 1, {{"layout", "interleaved"}}), row({-1.142640, 1.922076, 2.959851, 4.029800})),
      1e-6);
  EXPECT_LT(largest_difference(turned(x, 1), row({-1.984111, 1.959901, 2.462378, 4.019800})), 1e-6);
}

// Head width 4 and base 10000: angles 1 and 0.01 a position, and no hidden scaling at any length.
TEST(rope, angles_are_position_times_frequency) {
  for (const double p : {1.0, 64.0, 65.0, 1024.0, 2.5}) {
    const Array<double> y = turned(row({1, 1, 0, 0}), p);
    EXPECT_LT(largest_difference(y, row({std::cos(p), std::cos(0.01 * p), std::sin(p), std::sin(0.01 * p)})), 1e-13)
        << p;
    EXPECT_EQ(largest_difference(turned(row({1, 1, 0, 0}), p, {{"scaling", "none"}}), y), 0);
  }
}

// A width of 4 of 8 channels: frequencies 1 and 0.01 (of width 4, not 8), pairs inside the first 4.
TEST(rope, partial_rotation_uses_its_own_width) {
  const Array<double> x = row({1, 1, 0, 0, 5, 6, 7, 8}), y = turned(x, 1, {{"fraction", "0.5"}});
  EXPECT_LT(largest_difference(y, row({std::cos(1), std::cos(0.01), std::sin(1), std::sin(0.01), 5, 6, 7, 8})), 1e-15);
  EXPECT_EQ(largest_difference(turned(x, 9, {{"fraction", "0"}}), x), 0);
  EXPECT_THAT(refusal([&] { turned(x, 1, {{"fraction", "0.4"}}); }), HasSubstr("is 3; channels turn in pairs"));
  // 0.1 * 40 and 0.7 * 20 are not whole in binary.
  EXPECT_NO_THROW(turned(zeros<double>(1, 40), 1, {{"fraction", "0.1"}}));
  EXPECT_NO_THROW(turned(zeros<double>(1, 20), 1, {{"fraction", "0.7"}}));
}

TEST(rope, is_a_group_of_rotations) {
  const Array<double> q = random_array<double>(1, 8, 1);
  for (const char* name : {"half", "interleaved"}) {
    const OptionValues layout{{"layout", name}};
    const Array<double> y = turned(q, 11, layout);
    EXPECT_LT(largest_difference(turned(turned(q, 4, layout), 7, layout), y), 1e-14);
    EXPECT_LT(largest_difference(turned(y, -11, layout), q), 1e-14);
    const double at_home = product(turned(q, 5, layout), turned(q, 5, layout));
    for (const double p : {0.0, 4.0, 6.0, 50.0})
      EXPECT_LT(product(turned(q, p, layout), turned(q, 5, layout)), at_home);
  }
}

// Channels 0 1 2 3 4 5 6 7 of the interleaved layout are 0 4 1 5 2 6 3 7 of the other.
TEST(rope, layouts_are_conjugate) {
  const Array<double> x = random_array<double>(1, 8, 3);
  Array<double> permuted = uninitialized<double>(1, 8), back = uninitialized<double>(1, 8);
  for (std::size_t m = 0; m < 4; ++m) permuted(0, m) = x(0, 2 * m), permuted(0, m + 4) = x(0, 2 * m + 1);
  const Array<double> half = turned(permuted, 6);
  for (std::size_t m = 0; m < 4; ++m) back(0, 2 * m) = half(0, m), back(0, 2 * m + 1) = half(0, m + 4);
  EXPECT_EQ(largest_difference(back, turned(x, 6, {{"layout", "interleaved"}})), 0);
}

TEST(rope, a_token_without_position_is_not_turned) {
  Harness<double> harness("rope", {}, {.width = 8}, {{3, 3}});
  harness.positions().without_position = {true, false};
  const Array<double> x = random_array<double>(2, 8, 4), y = harness.rotate(x);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(y(0, j), x(0, j));
  EXPECT_NE(y(1, 0), x(1, 0));
}

// Unit vectors show the cosines and sines that the float build turns by.
TEST(rope, float_angles_are_formed_in_double) {
  std::vector<double> ids;
  for (const double from : {255, 16384, 1000000})
    for (double p = from; p < from + 6; ++p) ids.push_back(p);
  Harness<float> harness("rope", {}, {.width = 64}, {ids});
  Array<float> x = zeros<float>(ids.size(), 64);
  for (std::size_t i = 0; i < ids.size(); ++i) std::fill_n(&x(i, 0), 32, 1.0f);
  const Array<float> y = harness.rotate(x);
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t m = 0; m < 32; ++m) {
      const double angle = ids[i] * std::pow(10000, -static_cast<double>(m) / 32);
      EXPECT_NEAR(y(i, m), std::cos(angle), 1e-6) << "position " << ids[i];
      EXPECT_NEAR(y(i, m + 32), std::sin(angle), 1e-6) << "position " << ids[i];
    }
}

TEST(rope, a_share_of_less_than_a_pair_is_refused) {
  for (const auto& [option, share] : {std::pair{"fraction", "0.05"}, {"keep_fraction", "0.1"}})
    EXPECT_THAT(refusal([&] {
                  Harness<double>("rope", {{option, share}}, {.width = 16, .heads = 1}, {{0}});
                }),
                testing::HasSubstr("nothing would turn"));
}

}  // namespace
}  // namespace lengthwise
