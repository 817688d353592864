#include "core/ops/arithmetic.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"
#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

const char* const projection = "blocks.0.transformer_xl.projection";
const char* const content_bias = "transformer_xl.content_bias";
const char* const position_bias = "transformer_xl.position_bias";

void load(Harness<double>& harness, const GoldenCase& c) {
  set_parameter(harness, content_bias, c.input("u").values);
  set_parameter(harness, position_bias, c.input("v").values);
}

// The layer around the published attention: keys and values of the memory and of x, queries of x.
TEST(transformer_xl, layers_of_public_code) {
  for (const char* name : {"no_memory", "with_memory"}) {
    SCOPED_TRACE(name);
    const GoldenCase c = golden("transformer_xl.h5", name);
    const GoldenArray x = c.input("x");
    const std::size_t sequences = x.shape[0], n = x.shape[1], width = x.shape[2];
    const auto memory = static_cast<std::size_t>(c.integer("mem_len")),
               heads = static_cast<std::size_t>(c.integer("n_heads"));
    const std::size_t all = memory + n;
    ASSERT_TRUE(memory == 0 || sequences == 1);
    Harness<double> harness("transformer_xl", {}, {.width = width, .heads = heads}, counting(sequences, all));
    load(harness, c);
    set_parameter(harness, projection, c.input("w_r").values);

    Array<double> whole = zeros<double>(sequences * all, width);
    const Array<double> own = x.array();
    copy(view(own), view(whole).block_rows(memory, sequences * n));
    if (memory) {
      const Array<double> before = c.input("mems").array();
      copy(view(before), view(whole).block_rows(0, memory));
    }
    std::vector<std::size_t> query_offsets{0}, query_rows, rows_of_x;
    for (std::size_t b = 0; b < sequences; ++b) {
      for (std::size_t i = 0; i < n; ++i) query_rows.push_back(memory + i), rows_of_x.push_back(b * all + memory + i);
      query_offsets.push_back(query_rows.size());
    }

    std::map<std::string, Variable<double>> leaves{{"x", leaf(whole)}};
    for (const char* w : {"w_qkv", "w_o", "ln_weight", "ln_bias"}) leaves[w] = leaf(c.input(w).array());
    std::vector<double> gradient(harness.store().flat().cols);
    Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
    const Variable<double> qkv = linear(leaves["x"], leaves["w_qkv"]), asking = select_rows(leaves["x"], rows_of_x);
    const Context context = harness.context();
    const AttentionShape shape{.heads = heads,
                               .offsets = harness.offsets(),
                               .query_offsets = query_offsets,
                               .query_rows = query_rows,
                               .tile_rows = 4};
    const Variable<double> mixed =
        attention(select_rows(columns(qkv, 0, width), rows_of_x), columns(qkv, width, width),
                  columns(qkv, 2 * width, width), shape,
                  {HeadGroup<double>{
                      {0, heads}, harness.encoding().scale(width / heads), harness.encoding().terms({}, context)}});
    const Variable<double> y = layer_norm(add(asking, linear(mixed, leaves["w_o"])), leaves["ln_weight"],
                                          leaves["ln_bias"], c.real("layer_norm_eps"));
    expect_golden(y.value(), c, "out");
    tape.backward(y, c.input("grad_out").array());
    for (const char* w : {"w_qkv", "w_o", "ln_weight", "ln_bias"})
      expect_golden(leaves[w].gradient(), c, join("grad_", w));
    const Array<double> of_x = leaves["x"].gradient();
    expect_golden(view(of_x).block_rows(memory, sequences * n), c, "grad_x");
    const Attended got{.parameters = gradient};
    expect_golden(got.parameter(harness, content_bias), c, "grad_u");
    expect_golden(got.parameter(harness, position_bias), c, "grad_v");
    expect_golden(got.parameter(harness, projection), c, "grad_w_r");
  }
}

// [B, n, H, d] of scores before the softmax: the terms' own plus q.k, with ids as given.
std::vector<double> scores(Harness<double>& harness, const GoldenArray& q, const GoldenArray& k) {
  const std::size_t sequences = q.shape[0], n = q.shape[1], heads = q.shape[2], d = q.shape[3];
  const Context context = harness.context();
  const auto terms = harness.encoding().terms({}, context).scores;
  std::vector<double> all;
  for (std::size_t b = 0; b < sequences; ++b)
    for (std::size_t h = 0; h < heads; ++h) {
      std::vector<std::size_t> rows(n);
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      const std::vector<KeyRange> visible(n, {0, n});
      const auto of_head = [&](const GoldenArray& a) {
        return Matrix<const double>{a.values.data() + (b * n * heads + h) * d, n, d, heads * d};
      };
      const Tile<double> tile{.sequence = b,
                              .head = h,
                              .begin = b * n,
                              .length = n,
                              .query_rows = rows,
                              .visible = visible,
                              .q = of_head(q),
                              .k = of_head(k)};
      Array<double> s = zeros<double>(n, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t c = 0; c < d; ++c) s(i, j) += tile.q(i, c) * tile.k(j, c);
      for (const auto& term : terms) {
        Scratch<double> scratch;
        term->forward(tile, view(s), scratch);
      }
      all.insert(all.end(), s.data(), s.data() + s.size());
    }
  return all;
}

