#include "experiments/show.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <type_traits>

#include "experiments/run_file.h"
#include "experiments/table.h"

namespace lengthwise {
namespace {

constexpr const char* none = "–";

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return none;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string with_interval(const Estimate& e, int digits) {
  if (std::isnan(e.value)) return none;
  if (std::isnan(e.low)) return fixed(e.value, digits);
  return join(fixed(e.value, digits), " [", fixed(e.low, digits), ", ", fixed(e.high, digits), "]");
}

/// 1234567 as "1,234,567".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3 + (text[0] == '-'); at -= 3) text.insert(at - 3, ",");
  return text;
}

struct Run {
  std::string path;
  RunFile file;
  std::map<std::string, std::string> config;

  std::string option(const std::string& key) const {
    const auto found = config.find(key);
    return found != config.end() ? found->second : none;
  }
  bool text() const { return option("task.name") == "text"; }
  /// The longest length of training, or 0 when the config does not tell.
  std::int64_t train_length() const { return largest_of_list(option("train.lengths")).value_or(0); }
  std::string file_name() const { return path.substr(path.rfind('/') + 1); }
  std::string status() const {
    return file.facts.status + (file.facts.status_reason.empty() ? "" : ": " + file.facts.status_reason);
  }
};

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

/// The protocol with its settings: "teacher forced (window 64, stride 32)".
std::string protocol_text(const Evaluation& evaluation) {
  std::string settings;
  for (const auto& [name, value] : evaluation.settings)
    settings += join(settings.empty() ? "" : ", ", name, ' ', attribute_text(value));
  const std::string text = evaluation.protocol.empty() ? evaluation.name : evaluation.protocol;
  return settings.empty() ? text : join(text, " (", settings, ")");
}

/// An evaluation's last step.
struct Curve {
  const Run* run;
  const Evaluation* evaluation;

  bool empty() const { return evaluation->scores.empty(); }
  std::int64_t step() const { return evaluation->steps.back(); }
  const std::vector<LengthScore>& scores() const { return evaluation->scores.back(); }
  /// The score at a length, or null.
  const LengthScore* at(std::int64_t length) const {
    const auto found = std::ranges::find(evaluation->lengths, length);
    return found != evaluation->lengths.end() ? &scores()[static_cast<std::size_t>(found - evaluation->lengths.begin())]
                                              : nullptr;
  }
  bool beyond(std::int64_t length) const { return run->train_length() > 0 && length > run->train_length(); }
  /// What the task is judged by: exact match, or bits a token (a byte, for text).
  double main(const LengthScore& score) const {
    return run->text() ? score.loss.value / std::log(2.0) : score.exact_match.value;
  }
  std::vector<double> main_values() const {
    std::vector<double> values;
    for (const LengthScore& score : scores()) values.push_back(main(score));
    return values;
  }
  double highest() const {
    double high = 0;
    for (const double value : main_values()) high = std::max(high, std::isnan(value) ? 0 : value);
    return high;
  }
  /// Perplexity over the perplexity at the longest training length. "~" where other tokens were scored there.
  std::string ratio(const LengthScore& score) const {
    const LengthScore* reference = at(run->train_length());
    if (!reference || std::isnan(score.loss.value) || std::isnan(reference->loss.value)) return none;
    return join(score.scored_tokens != reference->scored_tokens ? "~" : "", "×",
                fixed(std::exp(score.loss.value - reference->loss.value), 3));
  }
};

/// Collects what is shown, and the footnotes that its marks need.
class Page {
 public:
  explicit Page(const ShowOptions& options) : options_(options) {}

