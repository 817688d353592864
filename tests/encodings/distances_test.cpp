#include "encodings/distances.h"

#include <gmock/gmock.h>

#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

using Kind = DistanceColumns::Kind;

// Puts the distances themselves into the table, so that the bias of a pair must be p_query - p_key.
const Distances expect_distances(const std::vector<std::vector<double>>& ids, bool causal, Kind kind) {
  std::vector<double> all;
  std::vector<std::size_t> offsets{0};
  for (const auto& sequence : ids) {
    all.insert(all.end(), sequence.begin(), sequence.end());
    offsets.push_back(all.size());
  }
  Positions positions;
  positions.set("sequence", all);
  Memo memo;
  const Distances found = distances({.causal = causal, .positions = &positions, .offsets = offsets, .memo = &memo});
  EXPECT_EQ(found.columns->kind, kind);

  Array<double> table = uninitialized<double>(1, found.values.size());
  std::ranges::copy(found.values, table.row(0));
  const auto term = distance_bias(constant(std::move(table)), found.columns, 0);
  for (std::size_t b = 0; b < ids.size(); ++b) {
    const std::size_t n = ids[b].size();
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::vector<KeyRange> visible;
    for (std::size_t i = 0; i < n; ++i) visible.push_back({0, causal ? i + 1 : n});
    Tile<double> tile{.sequence = b, .begin = offsets[b], .length = n, .query_rows = rows, .visible = visible};
    tile.k.rows = n;
    Array<double> scores = zeros<double>(n, n);
    Scratch<double> scratch;
    term->forward(tile, view(scores), scratch);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < visible[i].end; ++j)
        EXPECT_NEAR(scores(i, j), ids[b][i] - ids[b][j], 1e-12) << "sequence " << b << ": " << i << ", " << j;
  }
  return found;
}

TEST(distances, equal_steps_need_one_column_a_difference_of_rows) {
  for (const auto& ids :
       {std::vector{counting(5), counting(1), counting(3)}, {{0, 0.25, 0.5}, {3, 3.25}}, {{5, 4, 3}}, {{2, 2}}}) {
    const std::size_t longest = ids[0].size();
    EXPECT_EQ(expect_distances(ids, true, Kind::rows).values.size(), longest);
    EXPECT_EQ(expect_distances(ids, false, Kind::rows).values.size(), 2 * longest - 1);
  }
  std::vector<double> thirds = counting(1000);
  for (double& p : thirds) p /= 3;
  expect_distances({thirds}, true, Kind::rows);
}

TEST(distances, whole_ids_need_one_column_a_difference_of_ids) {
  EXPECT_EQ(expect_distances({{0, 3, 4}, {7, 9}}, true, Kind::ids).values.size(), 5u);   // 0 .. 4
  EXPECT_EQ(expect_distances({{0, 3, 4}, {7, 9}}, false, Kind::ids).values.size(), 9u);  // -4 .. 4
  EXPECT_EQ(expect_distances({{4, 0, 3}}, true, Kind::ids).values.size(), 8u);           // 4 - 0, 4 - 3 behind; 3 ahead
  expect_distances({{0, 1, 2}, {0, 2, 4}}, true, Kind::ids);  // equal steps, but not the same
  expect_distances({{5, -3, 5}}, false, Kind::ids);
}

TEST(distances, real_ids_need_one_column_a_pair) {
  for (const bool causal : {true, false})
    EXPECT_EQ(expect_distances({{0, 0.5, 2}, {1.25, 1}}, causal, Kind::pairs).values.size(), 13u);
  expect_distances({{0, 1e10, 1e10 + 1}}, true, Kind::pairs);  // a table of 1e10 columns would not fit
  std::vector<double> many = counting(10000);
  many[1] = 0.5;
  EXPECT_THAT(refusal([&] { expect_distances({many}, true, Kind::pairs); }), testing::HasSubstr("too large for 10000"));
}

