// Attention against a dense reference in double, written pair by pair from the equations, with toy terms that together
// pass through every stage.
#include "core/attention.h"

#include "core/distance_bias.h"
#include "core/ops/linear.h"
#include "core/parallel.h"
#include "tests/core/allocations.h"
#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

constexpr std::size_t heads = 3, d = 4, width = heads * d;

// Adds (q_i . p) (1 + j / 10).
template <class T>
struct ToyContent final : ScoreTerm<T> {
  Variable<T> p;  // [1, d]
  explicit ToyContent(Variable<T> given) : p(std::move(given)) {}
  static T grade(std::size_t j) { return T(1) + T(j) / 10; }
  Stage stage() const override { return Stage::content; }
  std::vector<Variable<T>> inputs() const override { return {p}; }
  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>&) const override {
    for (std::size_t i = 0; i < tile.rows(); ++i)
      for (std::size_t j = tile.visible[i].begin; j < tile.visible[i].end; ++j)
        for (std::size_t c = 0; c < d; ++c) scores(i, j) += tile.q(i, c) * p.value()(0, c) * grade(j);
  }
  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>&, TileGradient<T>& into) const override {
    for (std::size_t i = 0; i < tile.rows(); ++i)
      for (std::size_t j = tile.visible[i].begin; j < tile.visible[i].end; ++j)
        for (std::size_t c = 0; c < d; ++c) {
          into.q(i, c) += gradient(i, j) * p.value()(0, c) * grade(j);
          into.inputs[0](0, c) += gradient(i, j) * tile.q(i, c) * grade(j);
        }
  }
};

// S *= t[head] log(query row + 2).
template <class T>
struct ToyScale final : ScoreTerm<T> {
  Stage where;
  Variable<T> t;  // [1, heads]
  ToyScale(Stage stage_, Variable<T> given) : where(stage_), t(std::move(given)) {}
  T factor(const Tile<T>& tile, std::size_t i) const {
    return t.value()(0, tile.head) * static_cast<T>(std::log(static_cast<double>(tile.query_rows[i] + 2)));
  }
  Stage stage() const override { return where; }
  std::vector<Variable<T>> inputs() const override { return {t}; }
  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    copy(scores, scratch.matrix(0, scores.rows, scores.cols));
    for (std::size_t i = 0; i < tile.rows(); ++i)
      for (std::size_t j = tile.visible[i].begin; j < tile.visible[i].end; ++j) scores(i, j) *= factor(tile, i);
  }
  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    const Matrix<T> before = scratch.matrix(0, gradient.rows, gradient.cols);
    for (std::size_t i = 0; i < tile.rows(); ++i)
      for (std::size_t j = tile.visible[i].begin; j < tile.visible[i].end; ++j) {
        into.inputs[0](0, tile.head) += gradient(i, j) * before(i, j) * factor(tile, i) / t.value()(0, tile.head);
        gradient(i, j) *= factor(tile, i);
      }
  }
};

// s_h = sum over the group's heads m of W[h, m] (content_m + 2 bias_m).
template <class T>
struct ToyMixer final : HeadMixer<T> {
  Variable<T> w;  // [heads, heads]; of a group the rows and columns of its heads count
  explicit ToyMixer(Variable<T> given) : w(std::move(given)) {}
  std::vector<Variable<T>> inputs() const override { return {w}; }
  void forward(std::span<const Tile<T>> tiles, std::span<const Matrix<T>> content, std::span<const Matrix<T>> bias,
               Scratch<T>& scratch) const override {
    for (std::size_t m = 0; m < tiles.size(); ++m) {
      const Matrix<T> both = scratch.matrix(m, content[m].rows, content[m].cols);
      copy(content[m], both);
      accumulate(bias[m], both, 2);
    }
    for (std::size_t h = 0; h < tiles.size(); ++h) {
      fill(content[h], T(0));
      for (std::size_t m = 0; m < tiles.size(); ++m)
        accumulate(scratch.matrix(m, content[m].rows, content[m].cols), content[h],
                   w.value()(tiles[h].head, tiles[m].head));
    }
  }
  void backward(std::span<const Tile<T>> tiles, std::span<const Matrix<T>> d_content, std::span<const Matrix<T>> d_bias,
                Scratch<T>& scratch, TileGradient<T>& into) const override {
    for (std::size_t i = 0; i < d_content[0].rows; ++i)
      for (std::size_t j = 0; j < d_content[0].cols; ++j) {
        std::vector<T> d_both(tiles.size());
        for (std::size_t h = 0; h < tiles.size(); ++h)
          for (std::size_t m = 0; m < tiles.size(); ++m) {
            d_both[m] += w.value()(tiles[h].head, tiles[m].head) * d_content[h](i, j);
            into.inputs[0](tiles[h].head, tiles[m].head) +=
                d_content[h](i, j) * scratch.matrix(m, d_content[m].rows, d_content[m].cols)(i, j);
          }
        for (std::size_t m = 0; m < tiles.size(); ++m) d_content[m](i, j) = d_both[m], d_bias[m](i, j) = 2 * d_both[m];
      }
  }
};

