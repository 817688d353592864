// Parity of rows:  every cell's label is the number of ones in its row modulo 2.
//
// Source   parity (Delétang et al. 2022, arXiv:2207.02098) once for every row.
// n        rows, from 1 on.
// Options  width (0: as many columns as rows).
// Chance   1/2.
#include "experiments/tasks/grid.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, one = first_symbol + 1;

class GridParity final : public SymbolGridTask {
 public:
  GridParity(const Options& options, Layout layout) : SymbolGridTask(2, options.count("width"), layout) {}

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const auto columns = static_cast<std::ptrdiff_t>(size(prompt).columns);
    std::vector<int> labels;
    for (auto row = prompt.begin(); row != prompt.end(); row += columns)
      labels.insert(labels.end(), static_cast<std::size_t>(columns),
                    std::count(row, row + columns, one) % 2 == 1 ? one : zero);
    return labels;
  }

  std::string symbol(int index) const override { return std::to_string(index); }

 private:
  std::vector<int> labels(const GridSize& grid, const std::vector<int>& cells) const override {
    std::vector<int> labels;
    for (std::size_t r = 0; r < grid.rows; ++r) {
      int state = zero;
      for (std::size_t c = 0; c < grid.columns; ++c)
        if (cells[grid.at(r, c)] == one) state = state == zero ? one : zero;
      labels.insert(labels.end(), grid.columns, state);
    }
    return labels;
  }
};

const bool registered = register_task<GridParity>({
    .section = {"grid_parity", "Whether the row of a cell has an odd number of ones.", {grid_width_option()}},
    .length = "rows of the grid",
    .source = "parity (Delétang et al. 2022, arXiv:2207.02098) once for every row",
    .definition =
        "1: p is a grid of n rows of independent bits; y is each cell's row sum modulo 2; ids row, column, digit",
});

}  // namespace
}  // namespace lengthwise
