#include "experiments/show_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <type_traits>

namespace lengthwise::show {

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return none;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string with_interval(const Estimate& e, int digits) {
  const std::string around = interval(e, digits);
  return fixed(e.value, digits) + (around.empty() ? "" : " " + around);
}

std::string interval(const Estimate& e, int digits) {
  if (std::isnan(e.value) || std::isnan(e.low)) return "";
  return join("[", fixed(e.low, digits), ", ", fixed(e.high, digits), "]");
}

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

namespace {

std::string attribute_text(const Attribute& attribute) {
  return std::visit(
      []<class T>(const T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
          return join(value);
        } else {
          std::string text;
          for (const auto number : value) text += join(text.empty() ? "" : " ", number);
          return text;
        }
      },
      attribute);
}

}  // namespace

std::string protocol_text(const Evaluation& evaluation) {
  std::string settings;
  for (const auto& [name, value] : evaluation.settings)
    settings += join(settings.empty() ? "" : ", ", name, ' ', attribute_text(value));
  const std::string text = evaluation.protocol.empty() ? evaluation.name : evaluation.protocol;
  return settings.empty() ? text : join(text, " (", settings, ")");
}

std::vector<Evaluation> by_value(const Evaluation& evaluation) {
  if (evaluation.axis.empty()) return {evaluation};
  const std::size_t values = evaluation.axis_values.size();
  std::vector<Evaluation> all;
  for (std::size_t v = 0; v < values; ++v) {
    const auto column = [&](const auto& cells) {
      std::remove_cvref_t<decltype(cells)> of_value;
      for (std::size_t c = v; c < cells.size(); c += values) of_value.push_back(cells[c]);
      return of_value;
    };
    Evaluation& one = all.emplace_back(evaluation);
    one.name += join(", ", evaluation.axis, " ", evaluation.axis_values[v]);
    one.axis.clear(), one.axis_values.clear();
    one.tokens = column(evaluation.tokens);
    one.examples = column(evaluation.examples);
    one.overlap = column(evaluation.overlap);
    for (auto& scores : one.scores) scores = column(scores);
  }
  return all;
}

void show_columns(const std::vector<Column>& labels, std::size_t left, const std::vector<Column>& columns, Page& page) {
  std::size_t label_width = 0;
  for (const Column& column : labels) label_width += 2 + column.width();
  for (std::size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
    std::vector<Column> shown = labels;
    std::size_t used = label_width;
    while (end < columns.size() &&
           (end == begin || page.options().markdown || used + 2 + columns[end].width() <= page.options().width)) {
      used += 2 + columns[end].width();
      shown.push_back(columns[end++]);
    }
    std::vector<std::string> header;
    for (const Column& column : shown) header.push_back(column.name);
    Table table(header, left);
    for (std::size_t r = 0; r < shown.front().cells.size(); ++r) {
      std::vector<std::string> row;
      for (const Column& column : shown) row.push_back(column.cells[r]);
      table.add(row);
    }
    page.table(table);
  }
}

std::string marks(const Curve& curve, std::size_t cell, Page& page) {
  std::string found;
  if (curve.scores()[cell].untrained_fraction > 0) {
    page.note("*", "reads rows of a learned table that training never touched: says nothing about the encoding");
    found += "*";
  }
  if (const auto& overlap = curve.evaluation->overlap; cell < overlap.size() && overlap[cell] > 0) {
    page.note("°", "training draws some of these inputs, too (overlap): learned by heart there");
    found += "°";
  }
  return found;
}

std::string length_label(std::int64_t length, bool beyond, Page& page) {
  if (beyond) page.note(">", "longer than any training length");
  return join(beyond ? ">" : "", length);
}

std::string horizon_text(const Curve& curve, double threshold) {
  const auto reached = horizon(curve.evaluation->lengths, curve.main_values(), threshold);
  return reached ? join(reached->censored ? "≥" : "", reached->length) : none;
}

}  // namespace lengthwise::show
