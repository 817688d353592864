// A bias that a network reads off log-spaced displacements in a grid:
//
//   S_hij += 16 sigmoid(w2 relu(w1 v + b1))_h,  v = sign(u) log2(1 + |u|) / log2(8),
//   u = 8 (dy / (height - 1), dx / (width - 1))
//
// Source      Liu et al. 2021, Swin Transformer V2 (arXiv:2111.09883), section 3.3; 16 sigmoid is the public code's.
// Parameters  w1 (hidden, 2), b1 (1, hidden), w2 (H, hidden), each layer its own: weights normal with deviation 0.02
//             at first, b1 zero.
// Options     height, width (8 x 8): the grid of training, in tokens, which stays the unit on every other grid.
//             hidden (512).
// Deviates    the paper's cosine attention with a learned temperature is no part of it. Pairs with a token that has no
//             position, as a class token, get no bias.
// Past L      extrapolate, in logarithmic coordinates.
#include "core/ops/activation.h"
#include "core/ops/functions.h"
#include "core/ops/linear.h"
#include "encodings/grid_distances.h"

namespace lengthwise {
namespace {

template <class T>
class SwinCpb final : public Encoding<T> {
 public:
  explicit SwinCpb(const EncodingSetup<T>& setup)
      : rows_unit_(unit(setup.options.real("height"))), columns_unit_(unit(setup.options.real("width"))) {
    const std::string prefix = setup.layer_prefix() + "swin_cpb.";
    const std::size_t hidden = setup.options.count("hidden");
    w1_ = setup.store.shared(prefix + "w1", hidden, 2, initial_normal(0.02), Decay::weights);
    b1_ = setup.store.shared(prefix + "b1", 1, hidden, initial_value(0));
    w2_ = setup.store.shared(prefix + "w2", setup.shape.heads, hidden, initial_normal(0.02), Decay::weights);
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const GridDistances& found = grid_distances(context);
    const std::size_t count = found.values.size();
    Array<T> coordinates = zeros<T>(count, 2), placed = zeros<T>(1, count);
    for (std::size_t c = 0; c < count; ++c)
      if (const Displacement& d = found.values[c]; d.defined()) {
        coordinates(c, 0) = log_spaced(d.rows / rows_unit_);
        coordinates(c, 1) = log_spaced(d.columns / columns_unit_);
        placed(0, c) = 16;
      }
    const Variable<T> hidden = relu(linear(constant(std::move(coordinates)), w1_.variable(), b1_.variable()));
    const Variable<T> table =
        multiply(sigmoid(linear(w2_.variable(), hidden)), constant(std::move(placed)));  // [heads, columns]
    return {.scores = {distance_bias(table, found.columns, 0)}};
  }

 private:
  static double unit(double tokens) { return std::max(tokens - 1, 1.0) / 8; }
  static T log_spaced(double u) { return static_cast<T>(std::copysign(std::log2(1 + std::abs(u)) / 3, u)); }

  double rows_unit_, columns_unit_;
  Parameter<T> w1_, b1_, w2_;
};

const bool registered = register_encoding<SwinCpb>({
    .section =
        {"swin_cpb",
         "A bias that a small network reads off the displacement in a grid, in logarithmic units (Liu et al. 2021)",
         {integer("height", 8).at_least(1).at_most(1024).in("tokens").says("rows of the training grid"),
          integer("width", 8).at_least(1).at_most(1024).in("tokens").says("columns of the training grid"),
          integer("hidden", 512).at_least(1).at_most(4096).says("units of the network's hidden layer")}},
    .source = "Liu et al. 2021, arXiv:2111.09883, section 3.3",
    .formula =
        "S_hij += 16 sigmoid(MLP(v))_h, v = sign(u) log2(1 + |u|) / 3, u = 8 (dy / (height - 1), dx / (width - 1))",
    .verified = "dense reference",
    .relative = true,
    .channels = {"row", "column"},
});

}  // namespace
}  // namespace lengthwise
