#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

// [B, n, H, d] -> [B n, H d]: the layout of this family's files.
Array<double> flat(const GoldenArray& golden) {
  Array<double> x = uninitialized<double>(golden.shape[0] * golden.shape[1], golden.shape[2] * golden.shape[3]);
  std::copy(golden.values.begin(), golden.values.end(), x.data());
  return x;
}

// Gates whose logits are the first H channels of x.
void read_logits_from_x(Harness<double>& harness) {
  const Matrix<double> weight = harness.parameter("blocks.0.fox.weight");
  fill(weight, 0.0);
  for (std::size_t h = 0; h < weight.rows; ++h) weight(h, h) = 1;
  fill(harness.parameter("blocks.0.fox.bias"), 0.0);
}

// The bias of all pairs, above the diagonal too: [B H n, n].
Variable<double> bias_of(Harness<double>& harness, const Variable<double>& x, std::size_t heads, std::size_t n) {
  const auto term = harness.encoding().terms(x, harness.context()).scores.at(0);
  const std::size_t sequences = x.rows() / n;
  const auto each = [term, heads, n, sequences](auto work) {
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const std::vector<KeyRange> visible(n, {0, n});
    for (std::size_t b = 0; b < sequences; ++b)
      for (std::size_t h = 0; h < heads; ++h) {
        Tile<double> tile{
            .sequence = b, .head = h, .begin = b * n, .length = n, .query_rows = rows, .visible = visible};
        tile.k.rows = n;
        Scratch<double> scratch;
        work(tile, (b * heads + h) * n, scratch);
      }
  };
  Array<double> values = zeros<double>(sequences * heads * n, n);
  each([&](const Tile<double>& tile, std::size_t first, Scratch<double>& scratch) {
    term->forward(tile, view(values).block_rows(first, n), scratch);
  });
  return record<double>("bias", std::move(values), term->inputs(),
                        [term, each, n](Array<double>& gradient, Sink<double>& into) {
                          const std::vector<Matrix<double>> inputs{into.accumulator(0)};
                          each([&](const Tile<double>& tile, std::size_t first, Scratch<double>& scratch) {
                            TileGradient<double> to{{}, {}, {}, inputs};
                            term->backward(tile, view(gradient).block_rows(first, n), scratch, to);
                          });
                        });
}

TEST(fox, attention_and_gradients_of_public_code) {
  for (const char* name : {"attention", "attention_scale_half"}) {
    SCOPED_TRACE(name);
    const GoldenCase c = golden("forget_gate.h5", name);
    const GoldenArray q = c.input("q");
    const std::size_t sequences = q.shape[0], n = q.shape[1], heads = q.shape[2], width = heads * q.shape[3];
    Harness<double> harness("fox", {}, {.width = width, .heads = heads}, counting(sequences, n));
    read_logits_from_x(harness);
    Array<double> x = zeros<double>(sequences * n, width);
    const Array<double> z = c.input("gate_logits").array();
    copy(view(z), view(x).block_cols(0, heads));
    const Attended got =
        attended(harness, flat(q), flat(c.input("k")), flat(c.input("v")), flat(c.input("grad_out")), x);
    expect_golden(got.out, c, "out");
    expect_golden(got.q, c, "grad_q");
    expect_golden(got.k, c, "grad_k");
    expect_golden(got.v, c, "grad_v");
    expect_golden(view(got.x).block_cols(0, heads), c, "grad_gate_logits");

    Array<double> bias = Harness<double>::copied(bias_of(harness, constant(x), heads, n).value());
    for (std::size_t r = 0; r < bias.shape(0); ++r)
      for (std::size_t j = r % n + 1; j < n; ++j) bias(r, j) = 0;
    expect_golden(bias, c, "bias");
  }
}

TEST(fox, projected_gates_of_public_code) {
  const GoldenCase c = golden("forget_gate.h5", "gate_projection_causal");
  const GoldenArray x = c.input("x");
  const std::size_t heads = static_cast<std::size_t>(c.integer("n_heads")), n = x.shape[1];
  Harness<double> harness("fox", {}, {.width = x.shape[2], .heads = heads}, counting(x.shape[0], n));
  set_parameter(harness, "blocks.0.fox.weight", c.input("w_f").values);
  set_parameter(harness, "blocks.0.fox.bias", c.input("b_f").values);
  std::vector<double> gradient(harness.store().flat().cols);
  Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
  const Variable<double> in = leaf(x.array()), bias = bias_of(harness, in, heads, n);
  expect_golden(bias.value(), c, "bias");
  tape.backward(bias, c.input("grad_bias").array());
  const Attended got{.parameters = gradient};
  expect_golden(got.parameter(harness, "blocks.0.fox.weight"), c, "grad_w_f");
  expect_golden(got.parameter(harness, "blocks.0.fox.bias"), c, "grad_b_f");
  expect_golden(in.gradient(), c, "grad_x");
}
// gate_projection_bidirectional has two gates a head, one for each direction; this encoding is causal.

// Gates of 1/2, 1/4 and 1/8: ln f is -1, -2 and -3 times ln 2.
TEST(fox, by_hand) {
  Harness<double> harness("fox", {}, {.width = 1}, {counting(3)});
  read_logits_from_x(harness);
  Array<double> x = zeros<double>(3, 1);
  for (std::size_t t = 0; t < 3; ++t) x(t, 0) = -std::log(std::exp2(static_cast<double>(t) + 1) - 1);
  const Variable<double> bias = bias_of(harness, constant(x), 1, 3);
  const double ln2 = std::log(2.0);
  EXPECT_NEAR(bias.value()(1, 0), -2 * ln2, 1e-15);
  EXPECT_NEAR(bias.value()(2, 0), -5 * ln2, 1e-15);
  EXPECT_NEAR(bias.value()(2, 1), -3 * ln2, 1e-15);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bias.value()(i, i), 0);
}

TEST(fox, biases_add_up_along_a_path) {
  const std::size_t n = 9;
  Harness<double> harness("fox", {}, {.width = 4, .heads = 2}, {counting(n)});
  const Variable<double> bias = bias_of(harness, constant(random_array<double>(n, 4, 1)), 2, n);
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_LT(bias.value()(h * n + i, j), 0);
        for (std::size_t t = 0; t <= j; ++t)
          EXPECT_NEAR(bias.value()(h * n + i, j) + bias.value()(h * n + j, t), bias.value()(h * n + i, t), 1e-14);
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
