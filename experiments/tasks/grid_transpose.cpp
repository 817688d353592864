// Transposition of a grid:  the label of cell (r, c) is the symbol of cell (c, r).
//
// Source   two-dimensional form of copying, as in Zhou et al. 2023 (arXiv:2310.16028).
// n        rows and columns, from 1 on: a transposed oblong would not fit its own grid.
// Options  symbols (4).
// Chance   1 / symbols.
#include "experiments/tasks/grid.h"

namespace lengthwise {
namespace {

class GridTranspose final : public SymbolGridTask {
 public:
  GridTranspose(const Options& options, Layout layout) : SymbolGridTask(options.integer("symbols"), 0, layout) {}

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const GridSize grid = size(prompt);
    std::vector<int> labels(prompt.size());
    for (std::size_t i = 0; i < prompt.size(); ++i) labels[grid.at(i % grid.columns, i / grid.columns)] = prompt[i];
    return labels;
  }

 private:
  std::vector<int> labels(const GridSize& grid, const std::vector<int>& cells) const override {
    std::vector<int> labels;
    for (std::size_t c = 0; c < grid.columns; ++c)
      for (std::size_t r = 0; r < grid.rows; ++r) labels.push_back(cells[grid.at(r, c)]);
    return labels;
  }
};

const bool registered = register_task<GridTranspose>({
    .section = {"grid_transpose", "Exchange rows and columns of a grid of random symbols.", {symbols_option(4)}},
    .length = "rows and columns of the grid",
    .source = "two-dimensional form of copying, as in Zhou et al. 2023 (arXiv:2310.16028)",
    .definition =
        "1: p is a square of n rows of independent uniform symbols; y is its transpose; ids row, column, digit",
});

}  // namespace
}  // namespace lengthwise