  void title(const std::string& text) {
    out_ << (options_.markdown ? "## " : "") << text << "\n" << (options_.markdown ? "\n" : "");
  }
  void line(const std::string& text) { out_ << (options_.markdown ? "- " : "  ") << text << "\n"; }
  void gap() { out_ << "\n"; }
  void table(const Table& table) { out_ << (options_.markdown ? table.markdown() : table.text()) << "\n"; }
  void plain(const std::string& text) { out_ << text; }
  /// A footnote, once a page; `mark` is what it explains.
  void note(const std::string& mark, const std::string& text) {
    const std::string whole =
        (options_.markdown && !mark.empty() ? "`" + mark + "`" : mark) + (mark.empty() ? "" : " ") + text;
    if (std::ranges::find(notes_, whole) == notes_.end()) notes_.push_back(whole);
  }
  void notes() {
    for (const std::string& text : notes_) line(text);
    if (!notes_.empty()) gap();
    notes_.clear();
  }
  std::string text() const { return out_.str(); }

 private:
  const ShowOptions& options_;
  std::ostringstream out_;
  std::vector<std::string> notes_;
};

/// "*", with its footnote, where the score leans on rows that training never touched.
std::string untrained_mark(const LengthScore& score, Page& page) {
  if (!(score.untrained_fraction > 0)) return "";
  page.note("*", "reads rows of a learned table that training never touched: says nothing about the encoding");
  return "*";
}

std::string length_label(std::int64_t length, bool beyond, Page& page) {
  if (beyond) page.note(">", "longer than any training length");
  return (beyond ? ">" : "") + std::to_string(length);
}

std::string horizon_text(const Curve& curve, double threshold) {
  const auto reached = horizon(curve.evaluation->lengths, curve.main_values(), threshold);
  return reached ? join(reached->censored ? "≥" : "", reached->length) : none;
}

// ---- One run --------------------------------------------------------------------------------------------------------

void show_header(const Run& run, Page& page) {
  const RunFacts& facts = run.file.facts;
  page.title(join(facts.name.empty() ? run.path : facts.name, " (", run.status(), ")"));
  page.line(join("task ", run.option("task.name"), " · encoding ", run.option("encoding.name"), " · scheme ",
                 run.option("positions.scheme"), " · training lengths ", run.option("train.lengths"), " · seed ",
                 facts.seed));
  std::ostringstream loss;
  if (!run.file.train.empty())
    loss << " · last loss " << fixed(run.file.train.back().loss, 4) << " at step " << run.file.train.back().step;
  page.line(join(run.option("train.steps"), " steps · ", grouped(facts.parameter_count), " parameters · ",
                 fixed(facts.seconds, 1), " s", loss.str()));
  page.gap();
}

void show_scores(const Curve& curve, Page& page) {
  const bool some_untrained =
      std::ranges::any_of(curve.scores(), [](const LengthScore& s) { return s.untrained_fraction > 0; });
  const bool free_running =
      std::ranges::any_of(curve.scores(), [](const LengthScore& s) { return !std::isnan(s.never_stopped); });
  std::vector<std::string> header{"length", "tokens", "examples", "exact match [95 %]", "token accuracy [95 %]",
                                  "chance"};
  if (free_running) header.push_back("endless");
  if (some_untrained) header.push_back("untrained");
  Table accuracy(header, 0);

  header = {"length", "scored", "nats a token [95 %]",
            join("bits a ", curve.run->text() ? "byte" : "token", " [95 %]")};
  if (curve.run->text()) header.push_back("perplexity");
  Table loss(header, 0);

  for (std::size_t i = 0; i < curve.scores().size(); ++i) {
    const LengthScore& s = curve.scores()[i];
    const std::int64_t n = curve.evaluation->lengths[i];
    const std::string label = length_label(n, curve.beyond(n), page) + untrained_mark(s, page);
    std::vector<std::string> row{label,
                                 grouped(curve.evaluation->tokens[i]),
                                 grouped(s.examples),
                                 with_interval(s.exact_match, 3),
                                 with_interval(s.token_accuracy, 3),
                                 fixed(s.chance, 3)};
    if (free_running) row.push_back(fixed(s.never_stopped, 3));
    if (some_untrained) row.push_back(fixed(100 * s.untrained_fraction, 1) + " %");
    accuracy.add(row);

    const auto bits = [](double nats) { return nats / std::log(2.0); };
    row = {label, grouped(s.scored_tokens), with_interval(s.loss, 4),
           with_interval({bits(s.loss.value), bits(s.loss.low), bits(s.loss.high)}, 4)};
    if (curve.run->text()) row.push_back(curve.ratio(s));
    loss.add(row);
  }
  page.note("[ ]", "Wilson's interval for exact match, the bootstrap over sequences for the others");
  page.table(accuracy);
  page.table(loss);
  if (curve.run->text())
    page.note("×", join("perplexity over that at the training length, ", curve.run->train_length(),
                        "; ~ where other tokens were scored"));
}

/// The main metric as a small bar chart.
void show_bars(const Curve& curve, Page& page) {
  const std::vector<double> values = curve.main_values();
  const double high = curve.run->text() ? curve.highest() : 1;  // bits have no natural upper end
  std::string ends = join(curve.evaluation->lengths.front());
  if (values.size() > 1) ends += join(" … ", curve.evaluation->lengths.back());
  const std::vector<std::string> lines = bars(values, 0, high, 4, values.size() <= 40 ? 2 : 1);
  page.line(curve.run->text() ? "bits a byte" : "exact match");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string mark = i == 0 ? fixed(high, 2) : i + 1 == lines.size() ? "0.00" : "    ";
    page.plain(join("  ", mark, " │", lines[i], "\n"));
  }
  page.plain(join("        ", ends, "\n\n"));
}

