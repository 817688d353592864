#include "encodings/grid_distances.h"

#include <gtest/gtest.h>

namespace lengthwise {
namespace {

struct Token {
  double row, column;
  bool placed = true;
};

// What each pair of tokens of each sequence reads, against the difference of their places.
void expect_differences(const std::vector<std::vector<Token>>& sequences, DistanceColumns::Kind kind,
                        std::size_t table_columns) {
  std::vector<double> rows, columns;
  std::vector<std::size_t> offsets{0};
  Positions positions;
  for (const auto& sequence : sequences) {
    for (const Token& token : sequence) {
      rows.push_back(token.row);
      columns.push_back(token.column);
      positions.without_position.push_back(!token.placed);
    }
    offsets.push_back(rows.size());
  }
  positions.set("row", rows);
  positions.set("column", columns);
  Memo memo;
  const Context context{.positions = &positions, .offsets = offsets, .memo = &memo};
  const GridDistances& found = grid_distances(context);
  EXPECT_EQ(found.columns->kind, kind);
  EXPECT_EQ(found.values.size(), table_columns);

  for (std::size_t b = 0; b < sequences.size(); ++b) {
    const auto& tokens = sequences[b];
    std::vector<std::size_t> query_rows(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) query_rows[i] = i;
    const std::vector<KeyRange> visible(tokens.size(), KeyRange{0, tokens.size()});
    Tile<double> tile{
        .sequence = b, .begin = offsets[b], .length = tokens.size(), .query_rows = query_rows, .visible = visible};
    for_each_row(*found.columns, tile, [&](std::size_t i, std::size_t begin, std::size_t end, auto column) {
      for (std::size_t j = begin; j < end; ++j) {
        ASSERT_LT(column(j), found.values.size());
        const Displacement& value = found.values[column(j)];
        ASSERT_EQ(value.query_placed, tokens[i].placed) << i << " " << j;
        ASSERT_EQ(value.key_placed, tokens[j].placed) << i << " " << j;
        if (!value.defined()) continue;
        EXPECT_EQ(value.rows, tokens[i].row - tokens[j].row) << i << " " << j;
        EXPECT_EQ(value.columns, tokens[i].column - tokens[j].column) << i << " " << j;
      }
    });
  }
}

using Kind = DistanceColumns::Kind;

std::vector<Token> grid(int height, int width) {
  std::vector<Token> tokens;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) tokens.push_back({static_cast<double>(y), static_cast<double>(x)});
  return tokens;
}

TEST(grid_distances, one_column_a_displacement) {
  expect_differences({grid(3, 4)}, Kind::ids, 5 * 7);
  expect_differences({grid(1, 6), grid(4, 2)}, Kind::ids, 7 * 11);  // a grid that holds both
  expect_differences({{{5, 3}, {5, 4}, {6, 3}, {6, 4}}}, Kind::ids, 9);
  expect_differences({grid(2, 2), {{105, 33}, {105, 34}, {106, 34}}}, Kind::ids, 9);  // wherever a grid lies
  expect_differences({{{0, 0}}}, Kind::ids, 1);
}

TEST(grid_distances, a_class_token_has_no_displacement) {
  auto tokens = grid(2, 3);
  tokens.insert(tokens.begin(), {-7, 100, false});
  expect_differences({tokens, grid(2, 2)}, Kind::ids, 15 + 8 + 15 + 1);  // 7 = zero
  expect_differences({{{0, 0, false}}}, Kind::ids, 4);
}

TEST(grid_distances, one_column_a_pair_where_that_is_less_or_must_be) {
  expect_differences({{{0, 0}, {0.5, 0}, {0, 1}}, {{1, 1}}}, Kind::pairs, 10);
  expect_differences({{{0, 0}, {1000, 3}, {2, 2000, false}}}, Kind::pairs, 9);
}

}  // namespace
}  // namespace lengthwise