// This public code takes the sinusoid of key minus query, and projects by x @ w: ids that fall instead of rise.
// relative_causal_length_dependent_as_published has no counterpart: it gives distance d the sinusoid of n - 1 - d, so
// that what a distance means depends on the length, which is against the paper.
TEST(transformer_xl, bidirectional_scores_of_public_code_with_its_sign) {
  const GoldenCase c = golden("randomized.h5", "relative_bidirectional");
  const GoldenArray q = c.input("q"), w = c.input("w_r");
  const std::size_t n = q.shape[1], heads = q.shape[2], width = heads * q.shape[3];
  std::vector<double> falling = counting(n);
  for (double& p : falling) p = -p;
  Harness<double> harness("transformer_xl", {}, {.width = width, .heads = heads, .causal = false},
                          std::vector<std::vector<double>>(q.shape[0], falling));
  load(harness, c);
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < width; ++j) harness.parameter(projection)(j, i) = w.values[i * width + j];
  expect_golden(scores(harness, q, c.input("k")), c, "scores");
}

// r(d) = d in both directions: sin(d w_1) / w_1 with w_1 = 1e-6.
TEST(transformer_xl, entries_belong_to_query_minus_key) {
  const std::size_t n = 4;
  Harness<double> harness("transformer_xl", {{"base", "1e12"}}, {.width = 4, .causal = false}, {counting(n)});
  for (const char* name : {projection, content_bias, position_bias}) fill(harness.parameter(name), 0.0);
  harness.parameter(projection)(0, 1) = 1e6;
  GoldenArray q{{1, n, 1, 4}, std::vector<double>(4 * n)};
  for (std::size_t i = 0; i < n; ++i) q.values[4 * i] = 1;
  const std::vector<double> all = scores(harness, q, GoldenArray{q.shape, std::vector<double>(4 * n)});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(all[i * n + j], static_cast<double>(i) - static_cast<double>(j), 1e-9);
}

TEST(transformer_xl, without_positions_a_key_bias_is_left) {
  const std::size_t n = 5;
  Harness<double> harness("transformer_xl", {}, {.width = 4, .heads = 2}, {counting(n)});
  Harness<double> none("none", {}, {.width = 4, .heads = 2}, {counting(n)});
  fill(harness.parameter(projection), 0.0);
  const Array<double> q = random_array<double>(n, 4, 1), k = random_array<double>(n, 4, 2),
                      v = random_array<double>(n, 4, 3);
  Array<double> shifted = q;
  for (std::size_t i = 0; i < n; ++i) accumulate(harness.parameter(content_bias), view(shifted).block_rows(i, 1));
  EXPECT_LT(largest_difference(attended(harness, q, k, v, v).out, attended(none, shifted, k, v, v).out), 1e-14);
}

TEST(transformer_xl, clamp_len_makes_far_keys_alike) {
  const std::size_t n = 6;
  const Array<double> q = random_array<double>(n, 4, 1), v = random_array<double>(n, 4, 3);
  Array<double> k = random_array<double>(n, 4, 2);
  Harness<double> clamped("transformer_xl", {{"clamp_len", "2"}, {"init_std", "0.5"}}, {.width = 4, .causal = false},
                          {counting(n)});
  const auto last = [&](std::size_t a, std::size_t b) {
    Array<double> keys = k, values = v;
    for (std::size_t c = 0; c < 4; ++c) std::swap(keys(a, c), keys(b, c)), std::swap(values(a, c), values(b, c));
    return attended(clamped, q, keys, values, v).out(5, 0);
  };
  EXPECT_NEAR(last(0, 3), last(0, 0), 1e-14);  // distances 5 and 2
  EXPECT_GT(std::abs(last(0, 4) - last(0, 0)), 1e-6);
}

// Two tokens alone have ids in equal steps; among others they do not, and their distances are found another way.
TEST(transformer_xl, sequences_with_any_ids_do_not_depend_on_others) {
  const std::vector<std::vector<double>> ids{{3, 900}, {0, 1, 700, 701}, {5}};
  const auto out = [&](const std::vector<std::vector<double>>& batch, std::size_t first) {
    Harness<double> harness("transformer_xl", {{"init_std", "0.5"}}, {.width = 8, .heads = 2, .causal = false}, batch);
    const std::size_t tokens = harness.offsets().back();
    const auto in = [&](std::uint64_t seed) {
      const Array<double> all = random_array<double>(7, 8, seed);
      return Harness<double>::copied(view(all).block_rows(first, tokens));
    };
    return attended(harness, in(1), in(2), in(3), in(4)).out;
  };
  const Array<double> together = out(ids, 0);
  std::size_t first = 0;
  for (const auto& own : ids) {
    const Array<double> alone = out({own}, first);
    const Array<double> among = Harness<double>::copied(view(together).block_rows(first, own.size()));
    EXPECT_EQ(largest_difference(alone, among), 0) << own.size();
    first += own.size();
  }
}

TEST(transformer_xl, layers_share_their_biases_unless_untied) {
  for (const char* untie : {"false", "true"}) {
    ParameterStore<double> store(1);
    const ModelShape shape{.layers = 2, .width = 4, .heads = 2};
    const Options options = encoding_options("transformer_xl", {{"untie_r", untie}});
    for (std::size_t layer = 0; layer < 2; ++layer)
      make_encoding<double>("transformer_xl", {shape, layer, {0, 2}, options, store});
    EXPECT_EQ(store.list().size(), std::string(untie) == "true" ? 6u : 4u);
  }
}

}  // namespace
}  // namespace lengthwise
