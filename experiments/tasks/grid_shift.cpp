// Shift of a grid:  the label of cell (r, c) is the symbol of cell (r - down, c - right), around the edges.
//
// Inside the grid it asks for one fixed displacement; at the edge, for the grid's size.
//
// Source   two-dimensional form of copying, as in Zhou et al. 2023 (arXiv:2310.16028).
// n        rows, from 1 on.
// Options  symbols (4), down and right (1 and 1), width (0: as many columns as rows).
// Chance   1 / symbols.
#include "experiments/tasks/grid.h"

namespace lengthwise {
namespace {

class GridShift final : public SymbolGridTask {
 public:
  GridShift(const Options& options, Layout layout)
      : SymbolGridTask(options.integer("symbols"), options.count("width"), layout),
        down_(options.count("down")),
        right_(options.count("right")) {}

  // Whole rows turn, then every row in itself.
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const GridSize grid = size(prompt);
    std::vector<int> labels = prompt;
    std::rotate(labels.rbegin(), labels.rbegin() + static_cast<std::ptrdiff_t>(down_ % grid.rows * grid.columns),
                labels.rend());
    for (auto row = labels.rbegin(); row != labels.rend(); row += static_cast<std::ptrdiff_t>(grid.columns))
      std::rotate(row, row + static_cast<std::ptrdiff_t>(right_ % grid.columns),
                  row + static_cast<std::ptrdiff_t>(grid.columns));
    return labels;
  }

 private:
  std::vector<int> labels(const GridSize& grid, const std::vector<int>& cells) const override {
    std::vector<int> labels(cells.size());
    for (std::size_t r = 0; r < grid.rows; ++r)
      for (std::size_t c = 0; c < grid.columns; ++c)
        labels[grid.at((r + down_) % grid.rows, (c + right_) % grid.columns)] = cells[grid.at(r, c)];
    return labels;
  }

  std::size_t down_, right_;
};

const bool registered = register_task<GridShift>({
    .section = {"grid_shift",
                "Shift a grid of random symbols down and right, around its edges.",
                {symbols_option(4), integer("down", 1).at_most(1 << 12).in("cells").says("rows that symbols move down"),
                 integer("right", 1).at_most(1 << 12).in("cells").says("columns that symbols move right"),
                 grid_width_option()}},
    .length = "rows of the grid",
    .source = "two-dimensional form of copying, as in Zhou et al. 2023 (arXiv:2310.16028)",
    .definition =
        "1: p is a grid of n rows of independent uniform symbols; y is p moved down and right, cyclically; ids "
        "row, column, digit",
});

}  // namespace
}  // namespace lengthwise
