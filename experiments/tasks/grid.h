// Grids of symbols with a label for every cell, as several tasks use them.
#pragma once

#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {

/// Rows and columns of a grid; cell (r, c) has index r columns + c.
struct GridSize {
  std::size_t rows = 0, columns = 0;

  std::size_t cells() const { return rows * columns; }
  std::size_t at(std::size_t r, std::size_t c) const { return r * columns + c; }
  /// Calls use(r, c) for the cells that share a side with cell i, and for those that share a corner where `corners`.
  template <class Use>
  void for_neighbours(std::size_t i, bool corners, Use use) const {
    const auto r = static_cast<std::ptrdiff_t>(i / columns), c = static_cast<std::ptrdiff_t>(i % columns);
    for (std::ptrdiff_t dr = -1; dr <= 1; ++dr)
      for (std::ptrdiff_t dc = -1; dc <= 1; ++dc) {
        if ((dr == 0 && dc == 0) || (dr != 0 && dc != 0 && !corners)) continue;
        const auto row = static_cast<std::size_t>(r + dr), column = static_cast<std::size_t>(c + dc);
        if (row < rows && column < columns) use(at(row, column));  // -1 is larger than any
      }
  }
};

inline OptionSpec grid_width_option() {
  return integer("width", 0).at_most(1 << 12).in("cells").changeable().says("columns of the grid; 0: as many as rows");
}

/// Prompts that are a grid of n rows, row after row. Every token has ids in these channels, none of them where it
/// stands for no cell (BOS, SEP, an answer slot):
///
///     row, column   from 0 on; none: -1
///     digit         the number of its cell in reading order, from 1 on; none: 0
///
/// The answer has a token of the same ids for every cell, or one token without a place.
class GridTask : public PromptTask {
 public:
  enum class Answer { every_cell, one };

  /// Bidirectional models label every cell in its own row of the model.
  GridTask(std::size_t width, Layout layout, Answer answer = Answer::every_cell)
      : PromptTask(layout == Layout::encoder && answer == Answer::every_cell ? Layout::dense : layout),
        width_(width),
        answer_(answer) {}

  GridSize size(std::size_t n) const { return {n, width_ ? width_ : n}; }
  /// Of a prompt.
  GridSize size(const std::vector<int>& cells) const {
    const auto side = static_cast<std::size_t>(std::llround(std::sqrt(cells.size())));
    return width_ ? GridSize{cells.size() / width_, width_} : GridSize{side, side};
  }

  std::size_t prompt_tokens(std::size_t n) const final { return size(n).cells(); }
  std::size_t target_tokens(std::size_t n) const final { return answer_ == Answer::one ? 1 : size(n).cells(); }

 protected:
  Sample with_ids(const GridSize& size, std::vector<int> cells, std::vector<int> labels) const {
    Sample made{.prompt = std::move(cells), .target = std::move(labels), .ids = {}};
    auto &rows = made.ids["row"], &columns = made.ids["column"], &numbers = made.ids["digit"];
    for (std::size_t i = 0; i < made.prompt.size() + made.target.size(); ++i) {
      const std::size_t cell = i % size.cells();
      const bool placed = answer_ == Answer::every_cell || i < size.cells();
      rows.push_back(placed ? static_cast<double>(cell / size.columns) : -1);
      columns.push_back(placed ? static_cast<double>(cell % size.columns) : -1);
      numbers.push_back(placed ? static_cast<double>(cell + 1) : 0);
    }
    return made;
  }

 private:
  std::size_t width_;
  Answer answer_;
};

/// A grid of independent uniform symbols, 0 .. symbols - 1, with a label of the same alphabet for every cell.
class SymbolGridTask : public GridTask {
 public:
  SymbolGridTask(std::int64_t symbols, std::size_t width, Layout layout)
      : GridTask(width, layout), symbols_(static_cast<int>(symbols)) {}

  Sample sample(std::size_t n, Rng rng) const final {
    std::vector<int> cells = independent_symbols(size(n).cells(), symbols_, rng);
    std::vector<int> answer = labels(size(n), cells);
    return with_ids(size(n), std::move(cells), std::move(answer));
  }

  int symbols() const final { return symbols_; }
  std::string symbol(int index) const override { return symbol_name(index, symbols_); }
  double chance(std::size_t) const final { return 1.0 / symbols_; }
  std::optional<double> space(std::size_t n) const final { return std::pow(symbols_, size(n).cells()); }

 private:
  virtual std::vector<int> labels(const GridSize& grid, const std::vector<int>& cells) const = 0;

  int symbols_;
};

}  // namespace lengthwise
