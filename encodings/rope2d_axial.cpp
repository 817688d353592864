// Rotary positions of a grid:  the first d/4 pairs of channels turned by column w_m, the next d/4 by row w_m,
// w_m = base^(-4m / d)
//
// Source      Heo et al. 2024 (arXiv:2403.13298), section 3.2; rope-vit.
// Parameters  none.
// Options     base (100), layout (interleaved: pairs (2m, 2m + 1); half: (m, m + d/2)), order (column: its pairs come
//             first, as in rope-vit; row, as in timm).
// Past L      extrapolate; positions.scheme = grid can rescale coordinates to the trained grid instead.
#include "encodings/angle_rows.h"

namespace lengthwise {
namespace {

template <class T>
class Rope2dAxial final : public Encoding<T> {
 public:
  explicit Rope2dAxial(const EncodingSetup<T>& setup)
      : heads_(setup.shape.heads),
        layout_(setup.options.text("layout") == "half" ? PairLayout::half : PairLayout::interleaved),
        column_first_(setup.options.text("order") == "column") {
    const auto d = static_cast<double>(setup.shape.head_dim());
    for (double m = 0; m < d / 4; ++m) frequencies_.push_back(std::pow(setup.options.real("base"), -4 * m / d));
  }

  QueryKey<T> transform(const QueryKey<T>& qk, const Context& context) const override {
    const auto& turns = context.memo->get<Turns<T>>("rope2d_axial", [&] { return turns_of(context); });
    const auto turn = [&](const Variable<T>& x) {
      return rotate(x, turns.table, turns.row_of_token, layout_, heads_, context.heads.first, context.heads.count);
    };
    return {turn(qk.q), turn(qk.k)};
  }

 private:
  Turns<T> turns_of(const Context& context) const {
    const auto first = context.ids(column_first_ ? "column" : "row"),
               second = context.ids(column_first_ ? "row" : "column");
    DistinctRows<std::pair<double, double>> rows;
    for (std::size_t i = 0; i < first.size(); ++i)
      rows.add(context.positions->placed(i) ? std::pair{first[i], second[i]} : std::pair{0.0, 0.0});
    const auto& keys = rows.keys();
    const std::size_t quarter = frequencies_.size();
    return {angle_table<T>(keys.size(), 2 * quarter,
                           [&](std::size_t r, std::size_t m) {
                             return m < quarter ? Polar{keys[r].first * frequencies_[m]}
                                                : Polar{keys[r].second * frequencies_[m - quarter]};
                           }),
            rows.row_of_token()};
  }

  std::size_t heads_;
  PairLayout layout_;
  bool column_first_;
  std::vector<double> frequencies_;
};

const bool registered = register_encoding<Rope2dAxial>({
    .section =
        {"rope2d_axial",
         "Rotary positions of a grid: half of the pairs turned by the column, half by the row (Heo et al. 2024)",
         {real("base", 100).above(1).says("the slowest pair turns once in 2 pi times about this many rows or columns"),
          choice("layout", "interleaved", {"interleaved", "half"})
              .says("which channels form a pair: (2m, 2m + 1) or (m, m + d/2)"),
          choice("order", "column", {"column", "row"}).says("whose pairs come first")}},
    .source = "Heo et al. 2024, arXiv:2403.13298, section 3.2",
    .formula = "pair m < d/4 turned by column w_m, pair d/4 + m by row w_m, w_m = base^(-4m/d)",
    .verified = "rope-vit, timm (golden)",
    .relative = true,
    .channels = {"row", "column"},
    .check =
        [](const Options&, const ModelShape& shape) {
          require(shape.head_dim() % 4 == 0, "rope2d_axial: a head has ", shape.head_dim(),
                  " channels; they turn in pairs, half of them on each axis, so model.width / model.heads must be a "
                  "multiple of 4.");
        },
});

}  // namespace
}  // namespace lengthwise
