// A learned bias for every displacement in a grid:  S_hij += B[h, y_i - y_j, x_i - x_j]
//
// Source      Liu et al. 2021, Swin Transformer (arXiv:2103.14030), section 3.2.
// Parameters  table (H, (2 height - 1)(2 width - 1)), each layer its own, normal with deviation 0.02 at first. (Public
//             code cuts the normal at 2, a hundred deviations out.) Displacement (dy, dx) is column
//             (dy + height - 1)(2 width - 1) + dx + width - 1.
// Options     height, width (8 x 8): the grid, in tokens.
// Deviates    pairs with a token that has no position, as a class token, get no bias.
// Past L      error beyond the grid; swin_cpb goes on.
#include "encodings/grid_distances.h"

namespace lengthwise {
namespace {

template <class T>
class SwinBias final : public Encoding<T> {
 public:
  explicit SwinBias(const EncodingSetup<T>& setup)
      : height_(setup.options.count("height")),
        width_(setup.options.count("width")),
        table_(setup.store.table(setup.layer_prefix() + "swin_bias.table", setup.shape.heads,
                                 (2 * height_ - 1) * (2 * width_ - 1), initial_normal(0.02))) {}

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const GridDistances& found = grid_distances(context);
    std::vector<std::size_t> index;
    index.reserve(found.values.size());
    for (const auto& displacement : found.values) index.push_back(displacement ? column(*displacement) : no_column);
    return {.scores = {distance_bias(gather_columns(table_.variable(), std::move(index)), found.columns, 0)}};
  }

 private:
  std::size_t column(const Displacement& d) const {
    const auto h = static_cast<double>(height_), w = static_cast<double>(width_);
    require(std::abs(d.rows) < h && std::abs(d.columns) < w && d.rows == std::floor(d.rows) &&
                d.columns == std::floor(d.columns),
            "swin_bias: two tokens lie ", d.rows, " rows and ", d.columns,
            " columns apart, and the table of swin_bias.height = ", height_, " and swin_bias.width = ", width_,
            " has whole-numbered distances below these; train on a larger grid, or use swin_cpb.");
    return static_cast<std::size_t>((d.rows + h - 1) * (2 * w - 1) + d.columns + w - 1);
  }

  std::size_t height_, width_;
  Parameter<T> table_;
};

const bool registered = register_encoding<SwinBias>({
    .section = {"swin_bias",
                "Learned bias per head and displacement in a grid (Liu et al. 2021)",
                {integer("height", 8).at_least(1).at_most(1024).in("tokens").says("rows of the largest grid"),
                 integer("width", 8).at_least(1).at_most(1024).in("tokens").says("columns of the largest grid")}},
    .source = "Liu et al. 2021, arXiv:2103.14030, section 3.2",
    .formula = "S_hij += B[h, y_i - y_j, x_i - x_j]",
    .verified = "microsoft/Swin-Transformer (golden)",
    .past_length = PastLength::error,
    .relative = true,
    .needs_whole_ids = true,
    .channels = {"row", "column"},
});

}  // namespace
}  // namespace lengthwise
