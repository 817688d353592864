#include "experiments/table.h"

#include <algorithm>

namespace lengthwise {
namespace {

/// Characters, not bytes, of a UTF-8 text.
std::size_t width(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    text += indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      text += row[i] + (last ? "\n" : std::string(widths[i] - width(row[i]) + 2, ' '));
    }
  }
  return text;
}

}  // namespace lengthwise
