// What whole families of encodings have in common, and how they contain one another.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/encodings/attend.h"
#include "tests/encodings/grids.h"

namespace lengthwise {
namespace {

// Random parameters: initial ones are partly zero.
void stir(Harness<double>& harness) {
  std::uint64_t seed = 20;
  for (const ParameterInfo& info : harness.store().list())
    copy(view(random_array<double>(info.rows, info.cols, ++seed)), harness.parameter(info.name));
  harness.clamp();
}

struct Inputs {
  Array<double> q, k, v;
  explicit Inputs(std::size_t n)
      : q(random_array<double>(n, 4, 1)), k(random_array<double>(n, 4, 2)), v(random_array<double>(n, 4, 3)) {}
};

ModelShape two_heads(bool causal) { return {.width = 4, .heads = 2, .causal = causal, .train_positions = 8}; }

// One causal row shows the distances up to a constant of its own, which softmax does not see.
TEST(families, alibi_of_columns_is_alibi_of_distances_under_a_causal_mask_alone) {
  const std::size_t n = 5;
  const Array<double> scores = random_array<double>(n, n, 1);
  for (const bool causal : {true, false}) {
    Harness<double> harness("alibi", {{"max_exponent", "1"}}, {.width = n, .causal = causal}, {counting(n)});
    Harness<double> none("none", {}, {.width = n, .causal = causal}, {counting(n)});
    Array<double> by_column = scores;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) by_column(i, j) += 0.5 * static_cast<double>(j);
    const double difference = largest_difference(harness.weights(scores), none.weights(by_column));
    if (causal)
      EXPECT_LT(difference, 1e-6);
    else
      EXPECT_GT(difference, 0.1);
  }
}

TEST(families, even_biases_alone_are_blind_to_reflection) {
  const std::size_t n = 7;
  const Inputs in(n);
  const auto reversed = [n](const Array<double>& x) {
    Array<double> y = uninitialized<double>(n, x.cols());
    for (std::size_t i = 0; i < n; ++i) copy(view(x).block_rows(n - 1 - i, 1), view(y).block_rows(i, 1));
    return y;
  };
  const auto effect = [&](const std::string& name, const OptionValues& options) {
    Harness<double> harness(name, options, two_heads(false), {counting(n)});
    stir(harness);
    return largest_difference(reversed(attended(harness, reversed(in.q), reversed(in.k), reversed(in.v), in.v).out),
                              attended(harness, in.q, in.k, in.v, in.v).out);
  };
  for (const auto& [name, options] : std::vector<std::pair<std::string, OptionValues>>{
           {"none", {}}, {"alibi", {}}, {"kerple", {}}, {"kerple", {{"kernel", "power"}}}, {"sandwich", {}}})
    EXPECT_LT(effect(name, options), 1e-14) << name;
  for (const auto& [name, options] : std::vector<std::pair<std::string, OptionValues>>{{"alibi", {{"mode", "offset"}}},
                                                                                       {"t5", {}},
                                                                                       {"shaw", {}},
                                                                                       {"scalar_bias", {}},
                                                                                       {"deberta", {}},
                                                                                       {"transformer_xl", {}},
                                                                                       {"rope", {}}})
    EXPECT_GT(effect(name, options), 1e-5) << name;
}

// Keys whose distances share a parameter may change places, on each side of a query.
TEST(families, clipped_distances_share_their_parameters_bit_for_bit) {
  const std::size_t n = 12, query = 6;
  const Inputs in(n);
  const OptionValues shaw{{"clip", "3"}}, scalar{{"max_distance", "3"}}, t5{{"buckets", "8"}, {"max_distance", "4"}},
      deberta{{"clip", "3"}};
  for (const auto& [name, options] : std::vector<std::pair<std::string, OptionValues>>{
           {"shaw", shaw}, {"scalar_bias", scalar}, {"t5", t5}, {"deberta", deberta}}) {
    Harness<double> harness(name, options, two_heads(false), {counting(n)});
    stir(harness);
    const auto scores = [&](const Array<double>& k) { return scores_of(harness, in.q, k); };
    for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {10, 11}}) {
      Array<double> swapped = in.k;
      for (std::size_t c = 0; c < 4; ++c) std::swap(swapped(a, c), swapped(b, c));
      const auto before = scores(in.k), after = scores(swapped);
      for (std::size_t h = 0; h < 2; ++h) {
        EXPECT_EQ(before[h](query, a), after[h](query, b)) << name << " " << a;
        EXPECT_EQ(before[h](query, b), after[h](query, a)) << name << " " << a;
      }
    }
    const auto plain = scores(in.k);  // and the two sides have parameters of their own
    Array<double> swapped = in.k;
    for (std::size_t c = 0; c < 4; ++c) std::swap(swapped(1, c), swapped(11, c));
    EXPECT_GT(std::abs(scores(swapped)[0](query, 11) - plain[0](query, 1)), 1e-3) << name;
  }
}

