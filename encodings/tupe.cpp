// Untied absolute positions:  S_ij = q_i . k_j / sqrt(2d) + (LN(E[p_i]) U_Q)_h . (LN(E[p_j]) U_K)_h / sqrt(2d)
//
// Source      Ke, He, Liu 2020 (arXiv:2006.15595), sections 3.1 and 3.2.
// Parameters  tupe.table (positions + 2, D), E; tupe.norm.gain and .bias (1, D); tupe.query and tupe.key (D, D), U_Q
//             and U_K: one set for all layers.
// Options     positions: rows of the table; 0 = as many as the longest training sequence has tokens. init_std (0.02).
// Deviates    the paper's relative variant is tupe+t5, whose buckets know nothing of class tokens.
// Past L      error beyond the table. Rows past the longest training sequence exist only when asked for, untrained.
//
// Words and positions never meet. A token without a position (a class token) is untied from both: as a query it scores
// theta_1 with every key, as a key theta_2 with every other query. As in the published code, theta_1 and theta_2 of
// each head are the products of two spare rows of the table with themselves.
#include "core/gemm.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"
#include "core/simd.h"
#include "encodings/position_table.h"

namespace lengthwise {
namespace {

// Projected positions of the batch's tokens, and behind them the two spare rows: [tokens + 2, H d].
template <class T>
struct Untied {
  Variable<T> query, key;
  std::vector<bool> without_position;  // empty when every token has one
};

// S_ij += Q_i . K_j, inside the scale.
template <class T>
class UntiedPositions final : public ScoreTerm<T> {
 public:
  explicit UntiedPositions(Untied<T> untied) : untied_(std::move(untied)) {}

  Stage stage() const override { return Stage::content; }
  std::vector<Variable<T>> inputs() const override { return {untied_.query, untied_.key}; }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    const Matrix<const T> k = of_head(untied_.key.value(), tile);
    const Matrix<T> s = scratch.matrix(1, scores.rows, scores.cols);
    gemm<T>(Op::none, Op::transpose, 1, queries(tile, scratch), k.block_rows(tile.begin, tile.keys()), 0, s);
    each_untied(tile, [&](std::size_t i, std::size_t j, std::size_t spare) { s(i, j) = theta(tile, spare); });
    accumulate(s, scores);
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    if (!into.inputs[0].data) return;
    const Matrix<T> tied = scratch.matrix(1, gradient.rows, gradient.cols);
    copy(gradient, tied);
    T of_theta[2] = {0, 0};
    each_untied(tile, [&](std::size_t i, std::size_t j, std::size_t spare) {
      of_theta[spare] += tied(i, j);
      tied(i, j) = 0;
    });
    const Matrix<const T> q = of_head(untied_.query.value(), tile), k = of_head(untied_.key.value(), tile);
    const Matrix<T> dq = of_head(into.inputs[0], tile), dk = of_head(into.inputs[1], tile);
    const Matrix<T> of_rows = scratch.matrix(2, gradient.rows, q.cols);
    gemm<T>(Op::none, Op::none, 1, tied, k.block_rows(tile.begin, tile.keys()), 0, of_rows);
    for (std::size_t i = 0; i < tile.rows(); ++i)
      accumulate(of_rows.block_rows(i, 1), dq.block_rows(tile.begin + tile.query_rows[i], 1));
    gemm<T>(Op::transpose, Op::none, 1, tied, queries(tile, scratch), 1, dk.block_rows(tile.begin, tile.keys()));
    for (std::size_t spare = 0; spare < 2; ++spare) {
      accumulate(k.block_rows(spare_row(spare), 1), dq.block_rows(spare_row(spare), 1), of_theta[spare]);
      accumulate(q.block_rows(spare_row(spare), 1), dk.block_rows(spare_row(spare), 1), of_theta[spare]);
    }
  }

 private:
  std::size_t spare_row(std::size_t spare) const { return untied_.query.rows() - 2 + spare; }
  T theta(const Tile<T>& tile, std::size_t spare) const {
    const std::size_t at = tile.head * tile.k.cols;
    return dot(untied_.query.value().row(spare_row(spare)) + at, untied_.key.value().row(spare_row(spare)) + at,
               tile.k.cols);
  }

