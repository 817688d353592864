// The properties by which encodings are known, each by a name of its own.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/encodings/attend.h"
#include "tests/encodings/grids.h"

namespace lengthwise {
namespace {

// Plain self-attention over tokens in this order, the rows put back.
Array<double> attended_in_order(const std::vector<std::size_t>& order, bool causal) {
  const std::size_t n = order.size();
  Harness<double> harness("none", {}, {.width = 8, .heads = 2, .causal = causal}, {counting(n)});
  const auto in_order = [&](const Array<double>& x) {
    Array<double> y = uninitialized<double>(n, 8);
    for (std::size_t i = 0; i < n; ++i) copy(view(x).block_rows(order[i], 1), view(y).block_rows(i, 1));
    return y;
  };
  const Array<double> q = in_order(random_array<double>(n, 8, 1)), k = in_order(random_array<double>(n, 8, 2)),
                      v = in_order(random_array<double>(n, 8, 3));
  const Array<double> y = attended(harness, q, k, v, v).out;
  Array<double> back = uninitialized<double>(n, 8);
  for (std::size_t i = 0; i < n; ++i) copy(view(y).block_rows(i, 1), view(back).block_rows(order[i], 1));
  return back;
}

TEST(seed_properties, self_attention_without_positions_or_mask_is_permutation_equivariant) {
  const Array<double> plain = attended_in_order({0, 1, 2, 3, 4, 5}, false);
  for (const auto& order : {std::vector<std::size_t>{5, 4, 3, 2, 1, 0}, {2, 0, 5, 1, 4, 3}, {1, 0, 2, 3, 4, 5}})
    EXPECT_LT(largest_difference(attended_in_order(order, false), plain), 1e-14);
}

TEST(seed_properties, a_causal_mask_breaks_the_equivariance) {
  const Array<double> plain = attended_in_order({0, 1, 2, 3, 4, 5}, true);
  for (const auto& order : {std::vector<std::size_t>{5, 4, 3, 2, 1, 0}, {2, 0, 5, 1, 4, 3}, {1, 0, 2, 3, 4, 5}})
    EXPECT_GT(largest_difference(attended_in_order(order, true), plain), 0.01);
}

// PE[p + k] = R_k PE[p], R_k a rotation of every pair by k w_m, whatever p; so PE[p] . PE[r] = sum_m cos((p - r) w_m).
TEST(seed_properties, a_fixed_offset_is_a_linear_map_of_the_sinusoidal_table) {
  const double shift = 7.5;
  for (const double p : {0.0, 3.0, 1000.25}) {
    Harness<double> harness("sinusoidal", {}, {.width = 8}, {{p, p + shift}});
    const Array<double> t = harness.embed(zeros<double>(2, 8));
    double product = 0, expected = 0;
    for (std::size_t m = 0; m < 4; ++m) {
      const double a = shift * std::pow(10000, -static_cast<double>(m) / 4), s = t(0, 2 * m), c = t(0, 2 * m + 1);
      EXPECT_NEAR(t(1, 2 * m), s * std::cos(a) + c * std::sin(a), 1e-12);
      EXPECT_NEAR(t(1, 2 * m + 1), c * std::cos(a) - s * std::sin(a), 1e-12);
      product += s * t(1, 2 * m) + c * t(1, 2 * m + 1);
      expected += std::cos(a);
    }
    EXPECT_NEAR(product, expected, 1e-12);
  }
}

// Keys farther than K on either side are interchangeable, with the vectors of keys and values each on their own.
TEST(seed_properties, shaw_shares_parameters_beyond_the_clip_on_both_sides_for_keys_and_values) {
  const std::size_t n = 9, middle = 4;
  const Array<double> q = random_array<double>(n, 4, 1), k = random_array<double>(n, 4, 2),
                      v = random_array<double>(n, 4, 3);
  // What exchanging two keys, with their values, changes for the query in the middle.
  const auto change = [&](Harness<double>& harness, std::size_t a, std::size_t b) {
    Array<double> other_k = k, other_v = v;
    for (std::size_t c = 0; c < 4; ++c)
      std::swap(other_k(a, c), other_k(b, c)), std::swap(other_v(a, c), other_v(b, c));
    const Array<double> before = attended(harness, q, k, v, v).out,
                        after = attended(harness, q, other_k, other_v, v).out;
    double worst = 0;
    for (std::size_t c = 0; c < 4; ++c) worst = std::max(worst, std::abs(before(middle, c) - after(middle, c)));
    return worst;
  };
  for (const OptionValues& only : {OptionValues{{"terms", "keys"}}, {{"terms", "values"}}, {{"terms", "both"}}}) {
    OptionValues options = only;
    options["clip"] = "2";
    Harness<double> harness("shaw", options, {.width = 4, .heads = 2, .causal = false}, {counting(n)});
    EXPECT_LT(change(harness, 0, 2), 1e-15);  // distances 4 and 2
    EXPECT_LT(change(harness, 6, 8), 1e-15);
    EXPECT_GT(change(harness, 2, 3), 1e-6);  // 2 and 1
    EXPECT_GT(change(harness, 5, 7), 1e-6);
    EXPECT_GT(change(harness, 1, 7), 1e-6);  // the two sides have their own
  }
}

TEST(seed_properties, rope_keeps_norms_and_scores_depend_on_displacement_alone) {
  const auto turned = [](const Array<double>& x, double p, const char* layout) {
    return Harness<double>("rope", {{"layout", layout}}, {.width = x.cols()}, {{p}}).rotate(x);
  };
  const auto product = [](const Array<double>& a, const Array<double>& b) {
    return std::inner_product(a.row(0), a.row(0) + a.size(), b.row(0), 0.0);
  };
  const Array<double> q = random_array<double>(1, 8, 1), k = random_array<double>(1, 8, 2);
  for (const char* layout : {"half", "interleaved"}) {
    const Array<double> y = turned(q, 11, layout);
    for (std::size_t m = 0; m < 4; ++m) {
      const auto [a, b] = *layout == 'h' ? std::pair{m, m + 4} : std::pair{2 * m, 2 * m + 1};
      EXPECT_NEAR(std::hypot(y(0, a), y(0, b)), std::hypot(q(0, a), q(0, b)), 1e-15);
    }
    const double score = product(turned(q, 3, layout), turned(k, 9, layout));
    for (const double shift : {1.0, 100.5, 1e6})
      EXPECT_NEAR(product(turned(q, 3 + shift, layout), turned(k, 9 + shift, layout)), score, 1e-9) << shift;
    EXPECT_GT(std::abs(product(turned(q, 3, layout), turned(k, 10, layout)) - score), 1e-3);
  }
}

// For a power of two 2^(-8 (h + 1) / H); for others those of the power below, then every second of twice as many.
TEST(seed_properties, alibi_slopes_of_1_to_32_heads) {
  const auto of_power = [](std::size_t count, std::size_t h) {
    return std::exp2(-8 * static_cast<double>(h + 1) / static_cast<double>(count));
  };
  for (std::size_t heads = 1; heads <= 32; ++heads) {
    Harness<double> harness("alibi", {}, {.width = heads, .heads = heads}, {counting(2)});
    const Variable<double> bias = harness.bias();
    std::size_t power = 32;
    while (power > heads) power /= 2;
    double geometric = 1;
    for (std::size_t h = 0; h < heads; ++h) {
      const double slope = -bias.value()(2 * h + 1, 0);  // at distance 1
      const double expected = h < power ? of_power(power, h) : of_power(2 * power, 2 * (h - power));
      EXPECT_NEAR(slope, expected, 1e-15) << heads << " heads, head " << h;
      if (h < power) geometric *= slope;
    }
    // The exponents of a power of two run from 8 / H to 8: their sum is 4 (H + 1).
    EXPECT_NEAR(std::log2(geometric), -4 * static_cast<double>(power + 1), 1e-9) << heads;
  }
  // As printed in the paper: 8 heads from 1/2 to 1/256.
  Harness<double> eight("alibi", {}, {.width = 8, .heads = 8}, {counting(2)});
  const Variable<double> bias = eight.bias();
  for (std::size_t h = 0; h < 8; ++h) EXPECT_EQ(-bias.value()(2 * h + 1, 0), std::ldexp(1.0, -static_cast<int>(h) - 1));
}

TEST(seed_properties, position_interpolation_maps_ids_back_into_the_trained_range) {
  const std::size_t trained = 8;
  const Options options(schemes().at("interpolated").section);
  const auto scheme = make_scheme("interpolated", options);
  for (const std::size_t n : {9, 16, 100, 1000}) {
    const std::vector<std::size_t> offsets{0, n};
    Positions positions;
    scheme->assign({Phase::evaluate, offsets, nullptr, {}, trained}, positions);
    const auto ids = positions.channel("sequence");
    EXPECT_EQ(ids[0], 0);
    EXPECT_LT(ids[n - 1], trained) << n;
    EXPECT_NEAR(ids[n - 1], scheme->largest(n, trained, Phase::evaluate), 1e-12) << n;
    for (std::size_t i = 1; i < n; ++i) EXPECT_GT(ids[i], ids[i - 1]);
    // Where ids of the trained grid fall on whole numbers, they are those of training.
    for (std::size_t i = 0; i < n && n % trained == 0; i += n / trained)
      EXPECT_EQ(ids[i], static_cast<double>(i / (n / trained)));
  }
}

TEST(seed_properties, a_vit_grid_resampled_to_its_own_size_is_bit_identical) {
  for (const char* kernel : {"cubic", "linear", "nearest"})
    for (const char* antialias : {"false", "true"}) {
      GridIds grid(3, 4);  // behind a class token
      grid.row.insert(grid.row.begin(), 0), grid.column.insert(grid.column.begin(), 0);
      const auto harness =
          on_grid("vit_learned",
                  {{"rows", "3"}, {"columns", "4"}, {"prefix", "1"}, {"kernel", kernel}, {"antialias", antialias}},
                  {.width = 3, .causal = false}, grid);
      harness->positions().without_position.assign(13, false);
      harness->positions().without_position[0] = true;
      const Array<double> table = random_array<double>(13, 3, 1);
      copy(view(table), harness->parameter("vit_learned.table"));
      EXPECT_EQ(largest_difference(harness->embed(zeros<double>(13, 3)), table), 0)
          << kernel << ", antialias " << antialias;
    }
}

}  // namespace
}  // namespace lengthwise