// Sequences that are squeezed each by its own length, and drawn distances, take n columns a sequence, not n x n.
TEST(distances, sequences_may_have_steps_of_their_own) {
  std::vector<double> thirds = counting(9);
  for (double& p : thirds) p /= 3;
  EXPECT_EQ(expect_distances({{0, 0.5, 1, 1.5}, {7}, thirds}, true, Kind::rows).values.size(), 4u + 1u + 9u);
  EXPECT_EQ(expect_distances({{0, 0.5, 1, 1.5}, {7}, thirds}, false, Kind::rows).values.size(), 7u + 1u + 17u);
}

TEST(distances, a_million_positions_take_a_table_of_as_many) {
  for (const bool causal : {true, false}) {
    EXPECT_EQ(expect_distances({{0, 5, 1e6}}, causal, Kind::ids).values.size(), causal ? 1000001u : 2000001u);
    EXPECT_EQ(expect_distances({{1e6, 1e6 + 1, 1e6 + 3}}, causal, Kind::ids).values.size(), causal ? 4u : 7u);
  }
}

// In core and for the user: a class token first, one in the middle, and a sequence without any.
TEST(distances, pairs_with_a_token_that_has_no_position_get_nothing) {
  for (const char* name : {"alibi", "kerple", "t5", "scalar_bias", "sandwich", "fire"})
    for (const bool causal : {true, false}) {
      Harness<double> harness(name, {}, {.width = 2, .heads = 2, .causal = causal, .train_positions = 8},
                              {counting(5)});
      for (const ParameterInfo& info : harness.store().list())
        copy(view(random_array<double>(info.rows, info.cols, 3)), harness.parameter(info.name));
      harness.clamp();
      const Array<double> all = Harness<double>::copied(harness.bias().value());
      harness.positions().without_position = {true, false, false, true, false};
      const Array<double> some = Harness<double>::copied(harness.bias().value());
      bool anything = false;
      for (std::size_t r = 0; r < 10; ++r)
        for (std::size_t j = 0; j < 5; ++j) {
          const std::size_t i = r % 5;
          const bool unplaced = i == 0 || i == 3 || j == 0 || j == 3;
          EXPECT_EQ(some(r, j), unplaced ? 0 : all(r, j)) << name << " " << i << " " << j;
          anything = anything || some(r, j) != 0;
        }
      EXPECT_TRUE(anything) << name;
    }
}

TEST(distances, vectors_skip_tokens_without_a_position_too) {
  const std::size_t n = 5;
  const Array<double> q = random_array<double>(n, 4, 1), k = random_array<double>(n, 4, 2),
                      v = random_array<double>(n, 4, 3);
  for (const char* name : {"shaw", "deberta", "transformer_xl"})
    for (const bool causal : {true, false}) {
      Harness<double> harness(name, {}, {.width = 4, .heads = 2, .causal = causal}, {counting(n)});
      harness.positions().without_position = {true, false, false, true, false};
      const auto scores = scores_of(harness, q, k);
      Harness<double> moved(name, {}, {.width = 4, .heads = 2, .causal = causal}, {{90, 1, 2, 40, 4}});
      moved.positions().without_position = {true, false, false, true, false};
      const auto elsewhere = scores_of(moved, q, k);  // where tokens without a position are does not matter
      for (std::size_t h = 0; h < 2; ++h) EXPECT_LT(largest_difference(scores[h], elsewhere[h]), 1e-14) << name;
      EXPECT_LT(largest_difference(attended(harness, q, k, v, v).out, attended(moved, q, k, v, v).out), 1e-14) << name;
    }
}

TEST(distances, are_found_once_in_a_forward_pass) {
  Positions positions;
  positions.set("sequence", counting(3));
  positions.set("digit", {1, 1, 5});
  const std::vector<std::size_t> offsets{0, 3};
  Memo memo;
  const Context context{.positions = &positions, .offsets = offsets, .memo = &memo};
  EXPECT_EQ(&distances(context), &distances(context));
  EXPECT_EQ(distances(context, "digit").columns->kind, Kind::ids);
}

}  // namespace
}  // namespace lengthwise
