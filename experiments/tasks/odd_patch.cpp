// The odd one out:  all cells of a grid hold the same symbol but one, which is marked.
//
//     c c c      = = =
//     c a c  ->  = ! =
//
// The answer is a mark in the grid instead of an index, since an index beyond those of training would be a symbol that
// was never trained. An exact match has found the cell.
//
// Source   oddity detection, a classic of visual search (Treisman and Gelade 1980, "A feature-integration theory of
//          attention").
// n        rows; the grid has at least 3 cells, as the odd one of two is not defined.
// Options  symbols (8), width (0: as many columns as rows).
// Chance   a guess of the cell labels all cells right with probability 1 / cells, otherwise all but two.
#include "experiments/tasks/grid.h"

namespace lengthwise {
namespace {

class OddPatch final : public GridTask {
 public:
  OddPatch(const Options& options, Layout layout)
      : GridTask(options.count("width"), layout),
        symbols_(static_cast<int>(options.integer("symbols"))),
        same_(first_symbol + symbols_),
        odd_(same_ + 1) {
    require(symbols_ >= 2, "odd_patch.symbols is ", symbols_, "; it takes 2 at least, one of them the odd one's.");
  }

  void check_length(std::size_t n) const override {
    require(size(n).cells() >= 3, "odd_patch: a grid of ", n, " x ", size(n).columns,
            " cells has no odd one; it needs 3 cells or more.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<std::size_t> two = rng.distinct(static_cast<std::size_t>(symbols_), 2);
    const std::size_t cells = size(n).cells(), at = rng.below(cells);
    std::vector<int> prompt(cells, first_symbol + static_cast<int>(two[0])), labels(cells, same_);
    prompt[at] = first_symbol + static_cast<int>(two[1]);
    labels[at] = odd_;
    return with_ids(size(n), std::move(prompt), std::move(labels));
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> labels;
    for (const int symbol : prompt)
      labels.push_back(std::count(prompt.begin(), prompt.end(), symbol) == 1 ? odd_ : same_);
    return labels;
  }

  int symbols() const override { return symbols_ + 2; }
  std::string symbol(int index) const override {
    return index < symbols_ ? symbol_name(index, symbols_) : index == symbols_ ? "=" : "!";
  }
  double chance(std::size_t n) const override {
    const double hit = 1 / static_cast<double>(size(n).cells());
    return hit + (1 - hit) * (1 - 2 * hit);
  }
  std::optional<double> space(std::size_t n) const override {
    return static_cast<double>(size(n).cells()) * symbols_ * (symbols_ - 1);
  }

 private:
  int symbols_, same_, odd_;
};

const bool registered = register_task<OddPatch>({
    .section = {"odd_patch",
                "Find the one cell of a grid that differs from all others.",
                {symbols_option(8), grid_width_option()}},
    .length = "rows of the grid",
    .source = "oddity detection in visual search (Treisman and Gelade 1980)",
    .notes = "a label is ! at the odd cell and = at the others",
    .definition =
        "1: p is a grid of n rows of one symbol with another in one cell, all uniform; y marks that cell; ids "
        "row, column, digit",
});

}  // namespace
}  // namespace lengthwise
