#include <algorithm>
#include <cmath>
#include <set>

#include "experiments/show_page.h"

namespace lengthwise::show {
namespace {

/// Options that name a run or steer its execution, and cannot change a figure; evaluated lengths are in the table
/// anyway.
const std::set<std::string> no_labels{"run.name", "run.output", "run.threads", "run.if_exists", "evaluate.lengths"};

/// Do the curves disagree on this value?
template <class Value>
bool differs(const std::vector<Curve>& curves, const Value& value) {
  return std::ranges::any_of(curves, [&](const Curve& c) { return value(c) != value(curves.front()); });
}

/// The options whose values differ between these runs, those that usually matter first and the seed last. That a run
/// lacks an option is no difference: another one chose an encoding or a task that has it.
std::vector<std::string> differing_options(const std::vector<Curve>& curves) {
  std::set<std::string> keys;
  std::map<std::string, std::string> first;
  for (const Curve& curve : curves)
    for (const auto& [key, value] : curve.run->config)
      if (const std::string& met = first.emplace(key, value).first->second; met != value && !no_labels.contains(key))
        keys.insert(key);
  std::vector<std::string> sorted(keys.begin(), keys.end());
  const auto rank = [&](const std::string& key) {
    if (key == "encoding.name") return 0;
    if (key == "positions.scheme") return 1;
    if (key == "run.seed") return 4;
    // Last what only some of the runs have, and how they were evaluated.
    const bool everywhere = std::ranges::all_of(curves, [&](const Curve& c) { return c.run->config.count(key) > 0; });
    return everywhere && !key.starts_with("evaluate.") ? 2 : 3;
  };
  std::ranges::stable_sort(sorted, {}, rank);
  return sorted;
}

template <class Value>
Column make_column(const std::string& name, const std::vector<Curve>& curves, std::size_t width, const Value& value) {
  Column column{shortened(name, width), {}};
  for (const Curve& curve : curves) column.cells.push_back(shortened(value(curve), width));
  return column;
}

/// Scored tokens over the lengths that all runs have.
std::int64_t shared_scored_tokens(const Curve& curve, const std::vector<Curve>& curves) {
  std::int64_t sum = 0;
  for (const std::int64_t n : curve.evaluation->lengths)
    if (std::ranges::all_of(curves, [&](const Curve& c) { return c.at(n); })) sum += curve.at(n)->scored_tokens;
  return sum;
}

/// What tells the runs of one table apart.
std::vector<Column> label_columns(const std::vector<Curve>& curves, Page& page) {
  std::vector<std::string> keys = differing_options(curves);
  constexpr std::size_t most = 4;
  if (keys.size() > most) {
    const bool seed = keys.back() == "run.seed";  // always shown
    const auto begin = keys.begin() + (most - seed), end = keys.end() - seed;
    page.note("", "also differing: " + listed(std::ranges::subrange(begin, end)));
    keys.erase(begin, end);
  }
  std::vector<Column> columns;
  for (const std::string& key : keys)
    columns.push_back(
        make_column(key, curves, keys.size() > 2 ? 16 : 24, [&](const Curve& c) { return c.run->option(key); }));

  std::set<std::vector<std::string>> labels;
  for (std::size_t r = 0; r < curves.size(); ++r) {
    std::vector<std::string> label;
    for (const Column& column : columns) label.push_back(column.cells[r]);
    labels.insert(label);
  }
  if (columns.empty() || labels.size() < curves.size())  // only the file tells all of them apart
    columns.insert(columns.begin(), make_column("file", curves, 40, [](const Curve& c) { return c.run->file_name(); }));

  const auto add_if_differing = [&](const std::string& name, const auto& value) {
    if (differs(curves, value)) columns.push_back(make_column(name, curves, 24, value));
  };
  add_if_differing("position policy", [](const Curve& c) { return c.evaluation->position_policy; });
  add_if_differing("step", [](const Curve& c) { return grouped(c.step()); });
  add_if_differing("examples", [](const Curve& c) {
    return grouped(std::ranges::max(c.scores(), {}, &LengthScore::examples).examples);
  });
  add_if_differing("scored tokens", [&](const Curve& c) { return grouped(shared_scored_tokens(c, curves)); });
  const auto status = [](const Curve& c) { return c.run->file.facts.status; };
  if (std::ranges::any_of(curves, [&](const Curve& c) { return status(c) != "complete"; }))
    columns.push_back(make_column("status", curves, 24, status));
  for (const Curve& curve : curves)
    if (!curve.run->file.facts.status_reason.empty())
      page.note("!", join(curve.run->file_name(), ": ", curve.run->status()));
  return columns;
}

/// The runs with equal labels but for the seed come together, in the order they were given.
void bring_seeds_together(std::vector<Curve>& curves) {
  const std::vector<std::string> keys = differing_options(curves);
  const auto identity = [&](const Curve& curve) {
    std::vector<std::string> values;
    for (const std::string& key : keys)
      if (key != "run.seed") values.push_back(curve.run->option(key));
    return values;
  };
  std::vector<std::vector<std::string>> order;
  for (const Curve& curve : curves)
    if (std::ranges::find(order, identity(curve)) == order.end()) order.push_back(identity(curve));
  std::ranges::stable_sort(curves, {},
                           [&](const Curve& c) { return std::ranges::find(order, identity(c)) - order.begin(); });
}

/// What must be equal for figures to share a table: task, protocol, and for text which tokens were scored.
bool comparable(const Curve& a, const Curve& b) {
  if (a.run->option("task.name") != b.run->option("task.name") || a.evaluation->name != b.evaluation->name ||
      protocol_text(*a.evaluation) != protocol_text(*b.evaluation))
    return false;
  if (!a.run->text()) return true;
  return std::ranges::all_of(a.evaluation->lengths, [&](std::int64_t length) {
    const LengthScore *x = a.at(length), *y = b.at(length);
    return !y || x->scored_tokens == y->scored_tokens;
  });
}

/// A bar a length for each run, on one scale.
Column bar_column(const std::vector<Curve>& curves, const std::vector<std::int64_t>& lengths) {
  double high = 1;
  if (curves.front().run->text())
    for (const Curve& curve : curves) high = std::max(high, curve.highest());
  return make_column("curve", curves, std::max<std::size_t>(5, lengths.size()), [&](const Curve& curve) {
    std::vector<double> values;
    for (const std::int64_t n : lengths) values.push_back(curve.at(n) ? curve.main(*curve.at(n)) : std::nan(""));
    return bars(values, 0, high).front();
  });
}

Column length_column(const std::vector<Curve>& curves, std::int64_t length, Page& page) {
  const bool beyond = std::ranges::all_of(curves, [&](const Curve& c) { return c.beyond(length); });
  Column column{length_label(length, beyond, page), {}};
  for (const Curve& curve : curves) {
    std::string& cell = column.cells.emplace_back();
    const LengthScore* score = curve.at(length);
    if (!score) continue;
    cell = fixed(curve.main(*score), 3);
    if (curve.run->text()) cell += ' ' + curve.ratio(*score);
    if (cell.find('~') != std::string::npos) page.note("~", "scored other tokens here than at the training length");
    cell += marks(curve, curve.place(length), page);
  }
  return column;
}

void show_together(std::vector<Curve> curves, Page& page) {
  bring_seeds_together(curves);
  const Curve& first = curves.front();
  const bool text = first.run->text();
  page.title(join(first.run->option("task.name"), ", ", first.evaluation->name, ", by length: ",
                  text ? "bits a byte, and perplexity over that at the training length" : "exact match"));
  page.line("protocol: " + protocol_text(*first.evaluation));
  page.gap();
  if (differs(curves, [](const Curve& c) { return c.run->file.facts.task_hash; }))
    page.note("!", "the task's definition or options differ between these runs");

  std::set<std::int64_t> all_lengths;
  for (const Curve& curve : curves)
    all_lengths.insert(curve.evaluation->lengths.begin(), curve.evaluation->lengths.end());
  const std::vector<std::int64_t> lengths(all_lengths.begin(), all_lengths.end());

  std::vector<Column> labels = label_columns(curves, page);
  const std::size_t left = labels.size();
  if (!text) labels.push_back(make_column("≥0.9 to", curves, 24, [](const Curve& c) { return horizon_text(c, 0.9); }));
  if (lengths.size() <= 24) labels.push_back(bar_column(curves, lengths));

  std::vector<Column> columns;
  for (const std::int64_t length : lengths) columns.push_back(length_column(curves, length, page));
  show_columns(labels, left, columns, page);
  page.notes();
}

}  // namespace

void show_several(const std::vector<Run>& runs, const std::vector<std::string>& protocols, Page& page) {
  std::vector<std::vector<Curve>> tables;
  std::vector<std::string> without;
  for (const Run& run : runs) {
    bool evaluated = false;
    for (const std::string& name : protocols) {
      const Curve curve{&run, run.file.evaluation(name)};
      if (!curve.evaluation || curve.empty() || curve.scores().empty()) continue;
      evaluated = true;
      const auto table = std::ranges::find_if(tables, [&](const auto& other) {
        return std::ranges::all_of(other, [&](const Curve& member) { return comparable(member, curve); });
      });
      if (table != tables.end())
        table->push_back(curve);
      else
        tables.push_back({curve});
    }
    if (!evaluated) without.push_back(join(run.path, " (", run.status(), ")"));
  }
  for (const std::vector<Curve>& table : tables) show_together(table, page);
  if (without.empty()) return;
  page.title("Without an evaluation");
  for (const std::string& text : without) page.line(text);
}

}  // namespace lengthwise::show
