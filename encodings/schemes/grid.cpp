// Grid positions:  row and column of every token of a flattened grid, in channels "row" and "column"
//
// Rows run first (row-major): token t of a grid of G_w columns is at (t / G_w, t mod G_w). Channel "sequence" counts
// tokens. They are the task's hints, in which -1 marks a token without a place (a class token), or follow from a given
// number of columns.
//
// Source   Dosovitskiy et al. 2020 (arXiv:2010.11929); rescaled coordinates: Heo et al. 2024 (arXiv:2403.13298),
// section 3. Options  columns (0: the task's hints), reference_rows and reference_columns (0: off; else coordinates of
// a grid of another
//          size are multiplied by reference / size, so that they stay within the reference).
#include <algorithm>

#include "encodings/positions.h"

namespace lengthwise {
namespace {

class Grid final : public PositionScheme {
 public:
  explicit Grid(const Options& options)
      : columns_(options.count("columns")),
        reference_rows_(options.real("reference_rows")),
        reference_columns_(options.real("reference_columns")) {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    const std::size_t tokens = input.offsets.back();
    std::vector<double> rows(tokens), columns(tokens), ids(tokens);
    for (std::size_t b = 0; b < input.sequences(); ++b)
      for (std::size_t i = 0; i < input.length(b); ++i) {
        const std::size_t at = input.offsets[b] + i;
        ids[at] = static_cast<double>(i);
        rows[at] = columns_ ? static_cast<double>(i / columns_) : input.hint("row")[at];
        columns[at] = columns_ ? static_cast<double>(i % columns_) : input.hint("column")[at];
      }
    positions.without_position.clear();
    for (std::size_t at = 0; at < tokens; ++at) {
      if (rows[at] >= 0 && columns[at] >= 0) continue;
      positions.without_position.resize(tokens);
      positions.without_position[at] = true;
      rows[at] = columns[at] = 0;
    }
    for (std::size_t b = 0; b < input.sequences(); ++b) {
      rescale(std::span(rows).subspan(input.offsets[b], input.length(b)), reference_rows_);
      rescale(std::span(columns).subspan(input.offsets[b], input.length(b)), reference_columns_);
    }
    positions.set("row", std::move(rows));
    positions.set("column", std::move(columns));
    positions.set("sequence", std::move(ids));
  }

  std::vector<std::string> channels() const override { return {"sequence", "row", "column"}; }
  std::vector<std::string> hints() const override {
    return columns_ ? std::vector<std::string>{} : std::vector<std::string>{"row", "column"};
  }
  bool whole() const override { return reference_rows_ == 0 && reference_columns_ == 0; }
  double largest(std::size_t n, std::size_t, Phase) const override { return static_cast<double>(n) - 1; }

 private:
  static void rescale(std::span<double> coordinates, double reference) {
    if (reference == 0 || coordinates.empty()) return;
    const double size = std::ranges::max(coordinates) + 1;
    for (double& x : coordinates) x *= reference / size;
  }

  std::size_t columns_;
  double reference_rows_, reference_columns_;
};

const bool registered = register_scheme<Grid>({
    .section = {"grid",
                "Row and column of a flattened grid, row after row",
                {integer("columns", 0).in("tokens").says("columns of the grid; 0: the task says where tokens are"),
                 real("reference_rows", 0)
                     .at_least(0)
                     .changeable()
                     .says("coordinates are rescaled to a grid of this many rows; 0: not"),
                 real("reference_columns", 0).at_least(0).changeable().says("the same for columns")}},
    .source = "Dosovitskiy et al. 2020, arXiv:2010.11929; rescaling: Heo et al. 2024, arXiv:2403.13298",
});

}  // namespace
}  // namespace lengthwise
