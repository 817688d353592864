#include "core/relative_vectors.h"

#include "core/gemm.h"
#include "core/simd.h"

namespace lengthwise {
namespace {

template <class T>
void add_multiple(T factor, const T* x, T* to, std::size_t n) {
#pragma omp simd
  for (std::size_t c = 0; c < n; ++c) to[c] += factor * x[c];
}

// x . y. In double in the order of gemm, so that a score does not depend on which way it was found.
template <class T>
T product(const T* x, const T* y, std::size_t n) {
  if constexpr (std::is_same_v<T, float>) return dot(x, y, n);
  T total = 0;
  for (std::size_t c = 0; c < n; ++c) total += x[c] * y[c];
  return total;
}

enum class Side { query, key };

// Of keys that all read one row.
struct OneRow {
  std::size_t row;
  std::size_t operator()(std::size_t) const { return row; }
};

// A head's vectors A in a tile, and the sums over pairs that forward and backward passes are made of. A pair belongs to
// a row x_t: that of its query, or that of its key (counted from first_key).
template <class T, Side side = Side::query>
class Vectors {
 public:
  Vectors(const RelativeRows& rows, Matrix<const T> table, const Tile<T>& tile, std::size_t first_key = 0)
      : rows_(rows), tile_(tile), first_key_(first_key), all_(of_head(table)) {
    find_touched();
  }

  /// The tile's head in a table or its gradient.
  template <class U>
  Matrix<U> of_head(Matrix<U> table) const {
    const std::size_t d = tile_.k.cols;
    return table.cols == d ? table : table.block_cols(tile_.head * d, d);
  }

  /// S_ij += x_t . A[r(i, j)].
  void inner(Matrix<const T> x, Matrix<T> s, Scratch<T>& scratch) const {
    if (sparse_)
      return each([&](std::size_t i, std::size_t begin, std::size_t end, auto row) {
        for (std::size_t j = begin; j < end; ++j) s(i, j) += product(x.row(of_pair(i, j)), all_.row(row(j)), x.cols);
      });
    const Matrix<T> p = scratch.matrix(0, x.rows, count_);
    gemm<T>(Op::none, Op::transpose, 1, x, touched(all_), 0, p);
    each([&](std::size_t i, std::size_t begin, std::size_t end, auto row) {
      T* to = s.row(i);
#pragma omp simd
      for (std::size_t j = begin; j < end; ++j) to[j] += p.row(of_pair(i, j))[row(j) - first_];
    });
  }

  /// y_t += sum w_ij A[r(i, j)] and dA[r(i, j)] += w_ij x_t; an empty matrix y or dA is left out.
  void outer(Matrix<const T> w, Matrix<T> y, Matrix<const T> x, Matrix<T> d_table, Scratch<T>& scratch) const {
    if (sparse_)
      return each([&](std::size_t i, std::size_t begin, std::size_t end, auto row) {
        for (std::size_t j = begin; j < end; ++j) {
          const std::size_t t = of_pair(i, j);
          if (y.data) add_multiple(w(i, j), all_.row(row(j)), y.row(t), y.cols);
          if (d_table.data) add_multiple(w(i, j), x.row(t), d_table.row(row(j)), x.cols);
        }
      });
    const Matrix<T> p = pooled(w, x.rows, scratch);
    if (y.data) gemm<T>(Op::none, Op::none, 1, p, touched(all_), 1, y);
    if (d_table.data) gemm<T>(Op::transpose, Op::none, 1, p, x, 1, touched(d_table));
  }

  /// Calls work(row of the tile, first key, last + 1, key -> table row), for far keys that share a row apart from
  /// others.
  template <class Work>
  void each(Work work) const {
    for_each_row(*rows_.columns, tile_, [&](std::size_t i, std::size_t begin, std::size_t end, auto column) {
      if (rows_.row.empty()) return work(i, begin, end, column);
      const auto row = [of = rows_.row.data(), column](std::size_t j) { return std::size_t{of[column(j)]}; };
      if (rows_.columns->kind != DistanceColumns::Kind::rows || begin >= end) return work(i, begin, end, row);
      const std::size_t after = begin + column(begin) + 1;  // columns fall along the keys: key j reads after - 1 - j
      const std::size_t near = std::clamp(after - std::min(after, rows_.tail), begin, end);
      const std::size_t future = std::clamp(after - std::min(after, rows_.head), near, end);
      if (begin < near) work(i, begin, near, OneRow{rows_.row.back()});
      if (near < future) work(i, near, future, row);
      if (future < end) work(i, future, end, OneRow{rows_.row.front()});
    });
  }