// out_i += sum_j A_ij r[(i - j) mod 3].
template <class T>
struct ToyValue final : ValueTerm<T> {
  Variable<T> r;  // [3, d]
  explicit ToyValue(Variable<T> given) : r(std::move(given)) {}
  static std::size_t row(std::size_t i, std::size_t j) { return (i + 3 * j + 3 - j % 3) % 3; }
  std::vector<Variable<T>> inputs() const override { return {r}; }
  void forward(const Tile<T>& tile, Matrix<const T> weights, Matrix<T> output, Scratch<T>&) const override {
    for (std::size_t i = 0; i < weights.rows; ++i)
      for (std::size_t j = 0; j < weights.cols; ++j)
        for (std::size_t c = 0; c < d; ++c) output(i, c) += weights(i, j) * r.value()(row(tile.query_rows[i], j), c);
  }
  void backward(const Tile<T>& tile, Matrix<const T> weights, Matrix<const T> output_gradient,
                Matrix<T> weights_gradient, Scratch<T>&, TileGradient<T>& into) const override {
    for (std::size_t i = 0; i < weights.rows; ++i)
      for (std::size_t j = 0; j < weights.cols; ++j)
        for (std::size_t c = 0; c < d; ++c) {
          const std::size_t at = row(tile.query_rows[i], j);
          weights_gradient(i, j) += output_gradient(i, c) * r.value()(at, c);
          into.inputs[0](at, c) += output_gradient(i, c) * weights(i, j);
        }
  }
};

// A = 1 / (1 + exp(-S)).
template <class T>
struct ToySigmoid final : Normaliser<T> {
  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>&) const override {
    for (std::size_t i = 0; i < scores.rows; ++i)
      for (std::size_t j = 0; j < scores.cols; ++j) {
        const bool seen = j >= tile.visible[i].begin && j < tile.visible[i].end;
        scores(i, j) = seen ? 1 / (1 + std::exp(-scores(i, j))) : T(0);
      }
  }
  void backward(const Tile<T>&, Matrix<const T> weights, Matrix<T> gradient, Scratch<T>&) const override {
    for (std::size_t i = 0; i < weights.rows; ++i)
      for (std::size_t j = 0; j < weights.cols; ++j) gradient(i, j) *= weights(i, j) * (1 - weights(i, j));
  }
};

// Head h sees the last h + 2 keys up to its own; head 2 of query row 1 sees none. Heads that a mixer joins see the
// same.
struct ToyWindow final : Window {
  bool mixed;
  explicit ToyWindow(bool mixed_) : mixed(mixed_) {}
  KeyRange visible(std::size_t head, std::size_t row, std::size_t) const override {
    if (head == 2 && row == 1) return {1, 1};
    const std::size_t before = mixed && head < 2 ? 2 : head + 1;
    return {row < before ? 0 : row - before, row + 1};
  }
};

// Which toys a model uses. Heads 0 and 1 are one group, with scale 0.5; head 2 is another, with scale 0.8, that has the
// distance bias and the window but none of the other toys.
struct Toys {
  bool content = false, content_scale = false, bias = false, mixer = false, row_scale = false, value = false,
       sigmoid = false, window = false;
  AttentionShape shape;
  AttentionDropout dropout = {};
  bool in_group(std::size_t head) const { return head < 2; }
  double scale(std::size_t head) const { return in_group(head) ? 0.5 : 0.8; }
};

enum Input { Q, K, V, P, T_CONTENT, TABLE, W, T_ROW, R, inputs };
constexpr std::size_t zero_column = 8;  // of the table: sequences have up to 9 tokens

template <class T>
Variable<T> attend(const Toys& toys, const std::vector<Variable<T>>& x) {
  Terms<T> terms, rest;
  // In another order than they act in.
  if (toys.row_scale) terms.scores.push_back(std::make_shared<ToyScale<T>>(Stage::row_scale, x[T_ROW]));
  if (toys.bias) {
    const auto columns =
        std::make_shared<DistanceColumns>(DistanceColumns{DistanceColumns::Kind::rows, zero_column, {}, {}});
    terms.scores.push_back(distance_bias(x[TABLE], columns, 0));
    rest.scores.push_back(terms.scores.back());
  }
  if (toys.content_scale) terms.scores.push_back(std::make_shared<ToyScale<T>>(Stage::content_scale, x[T_CONTENT]));
  if (toys.content) terms.scores.push_back(std::make_shared<ToyContent<T>>(x[P]));
  if (toys.mixer) terms.mixer = std::make_shared<ToyMixer<T>>(x[W]);
  if (toys.value) terms.values.push_back(std::make_shared<ToyValue<T>>(x[R]));
  if (toys.sigmoid) terms.normaliser = std::make_shared<ToySigmoid<T>>();
  if (toys.window) terms.window = rest.window = std::make_shared<ToyWindow>(toys.mixer);
  AttentionShape shape = toys.shape;
  shape.heads = heads;
  return attention(x[Q], x[K], x[V], shape, {{{2, 1}, T(toys.scale(2)), rest}, {{0, 2}, T(toys.scale(0)), terms}},
                   toys.dropout);
}

