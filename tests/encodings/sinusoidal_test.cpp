#include <gmock/gmock.h>

#include <cmath>

#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

// What is added at the given ids.
Array<double> table(std::size_t width, const std::vector<double>& ids, const OptionValues& options = {}) {
  Harness<double> harness("sinusoidal", options, {.width = width}, {ids});
  return harness.embed(zeros<double>(ids.size(), width));
}

// Two public codes pad an odd width with a zero column, and others drop a cosine; we refuse.
TEST(sinusoidal, odd_width_is_refused) {
  for (const std::size_t width : {5, 9})
    EXPECT_THAT(refusal([&] { table(width, {1}); }), HasSubstr(join("model.width is ", width, ";")));
  EXPECT_THAT(refusal([] {
                table(2, {1}, {{"bank", "tensor2tensor"}});
              }),
              HasSubstr("tensor2tensor needs model.width > 2"));
}

TEST(sinusoidal, by_hand) {
  const Array<double> t = table(4, {0, 1, 2.5});
  const double expected[3][4] = {{0, 1, 0, 1},
                                 {std::sin(1.0), std::cos(1.0), std::sin(0.01), std::cos(0.01)},
                                 {std::sin(2.5), std::cos(2.5), std::sin(0.025), std::cos(0.025)}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(t(i, j), expected[i][j], 1e-15) << i << ", " << j;
}

TEST(sinusoidal, scaled_starts_at_one_over_the_root_of_the_width) {
  Harness<double> harness("sinusoidal", {{"scaled", "true"}}, {.width = 16}, {{3.0}});
  const Array<double> plain = table(16, {3}), x = random_array<double>(1, 16, 1), y = harness.embed(x);
  for (std::size_t j = 0; j < 16; ++j) EXPECT_NEAR(y(0, j), x(0, j) + plain(0, j) / 4, 1e-15);
}

// A row depends on its id alone, not on how many there are, and its norm on nothing.
TEST(sinusoidal, rows_differ_and_keep_their_norm) {
  const Array<double> six = table(8, counting(6)), seven = table(8, counting(7));
  for (std::size_t i = 0; i < 6; ++i) {
    double square = 0;
    bool as_before = i > 0;
    for (std::size_t j = 0; j < 8; ++j) {
      EXPECT_EQ(six(i, j), seven(i, j));
      square += six(i, j) * six(i, j);
      as_before = as_before && six(i, j) == six(i - 1, j);
    }
    EXPECT_NEAR(square, 4, 1e-14);
    EXPECT_FALSE(as_before);
  }
}

TEST(sinusoidal, float_angles_are_formed_in_double) {
  std::vector<double> ids;
  for (const double from : {255, 16384, 1000000})
    for (double p = from; p < from + 6; ++p) ids.push_back(p);
  Harness<float> single("sinusoidal", {}, {.width = 16}, {ids});
  const Array<float> mine = single.embed(zeros<float>(ids.size(), 16));
  const Array<double> exact = table(16, ids);
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < 16; ++j) EXPECT_NEAR(mine(i, j), exact(i, j), 1e-7) << "position " << ids[i];
}

}  // namespace
}  // namespace lengthwise
