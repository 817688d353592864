// Tables and small curves as text, for the terminal and for Markdown.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lengthwise {

/// Characters of UTF-8 text, which is what it takes up in a terminal (wide scripts aside).
std::size_t display_width(const std::string& text);

/// The text, cut to `width` characters with an ellipsis in its middle where it is longer: names often differ at the
/// end.
std::string shortened(const std::string& text, std::size_t width);

/// Labels: one line a row, every cell but a row's last padded to the width of its column; two blanks between columns.
std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::string& indent = "");

class Table {
 public:
  /// The first `left` columns are set flush left (labels), the others flush right (numbers).
  Table(std::vector<std::string> header, std::size_t left) : header_(std::move(header)), left_(left) {}

  /// One cell a column.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;      // two blanks before each column
  std::string markdown() const;  // a pipe table

 private:
  std::size_t width(std::size_t column) const;  // characters of its widest cell

  std::vector<std::string> header_;
  std::size_t left_;
  std::vector<std::vector<std::string>> rows_;
};

/// A bar a value from `low` (least visible height) to `high` (full height), `height` lines high and `columns`
/// characters wide each; top line first. NaN is a dot on the ground.
std::vector<std::string> bars(std::span<const double> values, double low, double high, std::size_t height = 1,
                              std::size_t columns = 1);

}  // namespace lengthwise