// The same, pair by pair.
Array<double> reference(const Toys& toys, const std::vector<Array<double>>& x) {
  const AttentionShape& s = toys.shape;
  const auto& queries = s.query_offsets.empty() ? s.offsets : s.query_offsets;
  Array<double> out = zeros<double>(queries.back(), width);
  for (std::size_t b = 0; b + 1 < s.offsets.size(); ++b) {
    const std::size_t begin = s.offsets[b], n = s.offsets[b + 1] - begin;
    for (std::size_t r = queries[b]; r < queries[b + 1]; ++r) {
      const std::size_t i = s.query_rows.empty() ? r - begin : s.query_rows[r];
      const double log_i = std::log(static_cast<double>(i + 2));
      const auto logit_parts = [&](std::size_t h, std::size_t j) {
        double content = 0, bias = 0;
        for (std::size_t c = h * d; c < (h + 1) * d; ++c) {
          content += x[Q](r, c) * x[K](begin + j, c);
          if (toys.content && toys.in_group(h))
            content += x[Q](r, c) * x[P](0, c - h * d) * (1 + static_cast<double>(j) / 10);
        }
        content *= toys.scale(h);
        if (toys.content_scale && toys.in_group(h)) content *= x[T_CONTENT](0, h) * log_i;
        if (toys.bias) bias = x[TABLE](h, zero_column + i - j);
        return std::pair(content, bias);
      };
      for (std::size_t h = 0; h < heads; ++h) {
        std::vector<std::size_t> seen;
        std::vector<double> weight;
        for (std::size_t j = 0; j < n; ++j) {
          if ((s.causal && j > i) || (!s.first_seen.empty() && j < s.first_seen[begin + i])) continue;
          const KeyRange window = toys.window ? ToyWindow(toys.mixer).visible(h, i, n) : KeyRange{0, n};
          if (j < window.begin || j >= window.end) continue;
          auto [content, bias] = logit_parts(h, j);
          double logit = content + bias;
          if (toys.mixer && toys.in_group(h)) {
            logit = 0;
            for (std::size_t m = 0; m < 2; ++m)
              logit += x[W](h, m) * (logit_parts(m, j).first + 2 * logit_parts(m, j).second);
          }
          if (toys.row_scale && toys.in_group(h)) logit *= x[T_ROW](0, h) * log_i;
          seen.push_back(j);
          weight.push_back(logit);
        }
        if (toys.sigmoid && toys.in_group(h)) {
          for (double& w : weight) w = 1 / (1 + std::exp(-w));
        } else {
          double total = 0;
          for (double& w : weight) total += w = std::exp(w);
          for (double& w : weight) w /= total;
        }
        for (std::size_t e = 0; e < seen.size(); ++e)
          for (std::size_t c = 0; c < d; ++c) {
            out(r, h * d + c) += weight[e] * x[V](begin + seen[e], h * d + c);
            if (toys.value && toys.in_group(h)) out(r, h * d + c) += weight[e] * x[R]((i + 27 - seen[e]) % 3, c);
          }
      }
    }
  }
  return out;
}

std::vector<Array<double>> toy_inputs(const Toys& toys) {
  const AttentionShape& s = toys.shape;
  const std::size_t tokens = s.offsets.back(), queries = s.query_offsets.empty() ? tokens : s.query_offsets.back();
  std::vector<Array<double>> x;
  for (const auto& [rows, cols] : {Shape{queries, width},
                                   {tokens, width},
                                   {tokens, width},
                                   {1, d},
                                   {1, heads},
                                   {heads, 2 * zero_column + 1},
                                   {heads, heads},
                                   {1, heads},
                                   {3, d}}) {
    x.push_back(random_array<double>(rows, cols, x.size()));
    each_value(view(x.back()), [](double& v) { v = 1.5 * v + (v < 0 ? -0.2 : 0.2); });
  }
  return x;
}

