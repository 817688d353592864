// Copying a grid:  each cell's label is its own symbol.
//
// A causal model writes the grid a second time, row after row. For a bidirectional one, which labels every cell where
// it stands, this is the control that needs no positions.
//
// Source   two-dimensional form of copying, as in Zhou et al. 2023 (arXiv:2310.16028).
// n        rows, from 1 on.
// Options  symbols (4), width (0: as many columns as rows).
// Chance   1 / symbols.
#include "experiments/tasks/grid.h"

namespace lengthwise {
namespace {

class GridCopy final : public SymbolGridTask {
 public:
  GridCopy(const Options& options, Layout layout)
      : SymbolGridTask(options.integer("symbols"), options.count("width"), layout) {}

  std::vector<int> solve(const std::vector<int>& prompt) const override { return prompt; }

 private:
  std::vector<int> labels(const GridSize&, const std::vector<int>& cells) const override { return cells; }
};

const bool registered = register_task<GridCopy>({
    .section = {"grid_copy", "Copy a grid of random symbols.", {symbols_option(4), grid_width_option()}},
    .length = "rows of the grid",
    .source = "two-dimensional form of copying, as in Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is a grid of n rows of independent uniform symbols; y = p; ids row, column, digit",
});

}  // namespace
}  // namespace lengthwise
