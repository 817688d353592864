// Learned positions of a grid, resampled for other grids:  x_i += E[P + row_i G_w + column_i]
//
// Source      Dosovitskiy et al. 2020 (arXiv:2010.11929), sections 3.1 and 3.2; resampling as torch, transformers and
//             timm do.
// Parameters  vit_learned.table (P + G_h G_w, D), normal with deviation init_std (0.02) at first: P prefix rows, then
//             the grid, row after row.
// Options     rows, columns (14, 14: G_h and G_w), prefix (1: P, the tokens without a place, as a class token; the k-th
//             of a sequence reads row k). fit of other grids (resample; crop: they read the upper left corner of the
//             table, so that one made for the largest test shows what rows without training do). kernel (cubic, linear,
//             nearest), antialias (false, as in transformers; timm sets it), align_corners (false).
// Past L      resample: each channel of the grid is interpolated to the rows and columns the sequence has; prefix rows
//             stay. fit = crop: untrained rows up to the table's size, beyond it error.
#include "core/ops/weighted_rows.h"
#include "encodings/encoding.h"
#include "encodings/resampling.h"

namespace lengthwise {
namespace {

template <class T>
class VitLearned final : public Encoding<T> {
 public:
  explicit VitLearned(const EncodingSetup<T>& setup)
      : rows_(setup.options.count("rows")),
        columns_(setup.options.count("columns")),
        prefix_(setup.options.count("prefix")),
        crop_(setup.options.text("fit") == "crop"),
        how_{.kernel = setup.options.text("kernel"),
             .antialias = setup.options.flag("antialias"),
             .align_corners = setup.options.flag("align_corners")},
        table_(setup.store.table("vit_learned.table", prefix_ + rows_ * columns_, setup.shape.width,
                                 initial_normal(setup.options.real("init_std")))) {}

  Variable<T> embed(const Variable<T>& x, const Context& context) const override {
    auto weights = std::make_shared<RowWeights<T>>();
    for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b)
      add_sequence(context, context.offsets[b], context.offsets[b + 1], *weights);
    return add(x, weighted_rows(table_.variable(), std::shared_ptr<const RowWeights<T>>(std::move(weights))));
  }

 private:
  void add_sequence(const Context& context, std::size_t begin, std::size_t end, RowWeights<T>& weights) const {
    const auto row_ids = context.ids("row"), column_ids = context.ids("column");
    std::size_t rows = 0, columns = 0, prefix = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (!context.positions->placed(i)) continue;
      rows = std::max(rows, coordinate(row_ids[i]) + 1);
      columns = std::max(columns, coordinate(column_ids[i]) + 1);
    }
    if (crop_) {
      require(rows <= rows_ && columns <= columns_, "vit_learned: a grid of ", rows, " x ", columns,
              " is no part of a table of vit_learned.rows = ", rows_, " and vit_learned.columns = ", columns_,
              "; enlarge it, or set vit_learned.fit = resample.");
      rows = rows_, columns = columns_;
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (context.positions->placed(i)) {
        for (const Tap& down : resampling_taps(how_, rows_, rows, coordinate(row_ids[i])))
          for (const Tap& across : resampling_taps(how_, columns_, columns, coordinate(column_ids[i])))
            weights.add(prefix_ + down.index * columns_ + across.index, static_cast<T>(down.weight * across.weight));
      } else {
        require(prefix < prefix_, "vit_learned: a sequence has more than vit_learned.prefix = ", prefix_,
                " tokens without a place; set it to their number.");
        weights.add(prefix++, 1);
      }
      weights.end_row();
    }
  }

  static std::size_t coordinate(double id) {
    require(id >= 0 && id == std::floor(id) && id < 1e9, "vit_learned: ", id,
            " is no row or column of a grid; they must be whole numbers from 0 on.");
    return static_cast<std::size_t>(id);
  }

  std::size_t rows_, columns_, prefix_;
  bool crop_;
  Resampling how_;
  Parameter<T> table_;
};

const bool registered = register_encoding<VitLearned>({
    .section =
        {"vit_learned",
         "Learned absolute positions of a grid, resampled for grids of other sizes (Dosovitskiy et al. 2020)",
         {integer("rows", 14).at_least(1).at_most(1 << 12).says("rows of the grid in training"),
          integer("columns", 14).at_least(1).at_most(1 << 12).says("columns of the grid in training"),
          integer("prefix", 1).at_most(1 << 12).in("tokens").says("tokens before the grid, which have no place in it"),
          choice("fit", "resample", {"resample", "crop"})
              .says("what a grid of another size reads: the table resampled, or the upper left corner of it"),
          choice("kernel", "cubic", {"cubic", "linear", "nearest"})
              .changeable()
              .says("how the grid is resampled for one of another size"),
          flag("antialias", false)
              .changeable()
              .says("widen the kernel when shrinking, and use its a = -0.5 instead of -0.75"),
          flag("align_corners", false)
              .changeable()
              .says("map corners to corners instead of edges to edges; cubic and linear without antialias"),
          real("init_std", 0.02).at_least(0).says("standard deviation of the initial rows")}},
    .source = "Dosovitskiy et al. 2020, arXiv:2010.11929, sections 3.1 and 3.2",
    .formula = "x_i += E[P + row G_w + column], E resampled to the grid at hand",
    .verified = "torch, transformers, timm (golden)",
    .past_length = PastLength::resample,
    .needs_whole_ids = true,
    .channels = {"row", "column"},
    .max_positions =
        [](const Options& options, const ModelShape&) {
          return options.text("fit") == "crop" ? std::max(options.count("rows"), options.count("columns")) : unbounded;
        },
    .check =
        [](const Options& options, const ModelShape&) {
          require(!options.flag("align_corners") || !options.flag("antialias"),
                  "vit_learned: antialias and align_corners exclude each other; set one of them.");
        },
    .follows_length = [](const Options& options) { return options.text("fit") == "resample"; },
});

}  // namespace
}  // namespace lengthwise