// Result and gradients in double, and float within 1e-4 of it.
void check_once(const Toys& toys) {
  const auto x = toy_inputs(toys);
  const auto f = [&](const auto& v) { return attend(toys, v); };
  const auto in_double = run_op<double>(f, x);
  if (toys.dropout.rate == 0) expect_close(in_double[0], reference(toys, x), 1e-13);
  const GradientCheck gradients = check_gradients(f, x);
  EXPECT_TRUE(gradients.passed) << gradients.worst;
  const auto in_float = run_op<float>(f, x);
  for (std::size_t k = 0; k < in_double.size(); ++k) {
    double largest = 1;
    each_value(view(in_double[k]), [&](double v) { largest = std::max(largest, std::abs(v)); });
    expect_close(in_float[k], in_double[k], 1e-4 * largest, join("float array ", k));
  }
}

// With weights that are kept for the backward pass, that are computed again, and, where the terms allow it, of a few
// keys at a time.
void check(const char* name, Toys toys) {
  for (const std::size_t key_block : {0, 64, 4}) {
    SCOPED_TRACE(join(name, ", key_block ", key_block));
    toys.shape.key_block = key_block;
    check_once(toys);
  }
}

// Sequences of 5, 0, 1 and 9 tokens: tiles of 4 rows do not divide them.
AttentionShape ragged(bool causal) { return {.causal = causal, .offsets = {0, 5, 5, 6, 15}, .tile_rows = 4}; }

// Rows that do not see their sequence's beginning.
AttentionShape without_beginnings(bool causal) {
  AttentionShape shape = ragged(causal);
  shape.first_seen = {0, 0, 1, 1, 4, 0, 0, 0, 0, 3, 3, 3, 2, 0, 6};
  return shape;
}

class AttentionModes : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Causal, AttentionModes, testing::Bool());

TEST_P(AttentionModes, EveryStageAlone) {
  const AttentionShape shape = ragged(GetParam());
  check("plain", {.shape = shape});
  check("content", {.content = true, .shape = shape});
  check("content_scale", {.content_scale = true, .bias = true, .shape = shape});
  check("bias", {.bias = true, .shape = shape});
  check("mixer", {.bias = true, .mixer = true, .shape = shape});
  check("row_scale", {.bias = true, .row_scale = true, .shape = shape});
  check("value", {.value = true, .shape = shape});
  check("normaliser", {.sigmoid = true, .shape = shape});
  check("window", {.window = true, .shape = shape});
}

TEST_P(AttentionModes, EveryStageTogether) {
  check("softmax", {true, true, true, true, true, true, false, true, ragged(GetParam())});
  check("sigmoid", {true, true, true, true, true, true, true, true, ragged(GetParam())});
}

TEST_P(AttentionModes, FirstSeenKeys) {
  AttentionShape shape = without_beginnings(GetParam());
  check("plain", {.shape = shape});
  check("mixer", {.bias = true, .mixer = true, .shape = shape});
  check("softmax", {true, true, true, true, true, true, false, true, shape});
  check("sigmoid", {true, true, true, true, true, true, true, true, shape});
  shape.query_offsets = {0, 3, 3, 3, 5};
  shape.query_rows = {1, 3, 4, 0, 8};
  check("some ask", {true, true, true, true, true, true, false, true, shape});
}

// Rows 1, 3 and 4 of the first sequence ask, none of the next two, rows 0 and 8 of the last.
TEST_P(AttentionModes, QuerySubsets) {
  AttentionShape shape = ragged(GetParam());
  shape.query_offsets = {0, 3, 3, 3, 5};
  shape.query_rows = {1, 3, 4, 0, 8};
  shape.tile_rows = 2;
  check("plain", {.shape = shape});
  const Toys all{true, true, true, true, true, true, false, true, shape};
  check("all", all);

  // The same rows of a full pass.
  const auto x = toy_inputs({.shape = ragged(GetParam())});
  Toys full = all;
  full.shape = ragged(GetParam());
  const auto everything = run_op<double>([&](const auto& v) { return attend(full, v); }, x)[0];
  auto some = x;
  some[Q] = uninitialized<double>(5, width);
  const std::size_t rows[] = {1, 3, 4, 6, 14};
  for (std::size_t r = 0; r < 5; ++r) copy(view(x[Q]).block_rows(rows[r], 1), view(some[Q]).block_rows(r, 1));
  const auto subset = run_op<double>([&](const auto& v) { return attend(all, v); }, some)[0];
  for (std::size_t r = 0; r < 5; ++r)
    expect_close(matrix(subset).block_rows(r, 1), matrix(everything).block_rows(rows[r], 1), 1e-14);
}

TEST_P(AttentionModes, NobodyAsks) {
  AttentionShape shape = ragged(GetParam());
  shape.query_offsets = {0, 0, 0, 0, 0};
  const Toys toys{.bias = true, .shape = shape};
  const auto results = run_op<float>([&](const auto& v) { return attend(toys, v); }, toy_inputs(toys));
  EXPECT_EQ(results[0].rows(), 0u);
  expect_close(results[1 + K], zeros<float>(15, width), 0);
}

