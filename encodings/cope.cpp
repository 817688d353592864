// Contextual positions:  g_it = sigmoid(q_i . k_t / sqrt(d)),  c_ij = min(sum over j <= t <= i of g_it, P - 1),
//                        S_ij = q_i . (k_j + e[c_ij]) / sqrt(d),  e between whole positions by interpolation
//
// Source      Golovneva, Wang, Weston, Sukhbaatar 2024 (arXiv:2405.18719), section 4.
// Parameters  blocks.N.cope.table (P, d), e: a layer each, shared by its heads, zero at first. With own_gate_key,
//             blocks.N.cope.gate_key (D, D): gates come from q and a projection of x of their own.
// Options     positions (64): P. own_gate_key (false). scale: inside (default), as above and in the published code;
//             outside: q_i . e[c] is added undivided to q.k / sqrt(d), as in the paper's listing.
// Past L      clamp: all counts from P - 1 on share the last vector.
//
// Positions count what the gates let pass instead of tokens. Gradients flow through gates and interpolation weights,
// not through floor and ceil. Gates see what other encodings, earlier in the name, added to q.k inside the scale.
#include "core/gemm.h"
#include "core/ops/linear.h"
#include "core/simd.h"
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

template <class T>
class ContextualPositions final : public ScoreTerm<T> {
 public:
  ContextualPositions(Variable<T> table, Variable<T> gate_keys, bool inside, T scale)
      : table_(std::move(table)), gate_keys_(std::move(gate_keys)), inside_(inside), scale_(scale) {}

  Stage stage() const override { return inside_ ? Stage::content : Stage::bias; }
  std::vector<Variable<T>> inputs() const override {
    if (gate_keys_) return {table_, gate_keys_};
    return {table_};
  }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    const Matrix<T> gates = scratch.matrix(0, scores.rows, scores.cols),
                    counts = scratch.matrix(1, scores.rows, scores.cols);
    const Matrix<T> logits = scratch.matrix(2, scores.rows, table_.rows());  // q_i . e[p]
    gemm<T>(Op::none, Op::transpose, 1, tile.q, table_.value(), 0, logits);
    if (gate_keys_)
      gemm<T>(Op::none, Op::transpose, scale_, tile.q, of_tile(gate_keys_.value(), tile), 0, gates);
    else
      for (std::size_t i = 0; i < scores.rows; ++i) multiply(scores.row(i), of_scores(), gates.row(i), tile.visible[i]);
    const T last = static_cast<T>(table_.rows() - 1);
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = tile.visible[i];
      T *g = gates.row(i), *c = counts.row(i), *s = scores.row(i);
      map(
          end - begin, g + begin, [](auto v) { return decltype(v)(1) / (decltype(v)(1) + lanes::exp(-v)); }, g + begin);
      T sum = 0;
      for (std::size_t j = end; j-- > begin;) c[j] = std::min(last, sum += g[j]);  // a NaN is no index
      const T* z = logits.row(i);
#pragma omp simd
      for (std::size_t j = begin; j < end; ++j) {
        const auto [low, high] = neighbours(c[j]);
        s[j] += z[low] + (c[j] - static_cast<T>(low)) * (z[high] - z[low]);
      }
    }
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    const std::size_t rows = gradient.rows, keys = gradient.cols;
    const Matrix<T> gates = scratch.matrix(0, rows, keys), counts = scratch.matrix(1, rows, keys);
    const Matrix<T> logits = scratch.matrix(2, rows, table_.rows()), d_logits = scratch.matrix(3, rows, table_.rows());
    const Matrix<T> d_gates = scratch.matrix(4, rows, keys);  // before the sigmoid
    fill(d_logits, T(0));
    if (gate_keys_) fill(d_gates, T(0));
    for (std::size_t i = 0; i < rows; ++i) {
      const auto [begin, end] = tile.visible[i];
      const T *g = gates.row(i), *c = counts.row(i), *z = logits.row(i);
      T *ds = gradient.row(i), *dz = d_logits.row(i), *da = d_gates.row(i);
      T sum = 0;  // of dL/dc over keys up to j: the gate of key j counts for all of them
      for (std::size_t j = begin; j < end; ++j) {
        const auto [low, high] = neighbours(c[j]);
        const T weight = c[j] - static_cast<T>(low);
        dz[low] += ds[j] * (1 - weight);
        dz[high] += ds[j] * weight;
        sum += ds[j] * (z[high] - z[low]);  // 0 where c is clamped: both neighbours are the last position
        da[j] = sum * g[j] * (1 - g[j]);
      }
      if (!gate_keys_)
        for (std::size_t j = begin; j < end; ++j) ds[j] += da[j] * of_scores();
    }
    gemm<T>(Op::none, Op::none, 1, d_logits, table_.value(), 1, into.q);
    if (into.inputs[0].data) gemm<T>(Op::transpose, Op::none, 1, d_logits, tile.q, 1, into.inputs[0]);
    if (!gate_keys_) return;
    gemm<T>(Op::none, Op::none, scale_, d_gates, of_tile(gate_keys_.value(), tile), 1, into.q);
    if (into.inputs[1].data)
      gemm<T>(Op::transpose, Op::none, scale_, d_gates, tile.q, 1, of_tile(into.inputs[1], tile));
  }

 private:
  // What turns the scores this term meets into gate logits: they are divided by sqrt(d) already when it acts outside.
  T of_scores() const { return inside_ ? scale_ : T(1); }

  struct Neighbours {
    std::int32_t low, high;
  };
  Neighbours neighbours(T count) const {
    const auto low = static_cast<std::int32_t>(count), last = static_cast<std::int32_t>(table_.rows()) - 1;
    return {low, std::min(low + 1, last)};
  }

  template <class U>
  static Matrix<U> of_tile(Matrix<U> keys, const Tile<T>& tile) {  // [tokens, H d] -> [keys, d]
    return keys.block_rows(tile.begin, tile.keys()).block_cols(tile.head * tile.k.cols, tile.k.cols);
  }

  static void multiply(const T* x, T by, T* y, KeyRange range) {
#pragma omp simd
    for (std::size_t j = range.begin; j < range.end; ++j) y[j] = by * x[j];
  }

  Variable<T> table_, gate_keys_;
  bool inside_;
  T scale_;
};

