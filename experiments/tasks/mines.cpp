// Minesweeper:  the label of a cell is the number of mines around it, or M where it is a mine itself.
//
//     . M .      1 M 1
//     . . .  ->  2 2 1
//     M . .      M 1 0
//
// Source   Cho et al. 2024, position coupling (arXiv:2405.20671), the Minesweeper generator.
// n        rows, from 1 on.
// Mines    round(ratio cells) of them, ratio uniform on .1 .. .25 for every example, anywhere.
// Options  width (0: as many columns as rows).
// Chance   1/10: the labels.
#include "experiments/tasks/grid.h"

namespace lengthwise {
namespace {

constexpr int mine = first_symbol, empty = first_symbol + 1, count_0 = first_symbol + 2;
constexpr double fewest = 0.1, most = 0.25;

std::size_t mines_at(double ratio, const GridSize& grid) {
  return static_cast<std::size_t>(std::llround(ratio * static_cast<double>(grid.cells())));
}

class Mines final : public GridTask {
 public:
  Mines(const Options& options, Layout layout) : GridTask(options.count("width"), layout) {}

  Sample sample(std::size_t n, Rng rng) const override {
    const GridSize grid = size(n);
    const std::size_t mines = mines_at(rng.uniform(fewest, most), grid);
    std::vector<int> cells(grid.cells(), empty), labels(grid.cells(), count_0);
    for (const std::size_t at : rng.distinct(grid.cells(), mines)) {
      cells[at] = mine;
      grid.for_neighbours(at, true, [&](std::size_t neighbour) { ++labels[neighbour]; });
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i] == mine) labels[i] = mine;
    return with_ids(grid, std::move(cells), std::move(labels));
  }
  // Each cell looks at the square around it.
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const GridSize grid = size(prompt);
    std::vector<int> labels;
    for (std::size_t r = 0; r < grid.rows; ++r)
      for (std::size_t c = 0; c < grid.columns; ++c) {
        int mines = 0;
        for (std::size_t y = r ? r - 1 : 0; y < std::min(r + 2, grid.rows); ++y)
          for (std::size_t x = c ? c - 1 : 0; x < std::min(c + 2, grid.columns); ++x)
            mines += prompt[grid.at(y, x)] == mine;
        labels.push_back(prompt[grid.at(r, c)] == mine ? mine : count_0 + mines);
      }
    return labels;
  }

  int symbols() const override { return 11; }
  std::string symbol(int index) const override {
    return index == 0 ? "M" : index == 1 ? "." : std::to_string(index - 2);
  }
  double chance(std::size_t) const override { return 0.1; }
  std::optional<double> space(std::size_t n) const override {
    const GridSize grid = size(n);
    double inputs = 0, chosen = 1;  // chosen: ways to place `mines` mines
    for (std::size_t mines = 0; mines <= mines_at(most, grid); ++mines) {
      if (mines >= mines_at(fewest, grid)) inputs += chosen;
      chosen *= static_cast<double>(grid.cells() - mines) / static_cast<double>(mines + 1);
    }
    return inputs;
  }
};

const bool registered = register_task<Mines>({
    .section = {"mines", "Count the mines around every cell of a grid.", {grid_width_option()}},
    .length = "rows of the grid",
    .source = "Cho et al. 2024 (arXiv:2405.20671), Minesweeper generator",
    .notes = "M is a mine and . a cell without one",
    .definition =
        "1: p is a grid of n rows with round(u cells) mines, u uniform on .1 .. .25; y is M on a mine, else the "
        "number of the 8 neighbours that are; ids row, column, digit",
});

}  // namespace
}  // namespace lengthwise