TEST_P(AttentionModes, TileSizeChangesNothing) {
  Toys toys{true, true, true, true, true, true, false, true, ragged(GetParam())};
  const auto x = toy_inputs(toys);
  const auto run = [&](std::size_t tile_rows) {
    toys.shape.tile_rows = tile_rows;
    return run_op<double>([&](const auto& v) { return attend(toys, v); }, x);
  };
  const auto whole = run(0);
  for (const std::size_t tile_rows : {1, 2, 3, 7}) {
    const auto tiled = run(tile_rows);
    for (std::size_t k = 0; k < whole.size(); ++k)
      expect_close(tiled[k], whole[k], 1e-12, join("array ", k, ", tile_rows ", tile_rows));
  }
}

// Long sequences take keys block by block, forward and backward; blocks that a row, or every row, does not see among
// them.
TEST_P(AttentionModes, KeysInBlocks) {
  AttentionShape subset = ragged(GetParam());
  subset.query_offsets = {0, 3, 3, 3, 5};
  subset.query_rows = {1, 3, 4, 0, 8};
  for (Toys toys : {Toys{.shape = ragged(GetParam())}, Toys{.bias = true, .shape = ragged(GetParam())},
                    Toys{.bias = true, .window = true, .shape = ragged(GetParam())},
                    Toys{.bias = true, .shape = subset}, Toys{.bias = true, .shape = without_beginnings(GetParam())}}) {
    auto x = toy_inputs(toys);
    x[TABLE](0, zero_column + 2) = 50,
                              x[TABLE](1, zero_column) = -50;  // the largest score in another block than others
    const Array<double> expected = reference(toys, x);
    const auto gradients = [&] { return run_op<double>([&](const auto& v) { return attend(toys, v); }, x); };
    const auto whole_rows = gradients();
    for (const std::size_t key_block : {1, 2, 4, 7}) {
      toys.shape.key_block = key_block;
      const auto in_blocks = gradients();
      for (std::size_t k = 0; k < whole_rows.size(); ++k)
        expect_close(in_blocks[k], whole_rows[k], 1e-11, join("array ", k, ", key_block ", key_block));
      const auto close = [&]<class T>(T tolerance) {
        std::vector<Variable<T>> v;
        for (const auto& a : x) v.push_back(constant(converted<T>(a)));
        const Variable<T> y = attend<T>(toys, v);
        Array<T> values = uninitialized<T>(y.rows(), y.cols());
        copy(y.value(), view(values));
        expect_close(values, expected, tolerance, join("key_block ", key_block));
      };
      close(1e-13);
      close(2e-5f);
    }
  }
}

// Weights too small for a float are zeros: whether far, middle or near keys have them, results are those of whole rows.
// Values of blocks in which all are zero are not even read.
TEST_P(AttentionModes, BlocksThatWeighNothing) {
  Toys toys{.bias = true, .shape = ragged(GetParam())};
  auto x = toy_inputs(toys);
  for (std::size_t c = 0; c < x[TABLE].cols(); ++c) {
    const double distance = std::abs(static_cast<double>(c) - zero_column);
    x[TABLE](0, c) = -1000 * distance;
    x[TABLE](1, c) = distance > 1 && distance < 6 ? -1000 : 0;
    x[TABLE](2, c) = 1000 * distance;
  }
  const auto check_type = [&]<class T>(T tolerance) {
    const auto run = [&](std::size_t key_block, const std::vector<Array<double>>& input) {
      toys.shape.key_block = key_block;
      return run_op<T>([&](const auto& v) { return attend(toys, v); }, input);
    };
    const auto whole_rows = run(0, x);
    for (const std::size_t key_block : {1, 2, 4, 7}) {
      const auto in_blocks = run(key_block, x);
      for (std::size_t k = 0; k < whole_rows.size(); ++k)
        expect_close(in_blocks[k], whole_rows[k], tolerance, join("array ", k, ", key_block ", key_block));
    }
    const std::size_t first = 6, last = 14;  // of the last sequence
    auto infinite = x;
    for (std::size_t c = 0; c < d; ++c) infinite[V](first, c) = std::numeric_limits<double>::infinity();
    const auto results = run(2, infinite);
    for (std::size_t c = 0; c < d; ++c) {
      EXPECT_TRUE(std::isfinite(results[0](last, c)));
      EXPECT_TRUE(std::isfinite(results[1 + Q](last, c)));
    }
  };
  check_type(1e-11);
  check_type(2e-5f);
}

