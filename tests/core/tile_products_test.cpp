#include "core/tile_products.h"

#include "core/gradcheck.h"
#include "core/simd.h"
#include "core/transpose.h"
#include "tests/core/arrays.h"

namespace lengthwise {
namespace {

constexpr std::size_t room = 16;  // that a row of scores has beyond its keys

struct Case {
  std::size_t rows, keys, width;
  std::vector<KeyRange> visible;
};

std::vector<Case> cases() {
  const std::vector<std::pair<std::size_t, std::size_t>> sizes = {
      {1, 1}, {1, 40}, {3, 5}, {4, 16}, {7, 33}, {8, 8}, {17, 17}, {23, 100}, {64, 64}, {64, 130}, {65, 70}, {130, 70}};
  std::vector<Case> all;
  for (const std::size_t width : {3, 8, 16, 20, 32, 48, 64, 256, 272})
    for (const auto& [rows, keys] : sizes) {
      Case causal{rows, keys, width, {}}, all_keys = causal, window = causal, scattered = causal;
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t end = keys - (rows - 1 - i) * (keys - 1) / std::max<std::size_t>(rows - 1, 1);
        causal.visible.push_back({0, end});
        all_keys.visible.push_back({0, keys});
        window.visible.push_back({end > 7 ? end - 7 : 0, end});
        const std::size_t begin = i * 29 % keys, length = i * 13 % 11;  // in no order; some rows see nothing
        scattered.visible.push_back(length == 0 ? KeyRange{} : KeyRange{begin, std::min(keys, begin + length)});
      }
      all.insert(all.end(), {causal, all_keys, window, scattered});
    }
  return all;
}

bool sees(const Case& c, std::size_t i, std::size_t j) { return c.visible[i].begin <= j && j < c.visible[i].end; }

// A block inside a larger array, so that its stride is not its width.
Matrix<float> inner(Array<float>& all) { return view(all).block_rows(1, all.rows() - 1).block_cols(3, all.cols() - 3); }

TEST(TileProducts, ScoresAreTheProductsOfWhatARowSees) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(testing::Message() << c.rows << " rows, " << c.keys << " keys, width " << c.width);
    Array<float> a = random_array<float>(c.rows + 1, c.width + 3, 1),
                 b = random_array<float>(c.keys + 1, c.width + 3, 2);
    Array<float> scores = uninitialized<float>(c.rows, (c.keys + room - 1) / room * room);
    fill(view(scores), NAN);
    tile_scores<float>(c.visible, 0.5f, inner(a), inner(b), view(scores).block_cols(0, c.keys));
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.keys; ++j) {
        ASSERT_TRUE(std::isfinite(scores(i, j)));
        if (!sees(c, i, j)) continue;
        double expected = 0;
        for (std::size_t k = 0; k < c.width; ++k) expected += 0.5 * inner(a)(i, k) * inner(b)(j, k);
        ASSERT_NEAR(scores(i, j), expected, 1e-5 * std::sqrt(static_cast<double>(c.width)));
      }
  }
}

Array<float> weights(const Case& c) {
  Array<float> w = random_array<float>(c.rows, c.keys, 3);
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = 0; j < c.keys; ++j)
      if (!sees(c, i, j)) w(i, j) = 0;
  return w;
}

TEST(TileProducts, SumsRunOverKeysOrRows) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(testing::Message() << c.rows << " rows, " << c.keys << " keys, width " << c.width);
    Array<float> w = weights(c), of_rows = random_array<float>(c.rows + 1, c.width + 3, 4),
                 of_keys = random_array<float>(c.keys + 1, c.width + 3, 5);
    for (const float beta : {0.f, 1.f}) {
      Array<float> out = random_array<float>(c.rows + 1, c.width + 3, 6), expected = out;
      if (beta == 0) fill(inner(out), NAN);  // may be uninitialised
      tile_sum_over_keys<float>(c.visible, 2, view(w), inner(of_keys), beta, inner(out));
      for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t k = 0; k < c.width; ++k) {
          double sum = beta * inner(expected)(i, k);
          for (std::size_t j = 0; j < c.keys; ++j) sum += 2. * w(i, j) * inner(of_keys)(j, k);
          inner(expected)(i, k) = static_cast<float>(sum);
        }
      expect_close(out, expected, 2e-5);  // the whole array: nothing outside of the block may change
    }
    Array<float> out = random_array<float>(c.keys + 1, c.width + 3, 7), expected = out;
    tile_sum_over_rows<float>(c.visible, 2, view(w), inner(of_rows), inner(out));
    for (std::size_t j = 0; j < c.keys; ++j)
      for (std::size_t k = 0; k < c.width; ++k) {
        double sum = inner(expected)(j, k);
        for (std::size_t i = 0; i < c.rows; ++i) sum += 2. * w(i, j) * inner(of_rows)(i, k);
        inner(expected)(j, k) = static_cast<float>(sum);
      }
    expect_close(out, expected, 2e-5);
  }
}

// A row's value is the same wherever in a tile it stands and whatever stands beside it.
TEST(TileProducts, RowsDoNotDependOnTheirNeighbours) {
  constexpr std::size_t n = 130, some = 9;
  Array<float> a = random_array<float>(n, 32, 1), b = random_array<float>(n, 32, 2);
  std::vector<KeyRange> visible;
  for (std::size_t i = 0; i < n; ++i) visible.push_back({0, i + 1});
  constexpr std::size_t columns = (n + room - 1) / room * room;
  Array<float> together = uninitialized<float>(n, columns), apart = uninitialized<float>(some, columns);
  tile_scores<float>(visible, 1, view(a), view(b), view(together).block_cols(0, n));
  for (const std::size_t first : {30, 121}) {
    tile_scores<float>(std::span(visible).subspan(first, some), 1, view(a).block_rows(first, some), view(b),
                       view(apart).block_cols(0, n));
    for (std::size_t i = 0; i < some; ++i)
      for (std::size_t j = 0; j <= first + i; ++j) EXPECT_EQ(apart(i, j), together(first + i, j));
  }
}