template <class T>
class Cope final : public Encoding<T> {
 public:
  explicit Cope(const EncodingSetup<T>& setup)
      : inside_(setup.options.text("scale") == "inside"),
        scale_(Encoding<T>::scale(setup.shape.head_dim())),
        table_(setup.store.table(setup.layer_prefix() + "cope.table", setup.options.count("positions"),
                                 setup.shape.head_dim(), initial_value(0))) {
    if (setup.options.flag("own_gate_key"))
      gate_key_ = setup.store.shared(setup.layer_prefix() + "cope.gate_key", setup.shape.width, setup.shape.width,
                                     initial_normal(0.02), Decay::weights);
  }

  Terms<T> terms(const Variable<T>& x, const Context&) const override {
    const Variable<T> gate_keys = gate_key_ ? linear(x, gate_key_.variable()) : Variable<T>();
    return {.scores = {std::make_shared<ContextualPositions<T>>(table_.variable(), gate_keys, inside_, scale_)}};
  }

 private:
  bool inside_;
  T scale_;
  Parameter<T> table_, gate_key_;
};

const bool registered = register_encoding<Cope>({
    .section = {"cope",
                "Contextual positions: keys are counted by gates that read the content (Golovneva et al. 2024)",
                {integer("positions", 64)
                     .at_least(2)
                     .at_most(1 << 20)
                     .says("rows of the table; counts from the last on share it. The paper uses 64 for language"),
                 flag("own_gate_key", false).says("gates have a key projection of their own"),
                 choice("scale", "inside", {"inside", "outside"})
                     .says("whether position logits are divided by sqrt(d), as in the published code, or not")}},
    .source = "Golovneva, Wang, Weston, Sukhbaatar 2024, arXiv:2405.18719, section 4",
    .formula = "S_ij = q_i . (k_j + e[c_ij]) / sqrt(d), c_ij = min(sum_{j<=t<=i} sigmoid(q_i . k_t / sqrt(d)), P - 1)",
    .verified = "RAM, x-transformers (golden)",
    .past_length = PastLength::clamp,
    .relative = true,
    .causal_only = true,
    .channels = {},
});

}  // namespace
}  // namespace lengthwise