TEST_P(AttentionModes, SameBitsForAnyNumberOfThreads) {
  Toys every_stage{true, true, true, true, true, true, false, true, ragged(GetParam())};
  every_stage.dropout = {0.2, std::vector<Rng>(4, Rng(1))};
  Toys in_blocks{.bias = true, .row_scale = true, .shape = ragged(GetParam())};
  in_blocks.shape.key_block = 2;
  for (const Toys& toys : {every_stage, in_blocks}) {
    const auto x = toy_inputs(toys);
    const auto run = [&](std::size_t count) {
      set_threads(count);
      auto results = run_op<float>([&](const auto& v) { return attend(toys, v); }, x);
      set_threads(1);
      return results;
    };
    const auto one = run(1);
    for (const std::size_t count : {2, 3}) {
      const auto more = run(count);
      for (std::size_t k = 0; k < one.size(); ++k)
        EXPECT_TRUE(same_bits(one[k], more[k])) << "array " << k << ", threads " << count;
    }
  }
}

// As long sequences have them: tiles of 128 rows, blocks of whole vectors of keys, heads that fill vectors.
TEST(Attention, BlocksOfTheSizeThatKernelsTake) {
  constexpr std::size_t n = 300, two_heads = 2;
  for (const std::size_t head_dim : {16, 32}) {
    const auto columns = std::make_shared<DistanceColumns>(DistanceColumns{DistanceColumns::Kind::rows, 0, {}, {}});
    const auto run = [&]<class T>(std::size_t key_block, const std::vector<Array<double>>& x) {
      return run_op<T>(
          [&](const std::vector<Variable<T>>& v) {
            Terms<T> terms;
            terms.scores.push_back(distance_bias(v[3], columns, 0));
            return attention(v[0], v[1], v[2],
                             {.heads = two_heads, .causal = true, .offsets = {0, n}, .key_block = key_block},
                             {HeadGroup<T>{{0, two_heads}, T(0.3), terms}});
          },
          x);
    };
    std::vector<Array<double>> x;
    for (std::size_t seed = 1; seed <= 3; ++seed) x.push_back(random_array<double>(n, two_heads * head_dim, seed));
    x.push_back(uninitialized<double>(two_heads, n));
    for (std::size_t distance = 0; distance < n; ++distance) {
      x[3](0, distance) = -static_cast<double>(distance);  // weighs nothing beyond some 100 tokens
      x[3](1, distance) = -0.01 * static_cast<double>(distance);
    }
    const auto expected = run.operator()<double>(n, x);
    const auto in_blocks = run.operator()<float>(64, x);
    for (std::size_t k = 0; k < expected.size(); ++k)
      expect_close(in_blocks[k], expected[k], 5e-5, join("array ", k, ", head_dim ", head_dim));
  }
}

TEST_P(AttentionModes, Dropout) {
  Toys toys{.bias = true, .value = true, .shape = ragged(GetParam())};
  toys.dropout = {0.4, {Rng(1), Rng(2), Rng(3), Rng(4)}};
  check("dropout", toys);
}

// With equal logits and values that are an identity, the output shows the weights.
Array<double> shown_weights(std::size_t n, double rate, const Rng& rng, std::size_t tile_rows,
                            std::vector<std::size_t> query_rows = {}) {
  Array<double> identity = zeros<double>(n, n);
  for (std::size_t i = 0; i < n; ++i) identity(i, i) = 1;
  AttentionShape shape{.heads = 1, .causal = false, .offsets = {0, n}, .tile_rows = tile_rows};
  if (!query_rows.empty()) shape.query_offsets = {0, query_rows.size()}, shape.query_rows = query_rows;
  const std::size_t queries = query_rows.empty() ? n : query_rows.size();
  const auto out = attention(constant(zeros<double>(queries, n)), constant(zeros<double>(n, n)), constant(identity),
                             shape, {{{0, 1}, 1.0, {}}}, {rate, {rng}});
  Array<double> weights = uninitialized<double>(queries, n);
  copy(out.value(), view(weights));
  return weights;
}

TEST(AttentionDropout, MeanAndValues) {
  const std::size_t n = 150;
  const Array<double> w = shown_weights(n, 0.3, Rng(5), 0);
  std::size_t dropped = 0;
  each_value(view(w), [&](double v) {
    dropped += v == 0;
    EXPECT_NEAR(v, v == 0 ? 0 : 1 / 0.7 / static_cast<double>(n), 1e-15);
  });
  EXPECT_NEAR(static_cast<double>(dropped), 0.3 * n * n, 5 * std::sqrt(n * n * 0.3 * 0.7));
}

TEST(AttentionDropout, DependsOnTheStreamAndThePairAlone) {
  const Array<double> w = shown_weights(20, 0.5, Rng(5), 0);
  EXPECT_TRUE(same_bits(w, shown_weights(20, 0.5, Rng(5), 3)));
  EXPECT_FALSE(same_bits(w, shown_weights(20, 0.5, Rng(6), 0)));
  const Array<double> some = shown_weights(20, 0.5, Rng(5), 0, {7, 19});
  expect_close(matrix(some).block_rows(1, 1), matrix(w).block_rows(19, 1), 0);
}

