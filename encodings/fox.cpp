// Forget gates:  S_hij += C_hi - C_hj,  C_hi = sum over t <= i of ln f_ht,  f_ht = sigmoid(w_h . x_t + b_h)
//
// Source      Lin, Nikishin, He, Courville 2025, Forgetting Transformer (arXiv:2503.02130), section 3.
// Parameters  blocks.N.fox.weight (H, D) and .bias (1, H), a layer each.
// Options     gate_bias_init (3): b at first. Gates then start near 0.95, a half-life of 14 tokens. Published code
//             starts at 0: gates of 1/2, a half-life of one token.
// Deviates    output gate, output norm, norms of q and k, and shifted keys and values, the paper's "Pro" block, are no
//             part of it.
// Past L      extrapolate.
//
// The bias never counts the gate of the key's own step. A constant gate f is ALiBi with slope -ln f.
#include "core/ops/linear.h"
#include "core/ops/log_sigmoid.h"
#include "core/simd.h"
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

template <class T>
class ForgetBias final : public ScoreTerm<T> {
 public:
  explicit ForgetBias(Variable<T> log_gates) : log_gates_(std::move(log_gates)) {}

  std::vector<Variable<T>> inputs() const override { return {log_gates_}; }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    const T* c = sums(tile, scratch);
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = tile.visible[i];
      const T own = c[tile.query_rows[i]];
      T* s = scores.row(i);
#pragma omp simd
      for (std::size_t j = begin; j < end; ++j) s[j] += own - c[j];
    }
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    if (!into.inputs[0].data) return;
    const Matrix<T> dc = scratch.matrix(1, 1, tokens(tile));
    fill(dc, T(0));
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = tile.visible[i];
      const T* g = gradient.row(i);
#pragma omp simd
      for (std::size_t j = begin; j < end; ++j) dc.data[j] -= g[j];
      dc.data[tile.query_rows[i]] += sum(g + begin, end - begin);
    }
    double after = 0;  // a gate is part of every later C
    for (std::size_t t = dc.cols; t-- > 0;) {
      after += static_cast<double>(dc.data[t]);
      into.inputs[0](tile.begin + t, tile.head) += static_cast<T>(after);
    }
  }

 private:
  static std::size_t tokens(const Tile<T>& tile) { return std::max(tile.keys(), tile.query_rows.back() + 1); }

  // C of the tile's tokens, less that of its first query. C grows with the sequence and is needed in differences:
  // rounding it to float would cost near keys of a long sequence their bias.
  const T* sums(const Tile<T>& tile, Scratch<T>& scratch) const {
    T* c = scratch.matrix(0, 1, tokens(tile)).data;
    const auto gate = [&](std::size_t t) { return static_cast<double>(log_gates_.value()(tile.begin + t, tile.head)); };
    const std::size_t first = tile.query_rows[0];
    double sum = 0;
    c[first] = 0;
    for (std::size_t t = first + 1; t < tokens(tile); ++t) c[t] = static_cast<T>(sum += gate(t));
    sum = 0;
    for (std::size_t t = first; t > 0; --t) c[t - 1] = static_cast<T>(sum -= gate(t));
    return c;
  }

  Variable<T> log_gates_;  // [tokens, H]
};

template <class T>
class Fox final : public Encoding<T> {
 public:
  explicit Fox(const EncodingSetup<T>& setup)
      : weight_(setup.store.shared(setup.layer_prefix() + "fox.weight", setup.shape.heads, setup.shape.width,
                                   initial_normal(0.02), Decay::weights)),
        bias_(setup.store.shared(setup.layer_prefix() + "fox.bias", 1, setup.shape.heads,
                                 initial_value(setup.options.real("gate_bias_init")))) {}

  Terms<T> terms(const Variable<T>& x, const Context&) const override {
    return {.scores = {std::make_shared<ForgetBias<T>>(log_sigmoid(linear(x, weight_.variable(), bias_.variable())))}};
  }

 private:
  Parameter<T> weight_, bias_;
};

const bool registered = register_encoding<Fox>({
    .section =
        {"fox",
         "Forget gates: a bias that falls by what each token lets pass (Lin et al. 2025)",
         {real("gate_bias_init", 3).says("bias of the gates at first; 0, as published, halves attention a token")}},
    .source = "Lin, Nikishin, He, Courville 2025, arXiv:2503.02130, section 3",
    .formula = "S_hij += sum over j < t <= i of ln sigmoid(w_h . x_t + b_h)",
    .verified = "flash-linear-attention, forgetting-transformer, x-transformers (golden)",
    .relative = true,
    .causal_only = true,
    .channels = {},
});

}  // namespace
}  // namespace lengthwise
