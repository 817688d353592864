#include "core/relative_vectors.h"

#include "core/attention.h"
#include "core/gradcheck.h"
#include "tests/core/arrays.h"

namespace lengthwise {
namespace {

constexpr std::size_t heads = 2, d = 3, tokens = 9;
const std::vector<std::size_t> offsets{0, 6, 9};

struct Setting {
  DistanceColumns columns;
  std::vector<std::uint32_t> row;
  std::size_t entries;
  bool causal, per_head;
};

// Ids in equal steps, whole ids close together, whole ids far apart (more entries than a tile has pairs), and pairs.
std::vector<Setting> settings() {
  std::vector<Setting> all;
  const std::vector<std::int64_t> near{0, 2, 3, 5, 6, 8, 1, 2, 4}, far{0, 40, 41, 90, 130, 199, 7, 90, 180};
  for (const bool causal : {true, false})
    for (const bool per_head : {true, false}) {
      const std::size_t zero = causal ? 0 : 5;
      all.push_back({{.zero = zero}, {}, zero + 6, causal, per_head});
      std::vector<std::uint32_t> clipped;  // to -2 .. 2
      for (std::size_t c = 0; c < zero + 6; ++c)
        clipped.push_back(static_cast<std::uint32_t>(
            std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(zero) - static_cast<std::ptrdiff_t>(c), -2, 2) + 2));
      all.push_back({{.zero = zero}, clipped, 5, causal, per_head});
      all.push_back({{.kind = DistanceColumns::Kind::ids, .zero = 8, .ids = near}, {}, 17, causal, per_head});
      all.push_back({{.kind = DistanceColumns::Kind::ids, .zero = 200, .ids = far}, {}, 401, causal, per_head});
      all.push_back({{.kind = DistanceColumns::Kind::pairs, .first = {0, 36}}, {}, 45, causal, per_head});
    }
  return all;
}

std::size_t entry(const Setting& s, std::size_t b, std::size_t i, std::size_t j) {
  const auto& c = s.columns;
  std::size_t column = c.zero + i - j;
  if (c.kind == DistanceColumns::Kind::ids)
    column =
        static_cast<std::size_t>(static_cast<std::int64_t>(c.zero) + c.ids[offsets[b] + i] - c.ids[offsets[b] + j]);
  if (c.kind == DistanceColumns::Kind::pairs) column = c.first[b] + i * (offsets[b + 1] - offsets[b]) + j;
  return s.row.empty() ? column : s.row[column];
}

std::size_t table_width(const Setting& s) { return s.per_head ? heads * d : d; }

// x: q, k, v, the tables of keys, queries and values, the bias.
Variable<double> run(const Setting& s, const std::vector<Variable<double>>& x, std::size_t tile_rows) {
  const auto rows = std::make_shared<RelativeRows>(std::make_shared<DistanceColumns>(s.columns), s.row);
  const Terms<double> terms{.scores = {relative_keys(x[3], rows, x[6]), relative_queries(x[4], rows)},
                            .values = {relative_values(x[5], rows)}};
  return attention(x[0], x[1], x[2], {.heads = heads, .causal = s.causal, .offsets = offsets, .tile_rows = tile_rows},
                   {{{0, heads}, 0.7, terms}});
}

Array<double> dense(const Setting& s, const std::vector<Array<double>>& x) {
  Array<double> out = zeros<double>(tokens, heads * d);
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < offsets[b + 1] - offsets[b]; ++i) {
        const std::size_t keys = s.causal ? i + 1 : offsets[b + 1] - offsets[b], shift = s.per_head ? h * d : 0;
        std::vector<double> weight(keys, 0.0);
        double sum = 0;
        for (std::size_t j = 0; j < keys; ++j) {
          const std::size_t r = entry(s, b, i, j);
          for (std::size_t c = 0; c < d; ++c) {
            const double q = x[0](offsets[b] + i, h * d + c), k = x[1](offsets[b] + j, h * d + c);
            weight[j] += 0.7 * (q * k + (q + x[6](0, h * d + c)) * x[3](r, shift + c) + k * x[4](r, shift + c));
          }
          sum += weight[j] = std::exp(weight[j]);
        }
        for (std::size_t j = 0; j < keys; ++j)
          for (std::size_t c = 0; c < d; ++c)
            out(offsets[b] + i, h * d + c) +=
                weight[j] / sum * (x[2](offsets[b] + j, h * d + c) + x[5](entry(s, b, i, j), shift + c));
      }
  return out;
}

TEST(RelativeVectors, EqualTheirFormulaAndItsDerivatives) {
  for (const Setting& s : settings()) {
    SCOPED_TRACE(join("kind ", static_cast<int>(s.columns.kind), ", entries ", s.entries, s.causal ? ", causal" : "",
                      s.per_head ? ", per head" : ""));
    std::vector<Array<double>> inputs;
    std::vector<Variable<double>> constants;
    for (const auto& [rows, cols] : std::vector<std::pair<std::size_t, std::size_t>>{{tokens, heads * d},
                                                                                     {tokens, heads * d},
                                                                                     {tokens, heads * d},
                                                                                     {s.entries, table_width(s)},
                                                                                     {s.entries, table_width(s)},
                                                                                     {s.entries, table_width(s)},
                                                                                     {1, heads * d}}) {
      inputs.push_back(random_array<double>(rows, cols, 20 + inputs.size()));
      constants.push_back(constant(inputs.back()));
    }
    for (const std::size_t tile_rows : {1, 4, 64}) expect_close(run(s, constants, tile_rows), dense(s, inputs), 1e-13);
    const GradientCheck check = check_gradients([&](const auto& x) { return run(s, x, 4); }, inputs);
    EXPECT_TRUE(check.passed) << check.worst;
  }
}

// Longer than one block of keys.
TEST(RelativeVectors, KeysComeInBlocks) {
  const std::size_t n = 150;
  const auto rows = std::make_shared<RelativeRows>(std::make_shared<DistanceColumns>(DistanceColumns{.zero = n - 1}));
  const Array<double> k = random_array<double>(n, d, 1), table = random_array<double>(2 * n - 1, d, 2);
  const auto term = relative_queries(constant(table), std::shared_ptr<const RelativeRows>(rows));
  std::vector<std::size_t> query_rows{0, 70, 149};
  const std::vector<KeyRange> visible{{0, n}, {10, 140}, {149, n}};
  Tile<double> tile;
  tile.length = n;
  tile.query_rows = query_rows;
  tile.visible = visible;
  tile.k = view(k);
  Array<double> scores = zeros<double>(3, n), expected = zeros<double>(3, n);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = visible[i].begin; j < visible[i].end; ++j)
      for (std::size_t c = 0; c < d; ++c) expected(i, j) += k(j, c) * table(n - 1 + query_rows[i] - j, c);
  Scratch<double> scratch;
  term->forward(tile, view(scores), scratch);
  expect_close(scores, expected, 1e-14);
}

}  // namespace
}  // namespace lengthwise