TEST(AttentionDropout, HeadsDiffer) {
  Toys toys{.shape = {.causal = false, .offsets = {0, 9}}};
  auto x = toy_inputs(toys);
  fill(view(x[Q]), 0.0);
  fill(view(x[V]), 1.0);
  toys.dropout = {0.5, {Rng(5)}};
  const auto y = run_op<double>([&](const auto& v) { return attend(toys, v); }, x)[0];
  bool differ = false;
  for (std::size_t i = 0; i < 9; ++i) differ |= y(i, 0) != y(i, d);
  EXPECT_TRUE(differ);
}

// A query that sees nothing yields 0 and passes no gradient, whatever the other terms do.
TEST(Attention, AQueryWithoutKeys) {
  for (const bool sigmoid : {false, true}) {
    const Toys toys{true, true, true, true, true, true, sigmoid, true, ragged(true)};
    const auto x = toy_inputs(toys);
    const auto results = run_op<float>([&](const auto& v) { return attend(toys, v); }, x);
    for (const std::size_t row : {1, 7})  // token 1 of the first and of the last sequence
      for (std::size_t c = 2 * d; c < width; ++c) {
        EXPECT_EQ(results[0](row, c), 0);
        EXPECT_EQ(results[1 + Q](row, c), 0);
      }
    for (const auto& result : results) EXPECT_FALSE(has_nan(matrix(result)));
  }
  // A tile of which no row sees a key.
  Toys toys{.value = true, .window = true, .shape = {.causal = true, .offsets = {0, 3}, .tile_rows = 1}};
  const auto x = toy_inputs(toys);
  expect_close(run_op<float>([&](const auto& v) { return attend(toys, v); }, x)[0], reference(toys, x), 1e-5);
  expect_close(run_op<double>([&](const auto& v) { return attend(toys, v); }, x)[0], reference(toys, x), 1e-13);
}

// A mixer reads the same entry of every head of its group.
TEST(Attention, AMixerNeedsOneWindow) {
  Toys toys{.mixer = true, .window = true, .shape = ragged(true)};
  const auto x = toy_inputs(toys);
  std::vector<Variable<double>> v;
  for (const auto& a : x) v.push_back(constant(a));
  Terms<double> terms;
  terms.mixer = std::make_shared<ToyMixer<double>>(v[W]);
  terms.window = std::make_shared<ToyWindow>(false);
  AttentionShape shape = toys.shape;
  shape.heads = heads;
  EXPECT_THROW(attention(v[Q], v[K], v[V], shape, {{{0, 3}, 0.5, terms}}), InputError);
}

// Masks are ranges: a key hidden by causality and by a window, under a bias that is as large as floats are, has weight
// 0.
TEST(Attention, MasksAndLargeBiasesStayFinite) {
  Toys toys{.bias = true, .window = true, .shape = ragged(true)};
  auto x = toy_inputs(toys);
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t c = 0; c < x[TABLE].cols(); ++c) x[TABLE](h, c) = c < zero_column ? 3e38 : c % 2 ? -3e38 : -1e30;
  const auto results = run_op<float>([&](const auto& v) { return attend(toys, v); }, x);
  for (const auto& result : results) each_value(view(result), [](float v) { EXPECT_TRUE(std::isfinite(v)); });
  // Changing what is hidden changes nothing: token 3 and the query before it.
  auto changed = x;
  fill(view(changed[K]).block_rows(3, 1), 1e3);
  fill(view(changed[V]).block_rows(3, 1), -1e3);
  const auto after = run_op<float>([&](const auto& v) { return attend(toys, v); }, changed);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t c = 0; c < width; ++c) EXPECT_EQ(after[0](row, c), results[0](row, c));
}

// Leaves what it likes at masked entries; finds no gradient there.
template <class T>
struct Litter final : ScoreTerm<T> {
  Stage where;
  explicit Litter(Stage stage_) : where(stage_) {}
  Stage stage() const override { return where; }
  template <class Work>
  static void masked(const Tile<T>& tile, Work work) {
    for (std::size_t i = 0; i < tile.rows(); ++i)
      for (std::size_t j = 0; j < tile.keys(); ++j)
        if (j < tile.visible[i].begin || j >= tile.visible[i].end) work(i, j);
  }
  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>&) const override {
    masked(tile, [&](std::size_t i, std::size_t j) { scores(i, j) = T(1e30); });
  }
  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>&, TileGradient<T>&) const override {
    masked(tile, [&](std::size_t i, std::size_t j) { EXPECT_EQ(gradient(i, j), 0); });
  }
};

