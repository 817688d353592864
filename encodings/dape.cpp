// Data-adaptive bias:  S' = S + b + g([S; b]),  g = W_2 LeakyReLU(W_1 . + b_1) + b_2 over the 2H values of each pair
//
// Source      Zheng et al. 2024 (arXiv:2405.14722), section 3: version 1.
// Parameters  blocks.N.dape.hidden (width, 2H), .hidden_bias (1, width), .output (H, width) and .output_bias (1, H), a
//             layer; uniform in +-1/sqrt(inputs) at first. The first H inputs are the content, the last H the biases.
// Options     width (32): of the hidden layer.
// Past L      as the encoding that gives the bias.
//
// b is the sum of the biases of the encodings it is joined with: alibi+dape, kerple+dape, fire+dape. Alone, b is 0 and
// g sees the content. Masked pairs are neither read nor written.
#include "core/gemm.h"
#include "core/simd.h"
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

template <class T>
struct Mlp {
  Variable<T> hidden, hidden_bias, output, output_bias;
};

// Query row by query row: the values of a row's pairs are the columns of a [2H, keys] matrix.
template <class T>
class AdaptiveBias final : public HeadMixer<T> {
 public:
  explicit AdaptiveBias(Mlp<T> mlp) : mlp_(std::move(mlp)) {}

  std::vector<Variable<T>> inputs() const override {
    return {mlp_.hidden, mlp_.hidden_bias, mlp_.output, mlp_.output_bias};
  }

  void forward(std::span<const Tile<T>> tiles, std::span<const Matrix<T>> content, std::span<const Matrix<T>> bias,
               Scratch<T>& scratch) const override {
    const std::size_t heads = tiles.size(), keys = content[0].cols;
    const Matrix<T> values = scratch.matrix(0, content[0].rows * 2 * heads, keys);  // kept: content is overwritten
    for (std::size_t i = 0; i < content[0].rows; ++i) {
      const auto [begin, end] = tiles[0].visible[i];
      const std::size_t n = end - begin;
      const Matrix<T> x = values.block_rows(i * 2 * heads, 2 * heads).block_cols(begin, n);
      for (std::size_t h = 0; h < heads; ++h) {
        std::copy_n(content[h].row(i) + begin, n, x.row(h));
        std::copy_n(bias[h].row(i) + begin, n, x.row(heads + h));
      }
      const Matrix<T> y = scratch.matrix(2, heads, keys).block_cols(0, n);
      gemm<T>(Op::none, Op::none, 1, mlp_.output.value(), hidden(x, scratch), 0, y);
      for (std::size_t h = 0; h < heads; ++h) {
        const T shift = mlp_.output_bias.value()(0, h);
        const T *more = y.row(h), *b = x.row(heads + h);
        T* s = content[h].row(i) + begin;
#pragma omp simd
        for (std::size_t j = 0; j < n; ++j) s[j] += b[j] + more[j] + shift;
      }
    }
  }

  void backward(std::span<const Tile<T>> tiles, std::span<const Matrix<T>> d_content, std::span<const Matrix<T>> d_bias,
                Scratch<T>& scratch, TileGradient<T>& into) const override {
    const std::size_t heads = tiles.size(), keys = d_content[0].cols, width = mlp_.hidden.rows();
    const Matrix<T> values = scratch.matrix(0, d_content[0].rows * 2 * heads, keys);
    for (std::size_t i = 0; i < d_content[0].rows; ++i) {
      const auto [begin, end] = tiles[0].visible[i];
      const std::size_t n = end - begin;
      const Matrix<T> x = values.block_rows(i * 2 * heads, 2 * heads).block_cols(begin, n), active = hidden(x, scratch);
      const Matrix<T> dy = scratch.matrix(2, heads, keys).block_cols(0, n);
      for (std::size_t h = 0; h < heads; ++h) std::copy_n(d_content[h].row(i) + begin, n, dy.row(h));
      const Matrix<T> d_hidden = scratch.matrix(3, width, keys).block_cols(0, n);
      gemm<T>(Op::transpose, Op::none, 1, mlp_.output.value(), dy, 0, d_hidden);
      learn(dy, active, into.inputs[2], into.inputs[3]);
      for (std::size_t w = 0; w < width; ++w) {
        const T* a = active.row(w);
        T* d = d_hidden.row(w);
#pragma omp simd
        for (std::size_t j = 0; j < n; ++j) d[j] *= a[j] > 0 ? T(1) : T(leak);
      }
      const Matrix<T> dx = scratch.matrix(4, 2 * heads, keys).block_cols(0, n);
      gemm<T>(Op::transpose, Op::none, 1, mlp_.hidden.value(), d_hidden, 0, dx);
      learn(d_hidden, x, into.inputs[0], into.inputs[1]);
      for (std::size_t h = 0; h < heads; ++h) {
        T *content = d_content[h].row(i) + begin, *bias = d_bias[h].row(i) + begin;
        const T *own = dy.row(h), *of_content = dx.row(h), *of_bias = dx.row(heads + h);
#pragma omp simd
        for (std::size_t j = 0; j < n; ++j) {
          content[j] += of_content[j];
          bias[j] += own[j] + of_bias[j];
        }
      }
    }
  }