void show_one(const Run& run, const std::vector<std::string>& protocols, const ShowOptions& options, Page& page) {
  show_header(run, page);
  for (const std::string& name : protocols) {
    const Curve curve{&run, run.file.evaluation(name)};
    page.title(curve.empty() ? name + ": not evaluated yet" : join(name, " at step ", curve.step()));
    page.line("protocol: " + protocol_text(*curve.evaluation));
    if (!curve.evaluation->position_policy.empty()) page.line("positions: " + curve.evaluation->position_policy);
    if (!curve.empty() && !curve.scores().empty()) {
      if (!curve.run->text())
        page.line(join("exact match stays at 0.9 or above up to length ", horizon_text(curve, 0.9), ", at 0.5 up to ",
                       horizon_text(curve, 0.5)));
      page.gap();
      show_scores(curve, page);
      page.notes();
      if (!options.markdown) show_bars(curve, page);
    } else {
      page.gap();
    }
  }
  if (protocols.empty()) page.line("not evaluated yet");
}

// ---- Several runs ---------------------------------------------------------------------------------------------------

/// Options that name a run or steer its execution, and cannot change a figure; evaluated lengths are in the table
/// anyway.
const std::set<std::string> no_labels{"run.name", "run.output", "run.threads", "run.if_exists", "evaluate.lengths"};

/// Do the curves disagree on this value?
template <class Value>
bool differs(const std::vector<Curve>& curves, const Value& value) {
  return std::ranges::any_of(curves, [&](const Curve& c) { return value(c) != value(curves.front()); });
}

/// The options whose values differ between these runs, those that usually matter first and the seed last.
std::vector<std::string> differing_options(const std::vector<Curve>& curves) {
  std::set<std::string> keys;
  for (const Curve& curve : curves)
    for (const auto& [key, value] : curve.run->config)
      if (!no_labels.contains(key) && differs(curves, [&](const Curve& c) { return c.run->option(key); }))
        keys.insert(key);
  std::vector<std::string> sorted(keys.begin(), keys.end());
  const auto rank = [](const std::string& key) {
    return key == "encoding.name" ? 0 : key == "positions.scheme" ? 1 : key == "run.seed" ? 3 : 2;
  };
  std::ranges::stable_sort(sorted, {}, rank);
  return sorted;
}

/// A column that says something of each run, beside its scores.
struct Column {
  std::string name;
  std::vector<std::string> cells;