TEST(Attention, WhatTermsLeaveAtMaskedEntriesIsIgnored) {
  const Toys toys{.window = true, .shape = ragged(true)};
  const auto x = toy_inputs(toys);
  const auto run = [&](bool litter) {
    return run_op<float>(
        [&](const auto& v) {
          Terms<float> terms;
          for (const Stage stage : {Stage::content, Stage::content_scale, Stage::bias, Stage::row_scale})
            if (litter) terms.scores.push_back(std::make_shared<Litter<float>>(stage));
          terms.window = std::make_shared<ToyWindow>(false);
          AttentionShape shape = toys.shape;
          shape.heads = heads;
          return attention(v[Q], v[K], v[V], shape, {{{0, heads}, 0.5f, terms}});
        },
        x);
  };
  const auto clean = run(false), littered = run(true);
  for (std::size_t k = 0; k < clean.size(); ++k) expect_close(littered[k], clean[k], 1e-6, join("array ", k));
}

TEST(Attention, NanStaysNanWhereItIsSeen) {
  Toys toys{.bias = true, .shape = ragged(true)};
  for (const std::size_t key_block : {0, 2}) {
    toys.shape.key_block = key_block;
    for (const Input poisoned : {Q, K, V}) {
      auto x = toy_inputs(toys);
      x[poisoned](4, 0) = NAN;  // the last token of the first sequence
      const auto y = run_op<float>([&](const auto& v) { return attend(toys, v); }, x)[0];
      EXPECT_TRUE(std::isnan(y(4, 0)));
      for (std::size_t row = 5; row < 15; ++row) EXPECT_FALSE(std::isnan(y(row, 0)));
    }
    auto x = toy_inputs(toys);
    for (std::size_t c = 0; c < x[TABLE].cols(); ++c) x[TABLE](0, c) = -1000 * std::abs(double(c) - zero_column);
    x[TABLE](0, zero_column + 8) = NAN;  // among keys that weigh nothing
    const auto y = run_op<float>([&](const auto& v) { return attend(toys, v); }, x)[0];
    EXPECT_TRUE(std::isnan(y(14, 0)));
    EXPECT_FALSE(std::isnan(y(13, 0)));
  }
}

// q, k and v as views of one array, as constants, and as the same variable.
TEST(Attention, SharedAndUnwantedInputs) {
  const AttentionShape shape{.heads = 2, .offsets = {0, 3, 7}};
  const std::vector<HeadGroup<double>> plain{{{0, 2}, 0.7, {}}};
  const auto views = [&](const auto& x) {
    return attention(columns(x[0], 0, 4), columns(x[0], 4, 4), columns(x[0], 8, 4), shape, plain);
  };
  const auto same = [&](const auto& x) { return attention(x[0], x[0], x[0], shape, plain); };
  const auto constants = [&](const auto& x) {
    return attention(constant(random_array<double>(7, 4, 1)), x[0], constant(random_array<double>(7, 4, 2)), shape,
                     plain);
  };
  for (const auto& check : {check_gradients(views, {random_array<double>(7, 12, 3)}),
                            check_gradients(same, {random_array<double>(7, 4, 3)}),
                            check_gradients(constants, {random_array<double>(7, 4, 3)})})
    EXPECT_TRUE(check.passed) << check.worst;
}

// A key that no gradient is wanted for: terms find an empty matrix, and must be given one.
TEST(Attention, ConstantTable) {
  Toys toys{.bias = true, .shape = ragged(true)};
  const auto x = toy_inputs(toys);
  const auto f = [&](const auto& v) {
    auto all = v;
    for (std::size_t k = 3; k < inputs; ++k) all.push_back(constant(x[k]));
    return attend(toys, all);
  };
  const auto check = check_gradients(f, {x[Q], x[K], x[V]});
  EXPECT_TRUE(check.passed) << check.worst;
}

// Twice the length may take twice the memory, not four times.
TEST(Attention, MemoryGrowsLinearly) {
  const auto peak = [](std::size_t n) {
    const auto q = leaf(random_array<float>(n, 16, 1));
    pool_trim();
    const std::size_t before = pool_use().in_use;
    {
      Tape<float> tape;
      const auto y = attention(q, q, q, {.heads = 2, .offsets = {0, n}, .tile_rows = 32}, {{{0, 2}, 0.3f, {}}});
      tape.backward(y, zeros<float>(n, 16));
    }
    return pool_use().most - before;
  };
  const std::size_t half = peak(2048), whole = peak(4096);
  EXPECT_GE(whole, 4096 * 16 * sizeof(float));
  EXPECT_LT(whole, 2 * half + half / 2);
  EXPECT_LT(whole, 4096 * 4096 * sizeof(float) / 4);
}

}  // namespace
}  // namespace lengthwise
