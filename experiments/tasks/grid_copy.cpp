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

class GridCopy final : public GridTask {
 public:
  GridCopy(const Options& options, Layout layout)
      : GridTask(options.count("width"), layout), symbols_(static_cast<int>(options.integer("symbols"))) {}

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> cells = independent_symbols(size(n).cells(), symbols_, rng);
    return with_ids(size(n), cells, cells);
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return prompt; }

  int symbols() const override { return symbols_; }
  std::string symbol(int index) const override { return symbol_name(index, symbols_); }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  std::optional<double> space(std::size_t n) const override { return std::pow(symbols_, size(n).cells()); }

 private:
  int symbols_;
};

const bool registered = register_task<GridCopy>({
    .section = {"grid_copy", "Copy a grid of random symbols.", {symbols_option(4), grid_width_option()}},
    .length = "rows of the grid",
    .source = "two-dimensional form of copying, as in Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is a grid of n rows of independent uniform symbols; y = p; ids row, column, digit",
});

}  // namespace
}  // namespace lengthwise