TEST(Transpose, MovesEveryEntry) {
  for (const auto& [rows, cols] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {16, 16}, {17, 16}, {16, 33}, {3, 50}, {64, 96}}) {
    Array<float> from = random_array<float>(rows + 1, cols + 3, 1), to = uninitialized<float>(cols + 1, rows + 3);
    transpose(inner(from), inner(to));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) ASSERT_EQ(inner(to)(j, i), inner(from)(i, j));
  }
}

// In parts of 1 .. 40 entries, whichever of them holds the largest one.
TEST(Softmax, PartsTogetherAreTheWhole) {
  const std::vector<std::size_t> lengths{17, 1, 40, 16, 3};
  const float depths[] = {0, -30, -87, -89, -91, -1e30f, -3e38f};
  for (std::size_t turn = 0; turn < lengths.size(); ++turn)
    for (const float depth : depths) {
      std::vector<double> x;
      SoftmaxParts<float> parts;
      std::vector<float> e;
      for (std::size_t p = 0; p < lengths.size(); ++p) {
        const std::size_t n = lengths[p], padded = (n + room - 1) / room * room;
        Array<float> part = random_array<float>(1, padded, p + 1);
        for (std::size_t j = 0; j < n; ++j) x.push_back(part(0, j) += p == turn ? 0 : depth);
        std::fill(part.row(0) + n, part.row(0) + padded, NAN);
        const SoftmaxStep<float> step = softmax_part(part.row(0), n, padded, parts);
        for (float& earlier : e) earlier *= step.factor;
        bool adds = false;
        for (std::size_t j = 0; j < padded; ++j) {
          if (j < n) e.push_back(part(0, j));
          adds |= part(0, j) != 0;
          ASSERT_TRUE(j < n || part(0, j) == 0);
        }
        EXPECT_EQ(step.adds, adds);
      }
      const double peak = *std::ranges::max_element(x);
      double total = 0;
      for (const double v : x) total += std::exp(v - peak);
      EXPECT_EQ(parts.peak, static_cast<float>(peak));
      for (std::size_t j = 0; j < x.size(); ++j)
        ASSERT_NEAR(e[j] / parts.total, std::exp(x[j] - peak) / total, 1e-6) << "depth " << depth << ", turn " << turn;
    }
}

TEST(Softmax, NanInAPartThatVanishesStaysNan) {
  SoftmaxParts<float> parts;
  Array<float> near = zeros<float>(1, room), far = zeros<float>(1, 2 * room);
  EXPECT_TRUE(softmax_part(near.row(0), room, room, parts).adds);
  fill(view(far), -1000.f);
  far(0, 3) = NAN;
  EXPECT_TRUE(softmax_part(far.row(0), 2 * room, 2 * room, parts).adds);
  EXPECT_TRUE(std::isnan(far(0, 3)));
  EXPECT_TRUE(std::isnan(parts.total));
}

TEST(Softmax, PaddedRowsAndTheirGradientAreThoseOfTheDefinition) {
  for (std::size_t n = 1; n <= 70; ++n) {
    const std::size_t padded = (n + room - 1) / room * room;
    const Array<float> x = random_array<float>(1, padded, n), dy = random_array<float>(1, padded, n + 100);
    Array<float> a = x, g = dy;
    std::fill(a.row(0) + n, a.row(0) + padded, NAN);  // whatever is there counts for nothing
    std::fill(g.row(0) + n, g.row(0) + padded, NAN);
    Array<float> again = a;
    const SoftmaxParts<float> all = softmax_padded(a.row(0), n, padded);
    softmax_again(again.row(0), n, padded, all);
    // Not the last bit: the two may be linked from objects that were optimised differently.
    for (std::size_t j = 0; j < padded; ++j) ASSERT_FLOAT_EQ(again(0, j), a(0, j));
    const std::size_t first = n / 3, part = n - first, part_padded = (part + room - 1) / room * room;
    Array<float> some = uninitialized<float>(1, first + part_padded);
    fill(view(some), NAN);
    std::copy_n(x.row(0), n, some.row(0));
    softmax_again(some.row(0) + first, part, part_padded, all);
    for (std::size_t j = 0; j < part_padded; ++j) ASSERT_FLOAT_EQ(some(0, first + j), j < part ? a(0, first + j) : 0);
    softmax_gradient(a.row(0), g.row(0), n, padded, dot(a.row(0), g.row(0), n));
    double total = 0, along = 0;
    for (std::size_t j = 0; j < n; ++j) total += std::exp(double{x(0, j)});
    for (std::size_t j = 0; j < n; ++j) along += std::exp(double{x(0, j)}) / total * dy(0, j);
    for (std::size_t j = 0; j < padded; ++j) {
      const double weight = j < n ? std::exp(double{x(0, j)}) / total : 0;
      ASSERT_NEAR(a(0, j), weight, 1e-6);
      ASSERT_NEAR(g(0, j), j < n ? weight * (dy(0, j) - along) : 0, 1e-6);
    }
  }
}

}  // namespace
}  // namespace lengthwise
