// Rotary positions of a grid in learned directions:  pair m of head h turned by  column wx[h, m] + row wy[h, m]
//
// Source      Heo et al. 2024 (arXiv:2403.13298), section 3.3; rope-vit.
// Parameters  blocks.N.rope2d_mixed.frequencies (H d/2, 2): wx and wy of every pair, one set a layer. At first
//             magnitudes base^(-4m / d), m = 0 .. d/4 - 1, twice: along a direction drawn for each head, and
//             perpendicular to it.
// Options     base (10), layout (interleaved: pairs (2m, 2m + 1); half: (m, m + d/2)), random_directions (true; false:
//             column and row, so that training starts from rope2d_axial).
// Deviates    angles are learned and thus formed in the model's precision. No weight decay unless train.decay = all.
// Past L      extrapolate; positions.scheme = grid can rescale coordinates to the trained grid instead.
#include <numbers>

#include "core/ops/linear.h"
#include "core/ops/rotate_by.h"
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

Initializer initial_directions(std::size_t heads, std::size_t head_dim, double base, bool random) {
  return [=](Rng& rng, Matrix<double> w) {
    const std::size_t pairs = head_dim / 2;
    for (std::size_t h = 0; h < heads; ++h) {
      const double along = random ? rng.uniform(0, 2 * std::numbers::pi) : 0;
      for (std::size_t m = 0; m < pairs; ++m) {
        const bool perpendicular = m >= pairs / 2;
        const double direction = along + (perpendicular ? std::numbers::pi / 2 : 0);
        const double magnitude =
            std::pow(base, -4 * static_cast<double>(m % (pairs / 2)) / static_cast<double>(head_dim));
        w(h * pairs + m, 0) = magnitude * std::cos(direction);
        w(h * pairs + m, 1) = magnitude * std::sin(direction);
      }
    }
  };
}

template <class T>
class Rope2dMixed final : public Encoding<T> {
 public:
  explicit Rope2dMixed(const EncodingSetup<T>& setup)
      : heads_(setup.shape.heads),
        layout_(setup.options.text("layout") == "half" ? PairLayout::half : PairLayout::interleaved),
        frequencies_(setup.store.shared(
            setup.layer_prefix() + "rope2d_mixed.frequencies", setup.heads.count * setup.shape.head_dim() / 2, 2,
            initial_directions(setup.heads.count, setup.shape.head_dim(), setup.options.real("base"),
                               setup.options.flag("random_directions")))) {}

  QueryKey<T> transform(const QueryKey<T>& qk, const Context& context) const override {
    const auto& places = context.memo->get<Variable<T>>("rope2d_mixed", [&] { return places_of(context); });
    const Variable<T> angle = linear(places, frequencies_.variable());  // [tokens, heads * pairs]
    const auto turn = [&](const Variable<T>& x) {
      return rotate_by(x, angle, layout_, heads_, context.heads.first, context.heads.count);
    };
    return {turn(qk.q), turn(qk.k)};
  }

 private:
  // [tokens, 2]: column and row; 0 for tokens without a place, which do not turn.
  static Variable<T> places_of(const Context& context) {
    const auto columns = context.ids("column"), rows = context.ids("row");
    Array<T> places = zeros<T>(columns.size(), 2);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!context.positions->placed(i)) continue;
      places(i, 0) = static_cast<T>(columns[i]);
      places(i, 1) = static_cast<T>(rows[i]);
    }
    return constant(std::move(places));
  }

  std::size_t heads_;
  PairLayout layout_;
  Parameter<T> frequencies_;
};

const bool registered = register_encoding<Rope2dMixed>({
    .section =
        {"rope2d_mixed",
         "Rotary positions of a grid: every pair of every head turned in a direction it learns (Heo et al. 2024)",
         {real("base", 10)
              .above(1)
              .says("the slowest pair turns once in 2 pi times about this many rows or columns, at first"),
          choice("layout", "interleaved", {"interleaved", "half"})
              .says("which channels form a pair: (2m, 2m + 1) or (m, m + d/2)"),
          flag("random_directions", true)
              .says("start each head in a direction of its own, instead of along columns and rows")}},
    .source = "Heo et al. 2024, arXiv:2403.13298, section 3.3",
    .formula = "pair m of head h turned by column wx[h, m] + row wy[h, m]",
    .verified = "rope-vit (golden)",
    .relative = true,
    .channels = {"row", "column"},
    .check =
        [](const Options&, const ModelShape& shape) {
          require(shape.head_dim() % 4 == 0, "rope2d_mixed: a head has ", shape.head_dim(),
                  " channels; they turn in pairs, half of them across the others, so model.width / model.heads must be "
                  "a multiple of 4.");
        },
});

}  // namespace
}  // namespace lengthwise