 private:
  template <class U>
  Matrix<U> touched(Matrix<U> table) const {
    return table.block_rows(first_, count_);
  }

  std::size_t of_pair(std::size_t i, std::size_t j) const { return side == Side::query ? i : j - first_key_; }

  // P[t, r] = sum of w_ij over the pairs of row t that read entry r.
  Matrix<T> pooled(Matrix<const T> w, std::size_t count, Scratch<T>& scratch) const {
    const Matrix<T> p = scratch.matrix(0, count, count_);
    fill(p, T(0));
    each([&](std::size_t i, std::size_t begin, std::size_t end, auto row) {
      const T* from = w.row(i);
      if constexpr (side == Side::query && std::is_same_v<decltype(row), OneRow>)
        p(i, row.row - first_) += sum(from + begin, end - begin);
      else
        for (std::size_t j = begin; j < end; ++j) p.row(of_pair(i, j))[row(j) - first_] += from[j];
    });
    return p;
  }

  // The entries that the tile may read. Ids in equal steps meet no more of them than there are rows and keys. Other ids
  // may meet any; where the table is long and the tile short, each pair's own product is less work than all products.
  // Tables of a batch's own distances are read pair by pair always: by their length, other sequences would decide.
  void find_touched() {
    count_ = all_.rows;
    if (rows_.columns->kind != DistanceColumns::Kind::rows) {
      sparse_ = rows_.row.empty() || count_ > 4 * (tile_.rows() + tile_.keys());
      return;
    }
    std::size_t low = ~std::size_t{0}, high = 0;  // columns
    for_each_row(*rows_.columns, tile_, [&](std::size_t, std::size_t begin, std::size_t end, auto column) {
      if (begin < end)
        low = std::min<std::size_t>(low, column(end - 1)), high = std::max<std::size_t>(high, column(begin));
    });
    if (low > high) low = high = 0;
    if (!rows_.row.empty()) {
      const auto [least, most] = std::minmax_element(rows_.row.begin() + static_cast<std::ptrdiff_t>(low),
                                                     rows_.row.begin() + static_cast<std::ptrdiff_t>(high) + 1);
      low = *least, high = *most;
    }
    first_ = low, count_ = high + 1 - low;
  }

  const RelativeRows& rows_;
  const Tile<T>& tile_;
  std::size_t first_key_;
  Matrix<const T> all_;
  std::size_t first_ = 0, count_ = 0;
  bool sparse_ = false;
};

template <class T>
class RelativeKeys final : public ScoreTerm<T> {
 public:
  RelativeKeys(Variable<T> table, std::shared_ptr<const RelativeRows> rows, Variable<T> bias)
      : table_(std::move(table)), rows_(std::move(rows)), bias_(std::move(bias)) {}

  Stage stage() const override { return Stage::content; }
  std::vector<Variable<T>> inputs() const override {
    if (bias_) return {table_, bias_};
    return {table_};
  }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    const Vectors<T> vectors(*rows_, table_.value(), tile);
    vectors.inner(queries(tile, vectors, scratch), scores, scratch);
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    const Vectors<T> vectors(*rows_, table_.value(), tile);
    const Matrix<const T> x = queries(tile, vectors, scratch);
    const Matrix<T> d_table = into.inputs[0].data ? vectors.of_head(into.inputs[0]) : Matrix<T>{};
    if (!bias_ || !into.inputs[1].data) return vectors.outer(gradient, into.q, x, d_table, scratch);
    const Matrix<T> dx = scratch.matrix(2, x.rows, x.cols);
    fill(dx, T(0));
    vectors.outer(gradient, dx, x, d_table, scratch);
    accumulate(dx, into.q);
    const Matrix<T> d_bias = vectors.of_head(into.inputs[1]);
    for (std::size_t i = 0; i < dx.rows; ++i) accumulate(dx.block_rows(i, 1), d_bias);
  }

 private:
  // q + b
  Matrix<const T> queries(const Tile<T>& tile, const Vectors<T>& vectors, Scratch<T>& scratch) const {
    if (!bias_) return tile.q;
    const Matrix<T> x = scratch.matrix(1, tile.rows(), tile.q.cols);
    copy(tile.q, x);
    for (std::size_t i = 0; i < x.rows; ++i) accumulate(vectors.of_head(bias_.value()), x.block_rows(i, 1));
    return x;
  }

  Variable<T> table_;
  std::shared_ptr<const RelativeRows> rows_;
  Variable<T> bias_;
};

// Works on blocks of keys: a block and the tile's rows meet about as many distances as they have tokens, while all keys
// times all their distances would be n x n.
template <class T>
class RelativeQueries final : public ScoreTerm<T> {
 public:
  RelativeQueries(Variable<T> table, std::shared_ptr<const RelativeRows> rows)
      : table_(std::move(table)), rows_(std::move(rows)) {}