  std::size_t width() const {
    std::size_t widest = display_width(name);
    for (const std::string& cell : cells) widest = std::max(widest, display_width(cell));
    return widest;
  }
};

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
    std::string rest;
    for (auto key = begin; key != end; ++key) rest += (rest.empty() ? "" : ", ") + *key;
    page.note("", "also differing: " + rest);
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
  return make_column("curve", curves, lengths.size(), [&](const Curve& curve) {
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
    cell += untrained_mark(*score, page);
  }
  return column;
}

void show_columns(const std::vector<Column>& columns, std::size_t left, Page& page) {
  std::vector<std::string> header;
  for (const Column& column : columns) header.push_back(column.name);
  Table table(header, left);
  for (std::size_t r = 0; r < columns.front().cells.size(); ++r) {
    std::vector<std::string> row;
    for (const Column& column : columns) row.push_back(column.cells[r]);
    table.add(row);
  }
  page.table(table);
}

void show_together(std::vector<Curve> curves, const ShowOptions& options, Page& page) {
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

  // As many lengths a table as the width allows; every table repeats the labels.
  std::size_t label_width = 0;
  for (const Column& column : labels) label_width += 2 + column.width();
  std::vector<Column> columns = labels;
  std::size_t used = label_width;
  for (const std::int64_t length : lengths) {
    const Column column = length_column(curves, length, page);
    if (!options.markdown && used + 2 + column.width() > options.width && columns.size() > labels.size()) {
      show_columns(columns, left, page);
      columns = labels;
      used = label_width;
    }
    columns.push_back(column);
    used += 2 + column.width();
  }
  show_columns(columns, left, page);
  page.notes();
}

void show_several(const std::vector<Run>& runs, const std::vector<std::string>& protocols, const ShowOptions& options,
                  Page& page) {
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
  for (const std::vector<Curve>& table : tables) show_together(table, options, page);
  if (without.empty()) return;
  page.title("Without an evaluation");
  for (const std::string& text : without) page.line(text);
}

}  // namespace

std::optional<std::int64_t> largest_of_list(const std::string& list) {
  std::optional<std::int64_t> largest;
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    long long first = 0, last = 0, step = 1;
    const int read = std::sscanf(item.c_str(), "%lld..%lld:%lld", &first, &last, &step);
    if (read < 1) continue;
    const long long end = read < 2 || last < first || step < 1 ? first : last - (last - first) % step;
    largest = std::max<std::int64_t>(largest.value_or(end), end);
  }
  return largest;
}

std::string show_runs(const std::vector<std::string>& paths, const ShowOptions& options) {
  require(!paths.empty(), "show: no run file given; name one or more");
  std::vector<Run> runs;
  std::vector<std::string> protocols;
  for (const std::string& path : paths) {
    Run& run = runs.emplace_back(Run{path, read_run(path, Parts::scores), {}});
    run.config = config_values(run.file.facts.config);
    std::vector<std::string> names;
    for (const Evaluation& evaluation : run.file.evaluations) names.push_back(evaluation.name);
    if (!options.protocol.empty()) {
      std::string known;
      for (const std::string& name : names) known += " " + name;
      require(names.empty() || run.file.evaluation(options.protocol), "--protocol: '", path, "' has no evaluation '",
              options.protocol, "', only:", known, ".", did_you_mean(options.protocol, names));
      names = {options.protocol};
    }
    for (const std::string& name : names)
      if (std::ranges::find(protocols, name) == protocols.end()) protocols.push_back(name);
  }
  Page page(options);
  if (runs.size() == 1) {
    std::erase_if(protocols, [&](const std::string& name) { return !runs[0].file.evaluation(name); });
    show_one(runs.front(), protocols, options, page);
  } else {
    show_several(runs, protocols, options, page);
  }
  std::string text = page.text();
  text.erase(text.find_last_not_of('\n') + 1);
  return text + '\n';
}

}  // namespace lengthwise
