// A learned bias for every displacement in a grid:  S_hij += B[h, y_i - y_j, x_i - x_j]
//
// Source      Liu et al. 2021, Swin Transformer (arXiv:2103.14030), section 3.2, whose public code resamples for other
//             windows; class_token: Bao et al. 2021, BEiT (arXiv:2106.08254).
// Parameters  table (H, (2 height - 1)(2 width - 1)), each layer its own, normal with deviation 0.02 at first. (Public
//             code cuts the normal at 2, a hundred deviations out.) Displacement (dy, dx) is column
//             (dy + height - 1)(2 width - 1) + dx + width - 1. class_token adds three columns: class to token, token to
//             class, class to class, where "class" is any token without a position.
// Options     height, width (8 x 8): the grid, in tokens. class_token (false: pairs with a token that has no position
//             get no bias). past (error; resample: along an axis where a grid is larger than the table's, the table is
//             stretched to the grid's displacements by cubic interpolation).
// Past L      error beyond the grid, or resample; swin_cpb goes on.
#include "core/ops/linear.h"
#include "encodings/grid_distances.h"
#include "encodings/resampling.h"

namespace lengthwise {
namespace {

template <class T>
class SwinBias final : public Encoding<T> {
 public:
  explicit SwinBias(const EncodingSetup<T>& setup)
      : height_(setup.options.count("height")),
        width_(setup.options.count("width")),
        class_token_(setup.options.flag("class_token")),
        resample_(setup.options.text("past") == "resample"),
        table_(setup.store.table(setup.layer_prefix() + "swin_bias.table", setup.shape.heads,
                                 displacements() + (class_token_ ? 3 : 0), initial_normal(0.02))) {}

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const GridDistances& found = grid_distances(context);
    const bool larger = found.height > height_ || found.width > width_;
    const Variable<T> biases =
        resample_ && larger
            ? linear(table_.variable(), context.memo->get<Variable<T>>("swin_bias", [&] { return stretched(found); }))
            : gather_columns(table_.variable(), columns(found));
    return {.scores = {distance_bias(biases, found.columns, 0)}};
  }

 private:
  std::size_t displacements() const { return (2 * height_ - 1) * (2 * width_ - 1); }

  std::vector<std::size_t> columns(const GridDistances& found) const {
    std::vector<std::size_t> index;
    index.reserve(found.values.size());
    for (const Displacement& d : found.values) index.push_back(d.defined() ? column(d) : class_column(d));
    return index;
  }

  std::size_t column(const Displacement& d) const {
    const auto h = static_cast<double>(height_), w = static_cast<double>(width_);
    require(std::abs(d.rows) < h && std::abs(d.columns) < w && d.rows == std::floor(d.rows) &&
                d.columns == std::floor(d.columns),
            "swin_bias: two tokens lie ", d.rows, " rows and ", d.columns,
            " columns apart, and the table of swin_bias.height = ", height_, " and swin_bias.width = ", width_,
            " has whole-numbered distances below these; train on a larger grid, set swin_bias.past = resample, or use "
            "swin_cpb.");
    return static_cast<std::size_t>((d.rows + h - 1) * (2 * w - 1) + d.columns + w - 1);
  }

  std::size_t class_column(const Displacement& d) const {
    return !class_token_ ? no_column : displacements() + (d.key_placed ? 0 : d.query_placed ? 1 : 2);
  }

  // What each column of the batch is made of: [columns, table columns].
  Variable<T> stretched(const GridDistances& found) const {
    require(found.one_size,
            "swin_bias: the grids of a batch differ in size and some are larger than swin_bias.height = ", height_,
            " x swin_bias.width = ", width_, "; the table is resampled for one size at a time. Enlarge it.");
    const auto taps = [](std::size_t trained, std::size_t seen, double displacement) {
      const std::size_t most = std::max(trained, seen);
      return resampling_taps({}, 2 * trained - 1, 2 * most - 1,
                             static_cast<std::size_t>(displacement + static_cast<double>(most) - 1));
    };
    Array<T> weights = zeros<T>(found.values.size(), displacements() + (class_token_ ? 3 : 0));
    for (std::size_t c = 0; c < found.values.size(); ++c) {
      const Displacement& d = found.values[c];
      if (d.defined()) {
        for (const Tap& down : taps(height_, found.height, d.rows))
          for (const Tap& across : taps(width_, found.width, d.columns))
            weights(c, down.index * (2 * width_ - 1) + across.index) += static_cast<T>(down.weight * across.weight);
      } else if (class_token_) {
        weights(c, class_column(d)) = 1;
      }
    }
    return constant(std::move(weights));
  }

  std::size_t height_, width_;
  bool class_token_, resample_;
  Parameter<T> table_;
};

const bool registered = register_encoding<SwinBias>({
    .section = {"swin_bias",
                "Learned bias per head and displacement in a grid (Liu et al. 2021)",
                {integer("height", 8).at_least(1).at_most(1024).in("tokens").says("rows of the largest grid"),
                 integer("width", 8).at_least(1).at_most(1024).in("tokens").says("columns of the largest grid"),
                 flag("class_token", false).says("learn biases for pairs with a token that has no position"),
                 choice("past", "error", {"error", "resample"})
                     .changeable()
                     .says("a grid larger than the table: refuse it, or stretch the table over it")}},
    .source = "Liu et al. 2021, arXiv:2103.14030, section 3.2",
    .formula = "S_hij += B[h, y_i - y_j, x_i - x_j]",
    .verified = "microsoft/Swin-Transformer (golden)",
    .past_length = PastLength::error,
    .relative = true,
    .needs_whole_ids = true,
    .channels = {"row", "column"},
    .follows_length = [](const Options& options) { return options.text("past") == "resample"; },
});

}  // namespace
}  // namespace lengthwise
