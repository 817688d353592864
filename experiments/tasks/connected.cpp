// Connected cells of a maze:  whether a path of free cells leads from one X to the other, up, down, left and right.
//
//     X # .
//     . . .  ->  yes
//     # # X
//
// Walls stand independently with probability 0.4, where about half of the pairs of free cells are connected: a site is
// free with 0.6 and percolation begins at 0.593. Mazes are drawn anew until the answer is the one that a coin asked
// for, so that yes and no are equally likely wherever the grid admits both.
//
// Source   the pathfinding question of vision benchmarks: Linsley et al. 2018 (arXiv:1805.08315), on a grid of symbols.
// n        rows; the grid has at least 2 cells.
// Options  width (0: as many columns as rows).
// Chance   1/2.
#include <numeric>

#include "experiments/tasks/grid.h"

namespace lengthwise {
namespace {

constexpr int free_cell = first_symbol, wall = first_symbol + 1, marked = first_symbol + 2, yes = first_symbol + 3,
              no = first_symbol + 4;

// Fills what can be reached from `from`.
bool reaches(const GridSize& grid, const std::vector<int>& cells, std::size_t from, std::size_t to) {
  std::vector<bool> seen(cells.size());
  std::vector<std::size_t> open{from};
  seen[from] = true;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    grid.for_neighbours(at, false, [&](std::size_t next) {
      if (seen[next] || cells[next] == wall) return;
      seen[next] = true;
      open.push_back(next);
    });
  }
  return seen[to];
}

class Connected final : public GridTask {
 public:
  Connected(const Options& options, Layout layout) : GridTask(options.count("width"), layout, Answer::one) {}

  void check_length(std::size_t n) const override {
    require(size(n).cells() >= 2, "connected: a grid of ", n, " x ", size(n).columns,
            " cells has no two to connect; it needs 2 cells or more.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const GridSize grid = size(n);
    const bool wanted = rng.flip();
    std::vector<int> cells(grid.cells());
    bool connected = !wanted;
    // Some small grids admit one answer only.
    for (int attempt = 0; attempt < 1000 && connected != wanted; ++attempt) {
      for (int& cell : cells) cell = rng.uniform() < 0.4 ? wall : free_cell;
      const std::vector<std::size_t> ends = rng.distinct(cells.size(), 2);
      cells[ends[0]] = cells[ends[1]] = marked;
      connected = reaches(grid, cells, ends[0], ends[1]);
    }
    return with_ids(grid, std::move(cells), {connected ? yes : no});
  }
  // Regions grow together cell by cell, each known by its smallest.
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const GridSize grid = size(prompt);
    std::vector<std::size_t> region(prompt.size());
    std::iota(region.begin(), region.end(), std::size_t{0});
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t r = 0; r < grid.rows; ++r)
        for (std::size_t c = 0; c < grid.columns; ++c) {
          const auto join_with = [&](std::size_t other) {
            std::size_t &a = region[grid.at(r, c)], &b = region[other];
            if (prompt[grid.at(r, c)] == wall || prompt[other] == wall || a == b) return;
            a = b = std::min(a, b);
            changed = true;
          };
          if (r > 0) join_with(grid.at(r - 1, c));
          if (c > 0) join_with(grid.at(r, c - 1));
        }
    }
    const auto first = std::find(prompt.begin(), prompt.end(), marked),
               second = std::find(first + 1, prompt.end(), marked);
    return {region[static_cast<std::size_t>(first - prompt.begin())] ==
                    region[static_cast<std::size_t>(second - prompt.begin())]
                ? yes
                : no};
  }

  int symbols() const override { return 5; }
  std::string symbol(int index) const override {
    static const char* const names[] = {".", "#", "X", "yes", "no"};
    return names[index];
  }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override {
    const auto cells = static_cast<double>(size(n).cells());
    return std::pow(2.0, cells - 2) * cells * (cells - 1) / 2;
  }
};

const bool registered = register_task<Connected>({
    .section = {"connected", "Whether two cells of a maze are connected.", {grid_width_option()}},
    .length = "rows of the maze",
    .source = "pathfinding as in Linsley et al. 2018 (arXiv:1805.08315), on a grid of symbols",
    .notes = ". is a free cell, # a wall, X a marked cell; a path leads over free cells up, down, left and right",
    .definition =
        "1: p is a grid of n rows, walls with probability .4, two marked cells; y is yes or no, equally often "
        "by rejection of mazes; ids row, column, digit",
});

}  // namespace
}  // namespace lengthwise