  template <class U>
  static Matrix<U> of_head(Matrix<U> all, const Tile<T>& tile) {
    return all.block_cols(tile.head * tile.k.cols, tile.k.cols);
  }
  Matrix<T> queries(const Tile<T>& tile, Scratch<T>& scratch) const {
    const Matrix<T> q = scratch.matrix(0, tile.rows(), tile.k.cols);
    const Matrix<const T> all = of_head(untied_.query.value(), tile);
    for (std::size_t i = 0; i < q.rows; ++i)
      copy(all.block_rows(tile.begin + tile.query_rows[i], 1), q.block_rows(i, 1));
    return q;
  }

  // Calls work(row, key, 0 or 1: which theta) for visible pairs with a token that has no position.
  template <class Work>
  void each_untied(const Tile<T>& tile, Work work) const {
    if (untied_.without_position.empty()) return;
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const bool query = untied_.without_position[tile.begin + tile.query_rows[i]];
      for (std::size_t j = tile.visible[i].begin; j < tile.visible[i].end; ++j)
        if (query || untied_.without_position[tile.begin + j]) work(i, j, query ? 0 : 1);
    }
  }

  Untied<T> untied_;
};

template <class T>
class Tupe final : public Encoding<T> {
 public:
  explicit Tupe(const EncodingSetup<T>& setup) : rows_(table_rows(setup.options, setup.shape)) {
    const std::size_t width = setup.shape.width;
    const Initializer init = initial_normal(setup.options.real("init_std"));
    table_ = setup.store.table("tupe.table", rows_ + 2, width, init);
    gain_ = setup.store.shared("tupe.norm.gain", 1, width, initial_value(1));
    bias_ = setup.store.shared("tupe.norm.bias", 1, width, initial_value(0));
    query_ = setup.store.shared("tupe.query", width, width, init, Decay::weights);
    key_ = setup.store.shared("tupe.key", width, width, init, Decay::weights);
  }

  T scale(std::size_t head_dim) const override { return Encoding<T>::scale(2 * head_dim); }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const auto& untied = context.memo->get<Untied<T>>("tupe", [&] { return project(context); });
    return {.scores = {std::make_shared<UntiedPositions<T>>(untied)}};
  }

 private:
  std::size_t row(double id) const {
    require(id >= 0 && id < static_cast<double>(rows_) && id == std::floor(id), "tupe: position ", id,
            " is not a row of the table, which has the whole-numbered rows 0 to ", rows_ - 1,
            "; train with a larger tupe.positions, or evaluate shorter sequences.");
    return static_cast<std::size_t>(id);
  }

  // Every position of the batch is normalised and projected once, then handed to its tokens.
  Untied<T> project(const Context& context) const {
    const auto ids = context.ids("sequence");
    const std::vector<bool>& unplaced = context.positions->without_position;
    std::vector<std::size_t> used, at(ids.size());
    std::map<std::size_t, std::size_t> place;
    for (std::size_t t = 0; t < ids.size(); ++t) {
      if (!unplaced.empty() && unplaced[t]) continue;  // any row will do
      const auto [found, fresh] = place.try_emplace(row(ids[t]), used.size());
      if (fresh) used.push_back(found->first);
      at[t] = found->second;
    }
    for (const std::size_t spare : {rows_, rows_ + 1}) {
      at.push_back(used.size());
      used.push_back(spare);
    }
    const Variable<T> rows = layer_norm(embedding(table_.variable(), used), gain_.variable(), bias_.variable());
    bool in_order = at.size() == used.size();  // one sequence: nothing to hand out
    for (std::size_t t = 0; in_order && t < at.size(); ++t) in_order = at[t] == t;
    const auto projected = [&](const Parameter<T>& by) {
      const Variable<T> all = linear(rows, by.variable());
      return in_order ? all : embedding(all, at);
    };
    return {projected(query_), projected(key_), unplaced};
  }

  std::size_t rows_;
  Parameter<T> table_, gain_, bias_, query_, key_;
};

const bool registered = register_encoding<Tupe>({
    .section = {"tupe",
                "Untied absolute positions: a score of their own beside the content's (Ke et al. 2020)",
                {table_positions_option(),
                 real("init_std", 0.02).at_least(0).says("standard deviation of the initial parameters")}},
    .source = "Ke, He, Liu 2020, arXiv:2006.15595, sections 3.1 and 3.2",
    .formula = "S_ij = q_i . k_j / sqrt(2d) + (LN(E[p_i]) U_Q)_h . (LN(E[p_j]) U_K)_h / sqrt(2d)",
    .verified = "dense reference",
    .past_length = PastLength::error,
    .needs_whole_ids = true,
    .max_positions = table_rows,
    .check = check_table_rows,
});

}  // namespace
}  // namespace lengthwise
