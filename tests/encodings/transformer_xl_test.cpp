#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

const char* const projection = "blocks.0.transformer_xl.projection";
const char* const content_bias = "transformer_xl.content_bias";
const char* const position_bias = "transformer_xl.position_bias";

// r(d) = d in both directions: sin(d w_1) / w_1 with w_1 = 1e-6.
TEST(transformer_xl, entries_belong_to_query_minus_key) {
  const std::size_t n = 4;
  Harness<double> harness("transformer_xl", {{"base", "1e12"}}, {.width = 4, .causal = false}, {counting(n)});
  for (const char* name : {projection, content_bias, position_bias}) fill(harness.parameter(name), 0.0);
  harness.parameter(projection)(0, 1) = 1e6;
  Array<double> q = zeros<double>(n, 4);
  for (std::size_t i = 0; i < n; ++i) q(i, 0) = 2;  // scores are halved, for 4 channels
  const Array<double> scores = scores_of(harness, q, zeros<double>(n, 4))[0];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(scores(i, j), static_cast<double>(i) - static_cast<double>(j), 1e-9);
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