// The first distance of every bucket of 32 with max_distance 128, causal; and of 16 a side, bidirectional.
TEST(families, t5_buckets_begin_where_the_reference_s_do) {
  const std::vector<double> causal{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                   16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113};
  const std::vector<double> side{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  std::size_t bucket = 0, near = 0;
  for (double d = 0; d <= 512; ++d) {
    if (bucket + 1 < causal.size() && d == causal[bucket + 1]) ++bucket;
    if (near + 1 < side.size() && d == side[near + 1]) ++near;
    EXPECT_EQ(t5_bucket({}, true, d), bucket) << d;
    EXPECT_EQ(t5_bucket({}, false, d), near) << d;
    if (d > 0) {
      EXPECT_EQ(t5_bucket({}, false, -d), 16 + near) << d;
    }
  }
}

// Shifted training positions are no augmentation for what sees distances alone.
TEST(families, relative_encodings_do_not_see_a_shift) {
  const std::size_t n = 9;
  const Inputs in(n);
  for (const char* name : {"alibi", "kerple", "t5", "scalar_bias", "sandwich", "shaw", "deberta", "transformer_xl"}) {
    std::vector<double> moved = counting(n);
    for (double& p : moved) p += 417;
    Harness<double> here(name, {}, two_heads(true), {counting(n)}), there(name, {}, two_heads(true), {moved});
    stir(here), stir(there);
    EXPECT_EQ(
        largest_difference(attended(here, in.q, in.k, in.v, in.v).out, attended(there, in.q, in.k, in.v, in.v).out), 0)
        << name;
  }
}

TEST(families, absolute_encodings_tell_positions_apart_whatever_the_length) {
  for (const char* name : {"sinusoidal", "learned", "bert"}) {
    const auto added = [&](std::size_t n) {
      Harness<double> harness(name, {}, {.width = 8, .train_positions = 8}, {counting(n)});
      stir(harness);
      Array<double> equal_tokens = zeros<double>(n, 8);
      fill(view(equal_tokens), 0.25);
      return harness.embed(equal_tokens);
    };
    const Array<double> six = added(6), seven = added(7);
    double apart = 0;
    for (std::size_t c = 0; c < 8; ++c) {
      apart = std::max(apart, std::abs(six(0, c) - six(1, c)));
      for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(six(i, c), seven(i, c)) << name;
    }
    EXPECT_GT(apart, 0.01) << name;
  }
}

// 32 positions met in any order of distance: 63 columns, one for each signed distance.
TEST(families, both_signs_of_a_distance_have_parameters_of_their_own) {
  std::vector<double> ids = counting(32);
  Harness<double> harness("scalar_bias", {{"max_distance", "31"}}, {.width = 1, .causal = false}, {ids});
  const Matrix<double> table = harness.parameter("scalar_bias.table");
  EXPECT_EQ(table.cols, 63u);
  count_up(table);
  const Variable<double> bias = harness.bias();
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 32; ++j)
      EXPECT_EQ(bias.value()(i, j), 31 + static_cast<double>(i) - static_cast<double>(j));
}

TEST(families, rotations_of_a_grid_keep_the_norm_of_every_pair) {
  const GridIds grid(3, 4);
  const Array<double> x = random_array<double>(12, 16, 1);
  for (const char* name : {"rope2d_axial", "rope2d_mixed"})
    for (const char* layout : {"half", "interleaved"}) {
      const auto harness = on_grid(name, {{"layout", layout}}, {.width = 16, .heads = 2, .causal = false}, grid);
      stir(*harness);
      const Array<double> y = harness->rotate(x);
      for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t h = 0; h < 2; ++h)
          for (std::size_t m = 0; m < 4; ++m) {
            const bool half = *layout == 'h';
            const std::size_t a = h * 8 + (half ? m : 2 * m), b = h * 8 + (half ? m + 4 : 2 * m + 1);
            EXPECT_NEAR(std::hypot(y(i, a), y(i, b)), std::hypot(x(i, a), x(i, b)), 1e-14) << name << layout;
          }
    }
}

// The number of class tokens is the config's: 14 x 14 = 196 rows with none, 197 with one, whose row no grid changes.
TEST(families, a_vit_table_knows_its_class_token) {
  for (const std::size_t prefix : {0, 1})
    for (const std::size_t side : {14, 7}) {
      GridIds grid(side, side);
      grid.row.insert(grid.row.begin(), prefix, 0.0), grid.column.insert(grid.column.begin(), prefix, 0.0);
      const auto harness = on_grid("vit_learned", {{"prefix", join(prefix)}}, {.width = 2, .causal = false}, grid);
      const Matrix<double> table = harness->parameter("vit_learned.table");
      ASSERT_EQ(table.rows, 196 + prefix);
      stir(*harness);
      harness->positions().without_position.assign(grid.tokens(), false);
      std::fill_n(harness->positions().without_position.begin(), prefix, true);
      const Array<double> added = harness->embed(zeros<double>(grid.tokens(), 2));
      for (std::size_t t = 0; t < (side == 14 ? grid.tokens() : prefix); ++t)
        for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(added(t, c), table(t, c)) << prefix << " " << side;
    }
}

}  // namespace
}  // namespace lengthwise
