#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

// Gates whose logits are the first H channels of x.
void read_logits_from_x(Harness<double>& harness) {
  const Matrix<double> weight = harness.parameter("blocks.0.fox.weight");
  fill(weight, 0.0);
  for (std::size_t h = 0; h < weight.rows; ++h) weight(h, h) = 1;
  fill(harness.parameter("blocks.0.fox.bias"), 0.0);
}

// The bias of every head: what scores are where q and k are nothing.
std::vector<Array<double>> bias_of(Harness<double>& harness, const Array<double>& x) {
  const Array<double> nothing = zeros<double>(x.rows(), x.cols());
  return scores_of(harness, nothing, nothing, x);
}

// Gates of 1/2, 1/4 and 1/8: ln f is -1, -2 and -3 times ln 2.
TEST(fox, by_hand) {
  Harness<double> harness("fox", {}, {.width = 1}, {counting(3)});
  read_logits_from_x(harness);
  Array<double> x = zeros<double>(3, 1);
  for (std::size_t t = 0; t < 3; ++t) x(t, 0) = -std::log(std::exp2(static_cast<double>(t) + 1) - 1);
  const Array<double> bias = bias_of(harness, x)[0];
  const double ln2 = std::log(2.0);
  EXPECT_NEAR(bias(1, 0), -2 * ln2, 1e-15);
  EXPECT_NEAR(bias(2, 0), -5 * ln2, 1e-15);
  EXPECT_NEAR(bias(2, 1), -3 * ln2, 1e-15);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bias(i, i), 0);
}

TEST(fox, biases_add_up_along_a_path) {
  const std::size_t n = 9;
  Harness<double> harness("fox", {}, {.width = 4, .heads = 2}, {counting(n)});
  for (const Array<double>& bias : bias_of(harness, random_array<double>(n, 4, 1)))
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_LT(bias(i, j), 0);
        for (std::size_t t = 0; t <= j; ++t) EXPECT_NEAR(bias(i, j) + bias(j, t), bias(i, t), 1e-14);
      }
}

TEST(fox, a_constant_gate_is_alibi) {
  const std::size_t n = 6, width = 4, heads = 2;  // slopes 1/16 and 1/256
  Harness<double> alibi("alibi", {}, {.width = width, .heads = heads}, {counting(n)});
  Harness<double> fox("fox", {}, {.width = width, .heads = heads}, {counting(n)});
  fill(fox.parameter("blocks.0.fox.weight"), 0.0);
  for (std::size_t h = 0; h < heads; ++h) {
    const double gate = std::exp(-(h == 0 ? 1.0 / 16 : 1.0 / 256));
    fox.parameter("blocks.0.fox.bias")(0, h) = std::log(gate / (1 - gate));
  }
  const auto in = [&](std::uint64_t seed) { return random_array<double>(n, width, seed); };
  EXPECT_LT(largest_difference(attended(fox, in(1), in(2), in(3), in(4), in(5)).out,
                               attended(alibi, in(1), in(2), in(3), in(4), in(5)).out),
            1e-14);
}

TEST(fox, gates_of_one_are_no_encoding) {
  const std::size_t n = 6;
  Harness<double> none("none", {}, {.width = 4, .heads = 2}, {counting(n)});
  Harness<double> fox("fox", {{"gate_bias_init", "1000"}}, {.width = 4, .heads = 2}, {counting(n)});
  const auto in = [&](std::uint64_t seed) { return random_array<double>(n, 4, seed); };
  EXPECT_EQ(largest_difference(attended(fox, in(1), in(2), in(3), in(4), in(5)).out,
                               attended(none, in(1), in(2), in(3), in(4), in(5)).out),
            0);
}

// At token 20,000, with gates of 1/2, C is -13,863 and its float spacing 0.001.
TEST(fox, near_keys_keep_their_bias_in_long_sequences) {
  const std::size_t n = 20000;
  Harness<float> harness("fox", {{"gate_bias_init", "0"}}, {.width = 1}, {counting(n)});
  const auto term = harness.encoding().terms(constant(zeros<float>(n, 1)), harness.context()).scores.at(0);
  const std::vector<std::size_t> rows{n - 1};
  const std::vector<KeyRange> visible{{n - 10, n}};
  Tile<float> tile{.length = n, .query_rows = rows, .visible = visible};
  tile.k.rows = n;
  Array<float> scores = zeros<float>(1, n);
  Scratch<float> scratch;
  term->forward(tile, view(scores), scratch);
  for (std::size_t j = n - 10; j < n; ++j)
    EXPECT_NEAR(scores(0, j), -std::log(2.0) * static_cast<double>(n - 1 - j), 1e-6);
}

}  // namespace
}  // namespace lengthwise
