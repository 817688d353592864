// Relative sinusoids:  S_ij = [(q_i + u_h) . k_j + (q_i + v_h) . (W_R R[p_i - p_j])_h] / sqrt(d),
//                      R[p] = (sin p w_0, sin p w_1, ..., cos p w_0, cos p w_1, ...),  w_m = base^(-2m / D)
//
// Source      Dai et al. 2019 (arXiv:1901.02860), section 3.3.
// Parameters  blocks.N.transformer_xl.projection (D, D), W_R, a layer. transformer_xl.content_bias and .position_bias
//             (1, D), u and v, one for all layers; with untie_r blocks.N.transformer_xl.content_bias and so on.
// Options     base (10000). clamp_len (0): distances beyond it are taken for it; 0 takes them as they are. untie_r
//             (false). init_std (0.02).
// Deviates    bidirectional attention needs distances of both signs, which are met by the same formula.
// Past L      extrapolate, or clamp with clamp_len.
#include "core/gemm.h"
#include "core/ops/linear.h"
#include "core/relative_vectors.h"
#include "encodings/distances.h"

namespace lengthwise {
namespace {

// S_ij += u_h . k_j, inside the scale.
template <class T>
class KeyBias final : public ScoreTerm<T> {
 public:
  explicit KeyBias(Variable<T> u) : u_(std::move(u)) {}

  Stage stage() const override { return Stage::content; }
  std::vector<Variable<T>> inputs() const override { return {u_}; }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    const Matrix<T> bias = scratch.matrix(0, 1, tile.keys());
    gemm<T>(Op::none, Op::transpose, 1, of_head(u_.value(), tile), tile.k, 0, bias);
    for (std::size_t i = 0; i < scores.rows; ++i) accumulate(bias, scores.block_rows(i, 1));
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    const Matrix<T> of_key = scratch.matrix(0, 1, tile.keys());
    fill(of_key, T(0));
    for (std::size_t i = 0; i < gradient.rows; ++i) accumulate(gradient.block_rows(i, 1), of_key);
    gemm<T>(Op::transpose, Op::none, 1, of_key, of_head(u_.value(), tile), 1, into.k);
    if (into.inputs[0].data) gemm<T>(Op::none, Op::none, 1, of_key, tile.k, 1, of_head(into.inputs[0], tile));
  }

 private:
  template <class U>
  static Matrix<U> of_head(Matrix<U> u, const Tile<T>& tile) {
    return u.block_cols(tile.head * tile.k.cols, tile.k.cols);
  }

  Variable<T> u_;
};

template <class T>
class TransformerXl final : public Encoding<T> {
 public:
  explicit TransformerXl(const EncodingSetup<T>& setup)
      : width_(setup.shape.width),
        base_(setup.options.real("base")),
        clamp_(setup.options.count("clamp_len") > 0 ? static_cast<double>(setup.options.count("clamp_len"))
                                                    : INFINITY) {
    const Initializer init = initial_normal(setup.options.real("init_std"));
    const std::string prefix = setup.options.flag("untie_r") ? setup.layer_prefix() : "";
    projection_ =
        setup.store.shared(setup.layer_prefix() + "transformer_xl.projection", width_, width_, init, Decay::weights);
    content_bias_ = setup.store.shared(prefix + "transformer_xl.content_bias", 1, width_, init);
    position_bias_ = setup.store.shared(prefix + "transformer_xl.position_bias", 1, width_, init);
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    struct Shared {
      Variable<T> sinusoids;  // [distances, D]
      std::shared_ptr<const RelativeRows> rows;
    };
    const Shared& shared = context.memo->get<Shared>("transformer_xl", [&] {
      const Distances& found = distances(context);
      return Shared{constant(sinusoids(found.values)), std::make_shared<RelativeRows>(found.columns)};
    });
    const Variable<T> table = linear(shared.sinusoids, projection_.variable());
    return {.scores = {std::make_shared<KeyBias<T>>(content_bias_.variable()),
                       relative_keys(table, shared.rows, position_bias_.variable())}};
  }

 private:
  Array<T> sinusoids(const std::vector<double>& distances) const {
    const std::size_t pairs = width_ / 2;
    std::vector<double> frequency;
    for (std::size_t m = 0; m < pairs; ++m)
      frequency.push_back(std::pow(base_, -2.0 * static_cast<double>(m) / static_cast<double>(width_)));
    Array<T> table = uninitialized<T>(distances.size(), width_);
    for (std::size_t c = 0; c < distances.size(); ++c) {
      const double distance = std::clamp(distances[c], -clamp_, clamp_);
      for (std::size_t m = 0; m < pairs; ++m) {
        table(c, m) = static_cast<T>(std::sin(distance * frequency[m]));
        table(c, pairs + m) = static_cast<T>(std::cos(distance * frequency[m]));
      }
    }
    return table;
  }

  std::size_t width_;
  double base_, clamp_;
  Parameter<T> projection_, content_bias_, position_bias_;
};

const bool registered = register_encoding<TransformerXl>({
    .section =
        {"transformer_xl",
         "Projected sinusoids of the distance, and biases of content and position (Dai et al. 2019)",
         {real("base", 10000).above(1).says("the slowest pair turns once in 2 pi times about this many positions"),
          integer("clamp_len", 0)
              .at_most(1 << 30)
              .in("positions")
              .says("farther distances are taken for this one; 0: none are"),
          flag("untie_r", false).says("every layer has its own two biases"),
          real("init_std", 0.02).at_least(0).says("standard deviation of the initial parameters")}},
    .source = "Dai et al. 2019, arXiv:1901.02860, section 3.3",
    .formula = "S_ij = [(q_i + u) . k_j + (q_i + v) . W_R R[p_i - p_j]] / sqrt(d)",
    .verified = "kimiyoung/transformer-xl, DeepMind (golden)",
    .relative = true,
    .check =
        [](const Options&, const ModelShape& shape) {
          require(shape.width % 2 == 0, "transformer_xl: model.width is ", shape.width,
                  "; sinusoids come in pairs, so it must be even.");
        },
});

}  // namespace
}  // namespace lengthwise
