#include "core/distance_bias.h"

#include <numeric>

#include "core/attention.h"
#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

using Kind = DistanceColumns::Kind;

std::shared_ptr<const DistanceColumns> columns_of(DistanceColumns columns) {
  return std::make_shared<const DistanceColumns>(std::move(columns));
}

// What the term adds to scores of 0, for some query rows of a sequence that begins at batch row `begin`.
Array<double> bias(const Variable<double>& table, DistanceColumns columns, std::size_t head, std::size_t length,
                   const std::vector<std::size_t>& query_rows, bool causal, std::size_t sequence = 0,
                   std::size_t begin = 0) {
  std::vector<KeyRange> visible;
  for (const std::size_t row : query_rows) visible.push_back({0, causal ? row + 1 : length});
  Tile<double> tile;
  tile.sequence = sequence, tile.head = head, tile.begin = begin, tile.length = length;
  tile.query_rows = query_rows, tile.visible = visible;
  Array<double> scores = zeros<double>(query_rows.size(), length);
  Scratch<double> scratch;
  distance_bias(table, columns_of(std::move(columns)), 1)->forward(tile, view(scores), scratch);
  return scores;
}

// Two heads, of which the table's first is head 1; its entry in column c is c, that of head 2 is 100 + c.
Variable<double> counting_table(std::size_t cols) {
  Array<double> table = uninitialized<double>(2, cols);
  for (std::size_t c = 0; c < cols; ++c)
    table(0, c) = static_cast<double>(c), table(1, c) = 100 + static_cast<double>(c);
  return constant(table);
}

TEST(DistanceBias, RowsReadTheDifferenceOfRows) {
  expect_close(bias(counting_table(4), {Kind::rows, 0, {}, {}}, 1, 4, {0, 1, 2, 3}, true),
               array<double>({{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 1, 0, 0}, {3, 2, 1, 0}}), 0);
  // Bidirectional: distance 0 in column 3.
  expect_close(bias(counting_table(7), {Kind::rows, 3, {}, {}}, 2, 4, {0, 1, 2, 3}, false),
               array<double>({{103, 102, 101, 100}, {104, 103, 102, 101}, {105, 104, 103, 102}, {106, 105, 104, 103}}),
               0);
  // With keys before the queries ("memory").
  expect_close(bias(counting_table(4), {Kind::rows, 0, {}, {}}, 1, 4, {2, 3}, true),
               array<double>({{2, 1, 0, 0}, {3, 2, 1, 0}}), 0);
  expect_close(bias(counting_table(7), {Kind::rows, 3, {}, {}}, 1, 4, {2}, false), array<double>({{5, 4, 3, 2}}), 0);
}

TEST(DistanceBias, IdsReadTheDifferenceOfIds) {
  const DistanceColumns columns{Kind::ids, 9, {77, 77, 2, 5, 11}, {}};  // a sequence from batch row 2 on
  expect_close(bias(counting_table(19), columns, 1, 3, {0, 1, 2}, false, 1, 2),
               array<double>({{9, 6, 0}, {12, 9, 3}, {18, 15, 9}}), 0);
  expect_close(bias(counting_table(19), columns, 1, 3, {1}, true, 1, 2), array<double>({{12, 9, 0}}), 0);
}

TEST(DistanceBias, TokensMayHaveOtherIdsAsKeys) {
  const DistanceColumns columns{
      Kind::ids, 4, {77, 2, 3, 9}, {}, {77, 2, 3, -4}};  // the last token: 9 as a query, -4 as a key
  expect_close(bias(counting_table(18), columns, 1, 3, {0, 1, 2}, false, 1, 1),
               array<double>({{4, 3, 10}, {5, 4, 11}, {11, 10, 17}}), 0);
}

TEST(DistanceBias, PairsReadTheirOwnColumn) {
  const DistanceColumns columns{Kind::pairs, 0, {}, {0, 4}};
  expect_close(bias(counting_table(13), columns, 2, 3, {0, 2}, false, 1, 2),
               array<double>({{104, 105, 106}, {110, 111, 112}}), 0);
}