 private:
  static constexpr double leak = 0.01;

  // LeakyReLU(W_1 x + b_1), [width, pairs].
  Matrix<T> hidden(Matrix<const T> x, Scratch<T>& scratch) const {
    const Matrix<T> y = scratch.matrix(1, mlp_.hidden.rows(), x.stride).block_cols(0, x.cols);
    gemm<T>(Op::none, Op::none, 1, mlp_.hidden.value(), x, 0, y);
    for (std::size_t w = 0; w < y.rows; ++w) {
      const T shift = mlp_.hidden_bias.value()(0, w);
      T* to = y.row(w);
#pragma omp simd
      for (std::size_t j = 0; j < y.cols; ++j) {
        const T v = to[j] + shift;
        to[j] = v > 0 ? v : T(leak) * v;
      }
    }
    return y;
  }

  // Of a layer y = W x + b with columns of pairs.
  static void learn(Matrix<const T> dy, Matrix<const T> x, Matrix<T> d_weight, Matrix<T> d_bias) {
    if (d_weight.data) gemm<T>(Op::none, Op::transpose, 1, dy, x, 1, d_weight);
    if (d_bias.data)
      for (std::size_t r = 0; r < dy.rows; ++r) d_bias(0, r) += sum(dy.row(r), dy.cols);
  }

  Mlp<T> mlp_;
};

template <class T>
class Dape final : public Encoding<T> {
 public:
  explicit Dape(const EncodingSetup<T>& setup) {
    const std::size_t width = setup.options.count("width"), heads = setup.heads.count;
    const auto dense = [&](const std::string& name, std::size_t out, std::size_t in) {
      const double bound = 1 / std::sqrt(static_cast<double>(in));
      const std::string full = setup.layer_prefix() + "dape." + name;
      return std::pair{setup.store.shared(full, out, in, initial_uniform(-bound, bound), Decay::weights),
                       setup.store.shared(full + "_bias", 1, out, initial_uniform(-bound, bound))};
    };
    std::tie(hidden_, hidden_bias_) = dense("hidden", width, 2 * heads);
    std::tie(output_, output_bias_) = dense("output", heads, width);
  }

  Terms<T> terms(const Variable<T>&, const Context&) const override {
    return {.mixer = std::make_shared<AdaptiveBias<T>>(
                Mlp<T>{hidden_.variable(), hidden_bias_.variable(), output_.variable(), output_bias_.variable()})};
  }

 private:
  Parameter<T> hidden_, hidden_bias_, output_, output_bias_;
};

const bool registered = register_encoding<Dape>({
    .section = {"dape",
                "Data-adaptive bias: an MLP over heads that sees content and bias of each pair (Zheng et al. 2024)",
                {integer("width", 32).at_least(1).at_most(4096).says("of the hidden layer")}},
    .source = "Zheng et al. 2024, arXiv:2405.14722, section 3",
    .formula = "S' = S + b + W_2 LeakyReLU(W_1 [S; b] + b_1) + b_2",
    .verified = "DAPE (golden)",
    .relative = true,
    .channels = {},
});

}  // namespace
}  // namespace lengthwise
