// Transposition of a grid:  the label of cell (r, c) is the symbol of cell (c, r).
//
// Source   two-dimensional form of copying, as in Zhou et al. 2023 (arXiv:2310.16028).
// n        rows and columns, from 1 on: a transposed oblong would not fit its own grid.
// Options  symbols (4).
// Chance   1 / symbols.
#include "experiments/tasks/grid.h"

namespace lengthwise {
namespace {

class GridTranspose final : public GridTask {
 public:
  GridTranspose(const Options& options, Layout layout)
      : GridTask(0, layout), symbols_(static_cast<int>(options.integer("symbols"))) {}

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> cells = independent_symbols(n * n, symbols_, rng);
    std::vector<int> labels;
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = 0; r < n; ++r) labels.push_back(cells[r * n + c]);
    return with_ids(size(n), cells, std::move(labels));
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const GridSize grid = size(prompt);
    std::vector<int> labels(prompt.size());
    for (std::size_t i = 0; i < prompt.size(); ++i) labels[grid.at(i % grid.columns, i / grid.columns)] = prompt[i];
    return labels;
  }

  int symbols() const override { return symbols_; }
  std::string symbol(int index) const override { return symbol_name(index, symbols_); }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  std::optional<double> space(std::size_t n) const override { return std::pow(symbols_, n * n); }

 private:
  int symbols_;
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