// Attention over two sequences, of 4 and 3 tokens, with a table as input 3.
template <class T>
Variable<T> attend(const std::vector<Variable<T>>& x, DistanceColumns columns, bool causal) {
  Terms<T> terms;
  terms.scores.push_back(distance_bias(x[3], columns_of(std::move(columns)), 0));
  return attention(x[0], x[1], x[2], {.heads = 2, .causal = causal, .offsets = {0, 4, 7}, .tile_rows = 3},
                   {{{0, 2}, T(0.5), terms}});
}

TEST(DistanceBias, Gradients) {
  const auto check = [](const char* name, std::size_t cols, bool causal, const DistanceColumns& columns) {
    check_op(name, {{7, 6}, {7, 6}, {7, 6}, {2, cols}},
             [&]<class T>(const std::vector<Variable<T>>& x) { return attend(x, columns, causal); });
  };
  check("rows, causal", 4, true, {Kind::rows, 0, {}, {}});
  check("rows", 7, false, {Kind::rows, 3, {}, {}});
  // Every column of a sequence must lie in the table; the first one is read, so that a NaN there shows.
  check("ids", 17, false, {Kind::ids, 8, {0, 1, 1, 8, 5, 3, 4}, {}});
  check("pairs", 25, false, {Kind::pairs, 0, {}, {0, 16}});
}

// Linear distance bias, q = k = 0, slope 0.5: the nearest key weighs most.
Array<double> weights_of_zero_logits(std::size_t n, bool causal, const std::vector<std::size_t>& query_rows) {
  const double slope = 0.5;
  Array<double> table = uninitialized<double>(1, 2 * n - 1);
  for (std::size_t c = 0; c < 2 * n - 1; ++c)
    table(0, c) = -slope * std::abs(static_cast<double>(c) - static_cast<double>(n - 1));
  Terms<double> terms;
  terms.scores.push_back(distance_bias(constant(table), columns_of({Kind::rows, n - 1, {}, {}}), 0));
  Array<double> identity = zeros<double>(n, n);  // as values: the output is the weights
  for (std::size_t i = 0; i < n; ++i) identity(i, i) = 1;
  const auto out =
      attention(constant(zeros<double>(query_rows.size(), n)), constant(zeros<double>(n, n)), constant(identity),
                {.heads = 1,
                 .causal = causal,
                 .offsets = {0, n},
                 .query_offsets = {0, query_rows.size()},
                 .query_rows = query_rows},
                {{{0, 1}, 1.0, terms}});
  Array<double> weights = uninitialized<double>(query_rows.size(), n);
  copy(out.value(), view(weights));
  return weights;
}

TEST(DistanceBias, TheNearestKeyWeighsMost) {
  expect_close(weights_of_zero_logits(3, true, {2}), array<double>({{0.18632, 0.30720, 0.50648}}), 5e-6);
}

TEST(DistanceBias, BidirectionalIsSymmetricInDistance) {
  const Array<double> all = weights_of_zero_logits(5, false, {0, 1, 2, 3, 4});
  for (std::size_t i = 0; i < 5; ++i) {
    double total = 0;
    for (std::size_t j = 0; j < 5; ++j)
      total += std::exp(-0.5 * std::abs(static_cast<double>(i) - static_cast<double>(j)));
    for (std::size_t j = 0; j < 5; ++j)
      EXPECT_NEAR(all(i, j), std::exp(-0.5 * std::abs(static_cast<double>(i) - static_cast<double>(j))) / total, 1e-14);
    // A query alone gets what it gets among all.
    for (const bool causal : {false, true})
      expect_close(weights_of_zero_logits(5, causal, {i}),
                   matrix(weights_of_zero_logits(5, causal, {0, 1, 2, 3, 4})).block_rows(i, 1), 1e-15);
  }
}

}  // namespace
}  // namespace lengthwise
