#include "experiments/table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lengthwise {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return left ? text + blanks : blanks + text;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string shortened(const std::string& text, std::size_t width) {
  const std::size_t characters = display_width(text), tail = width / 2;
  if (characters <= width) return text;
  std::string head, end;
  std::size_t at = 0;  // characters begun
  for (const char c : text) {
    at += starts_character(c);
    if (at + tail < width) head += c;
    if (at > characters - tail) end += c;
  }
  return head + "…" + end;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    text += indent;
    for (std::size_t i = 0; i < row.size(); ++i)
      text += i + 1 == row.size() ? row[i] + "\n" : padded(row[i], widths[i] + 2, true);
  }
  return text;
}

std::size_t Table::width(std::size_t column) const {
  std::size_t widest = display_width(header_[column]);
  for (const auto& row : rows_) widest = std::max(widest, display_width(row[column]));
  return widest;
}

std::string Table::text() const {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string one;
    for (std::size_t c = 0; c < cells.size(); ++c) one += "  " + padded(cells[c], width(c), c < left_);
    one.erase(one.find_last_not_of(' ') + 1);
    out += one + '\n';
  };
  line(header_);
  for (const auto& row : rows_) line(row);
  return out;
}

std::string Table::markdown() const {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) {
      out += "| ";
      for (const char c : cell) out += c == '|' ? "\\|" : std::string(1, c);
      out += ' ';
    }
    out += "|\n";
  };
  line(header_);
  for (std::size_t c = 0; c < header_.size(); ++c) out += c < left_ ? "| --- " : "| ---: ";
  out += "|\n";
  for (const auto& row : rows_) line(row);
  return out;
}

std::vector<std::string> bars(std::span<const double> values, double low, double high, std::size_t height,
                              std::size_t columns) {
  static const std::array<std::string, 9> eighths{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<std::string> lines(height);
  for (const double value : values) {
    const double share = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 1;
    const long full = 8 * static_cast<long>(height);
    const long filled = std::isnan(value) ? 0 : std::max(1L, std::lround(share * static_cast<double>(full)));
    for (std::size_t line = 0; line < height; ++line) {
      const long here = std::clamp(filled - 8 * static_cast<long>(height - 1 - line), 0L, 8L);
      const bool missing = std::isnan(value) && line + 1 == height;
      for (std::size_t c = 0; c < columns; ++c) lines[line] += missing ? "·" : eighths[static_cast<std::size_t>(here)];
    }
  }
  return lines;
}

}  // namespace lengthwise
