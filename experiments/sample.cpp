#include "experiments/sample.h"

#include <algorithm>

namespace lengthwise {
namespace {

constexpr std::size_t line_width = 100;

/// Columns a UTF-8 string takes: its bytes without those that continue a character.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
}

/// A label and a cell for each row of the model.
struct Line {
  std::string label;
  std::vector<std::string> cells;
};

std::vector<Line> lines_of(const Task& task, const Example& example) {
  const std::vector<std::string> blank(example.tokens.size());
  std::vector<Line> lines{{"input", {}}, {"target", blank}};
  for (const int token : example.tokens) lines[0].cells.push_back(task.word(token));
  for (std::size_t i = 0; i < example.targets.size(); ++i)
    lines[1].cells[example.scored[i]] = task.word(example.targets[i]);
  for (std::size_t i = 0; i < example.target_sets.size(); ++i) {
    std::size_t line = 1;
    for (int token = 0; token < task.vocabulary(); ++token) {
      if (!(example.target_sets[i] >> token & 1)) continue;
      if (line == lines.size()) lines.push_back({"or", blank});
      lines[line++].cells[example.scored[i]] = task.word(token);
    }
  }
  if (!example.first_seen.empty()) lines.push_back({"sees from", {}});
  for (const std::size_t row : example.first_seen) lines.back().cells.push_back(join(row));
  for (const auto& [channel, ids] : example.ids) {
    lines.push_back({channel, {}});
    for (const double id : ids) lines.back().cells.push_back(join(id));
  }
  return lines;
}

}  // namespace

std::string show_example(const Task& task, const Example& example) {
  const std::vector<Line> lines = lines_of(task, example);
  const std::size_t rows = example.tokens.size();
  if (const std::string picture = task.picture(example); !picture.empty())
    return join(rows, " tokens, ", example.scored.size(), " scored\n", picture);
  std::size_t label_width = 0;
  std::vector<std::size_t> widths(rows);
  for (const Line& line : lines) {
    label_width = std::max(label_width, line.label.size());
    for (std::size_t row = 0; row < rows; ++row) widths[row] = std::max(widths[row], width(line.cells[row]));
  }

  std::string text = join(rows, " tokens, ", example.scored.size(), " scored\n");
  for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
    std::size_t used = label_width;
    while (end < rows && (end == begin || used + 2 + widths[end] <= line_width)) used += 2 + widths[end++];
    for (const Line& line : lines) {
      std::string written = line.label + std::string(label_width - line.label.size(), ' ');
      for (std::size_t row = begin; row < end; ++row)
        written += std::string(2 + widths[row] - width(line.cells[row]), ' ') + line.cells[row];
      written.erase(written.find_last_not_of(' ') + 1);
      text += written + '\n';
    }
    if (end < rows) text += '\n';
  }
  return text;
}

std::string sample_text(const Task& task, const std::vector<std::size_t>& lengths, std::size_t count,
                        std::uint64_t seed, Stream stream) {
  const std::size_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  std::string all = task.data().empty() ? "" : task.data() + "\n\n";
  for (const std::size_t n : lengths) {
    task.check_length(n);
    task.check_supply(stream, longest, count);
    all += join(task.name(), ", length ", n, "\n\n");
    for (std::size_t index = 0; index < count; ++index) {
      Draw draw = make_draw(seed, stream, task.name(), n, index);
      draw.count = count;
      draw.longest = longest;
      all += show_example(task, task.example(n, draw)) + '\n';
    }
  }
  return all;
}

}  // namespace lengthwise