  Stage stage() const override { return Stage::content; }
  std::vector<Variable<T>> inputs() const override { return {table_}; }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    each_block(tile, [&](const Tile<T>& block, std::size_t first, std::size_t count) {
      const Vectors<T, Side::key> vectors(*rows_, table_.value(), block, first);
      vectors.inner(tile.k.block_rows(first, count), scores, scratch);
    });
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    each_block(tile, [&](const Tile<T>& block, std::size_t first, std::size_t count) {
      const Vectors<T, Side::key> vectors(*rows_, table_.value(), block, first);
      const Matrix<T> d_table = into.inputs[0].data ? vectors.of_head(into.inputs[0]) : Matrix<T>{};
      vectors.outer(gradient, into.k.block_rows(first, count), tile.k.block_rows(first, count), d_table, scratch);
    });
  }

 private:
  // Calls work(the tile with only these keys visible, first key, number of keys).
  template <class Work>
  static void each_block(const Tile<T>& tile, Work work) {
    constexpr std::size_t block_keys = 64;
    std::vector<KeyRange> visible(tile.rows());
    Tile<T> block = tile;
    block.visible = visible;
    for (std::size_t first = 0; first < tile.keys(); first += block_keys) {
      const std::size_t count = std::min(block_keys, tile.keys() - first);
      for (std::size_t i = 0; i < tile.rows(); ++i) {
        const std::size_t begin = std::max(tile.visible[i].begin, first),
                          end = std::min(tile.visible[i].end, first + count);
        visible[i] = {std::min(begin, end), end};
      }
      work(block, first, count);
    }
  }

  Variable<T> table_;
  std::shared_ptr<const RelativeRows> rows_;
};

template <class T>
class RelativeValues final : public ValueTerm<T> {
 public:
  RelativeValues(Variable<T> table, std::shared_ptr<const RelativeRows> rows)
      : table_(std::move(table)), rows_(std::move(rows)) {}

  std::vector<Variable<T>> inputs() const override { return {table_}; }

  void forward(const Tile<T>& tile, Matrix<const T> weights, Matrix<T> output, Scratch<T>& scratch) const override {
    Vectors<T>(*rows_, table_.value(), tile).outer(weights, output, output, {}, scratch);
  }

  void backward(const Tile<T>& tile, Matrix<const T> weights, Matrix<const T> output_gradient,
                Matrix<T> weights_gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    const Vectors<T> vectors(*rows_, table_.value(), tile);
    vectors.inner(output_gradient, weights_gradient, scratch);
    if (into.inputs[0].data) vectors.outer(weights, {}, output_gradient, vectors.of_head(into.inputs[0]), scratch);
  }

 private:
  Variable<T> table_;
  std::shared_ptr<const RelativeRows> rows_;
};

}  // namespace

RelativeRows::RelativeRows(std::shared_ptr<const DistanceColumns> columns_, std::vector<std::uint32_t> row_)
    : columns(std::move(columns_)), row(std::move(row_)) {
  while (head < row.size() && row[head] == row.front()) ++head;
  for (tail = row.size(); tail > head && row[tail - 1] == row.back();) --tail;
}

template <class T>
std::shared_ptr<const ScoreTerm<T>> relative_keys(Variable<T> table, std::shared_ptr<const RelativeRows> rows,
                                                  Variable<T> bias) {
  return std::make_shared<RelativeKeys<T>>(std::move(table), std::move(rows), std::move(bias));
}
template <class T>
std::shared_ptr<const ScoreTerm<T>> relative_queries(Variable<T> table, std::shared_ptr<const RelativeRows> rows) {
  return std::make_shared<RelativeQueries<T>>(std::move(table), std::move(rows));
}
template <class T>
std::shared_ptr<const ValueTerm<T>> relative_values(Variable<T> table, std::shared_ptr<const RelativeRows> rows) {
  return std::make_shared<RelativeValues<T>>(std::move(table), std::move(rows));
}

#define LENGTHWISE_INSTANTIATE(T)                                                                                  \
  template std::shared_ptr<const ScoreTerm<T>> relative_keys(Variable<T>, std::shared_ptr<const RelativeRows>,     \
                                                             Variable<T>);                                         \
  template std::shared_ptr<const ScoreTerm<T>> relative_queries(Variable<T>, std::shared_ptr<const RelativeRows>); \
  template std::shared_ptr<const ValueTerm<T>> relative_values(Variable<T>, std::shared_ptr<const RelativeRows>);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
