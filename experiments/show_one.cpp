#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "experiments/show_page.h"

namespace lengthwise::show {
namespace {

void show_header(const Run& run, Page& page) {
  const RunFacts& facts = run.file.facts;
  page.title(join(facts.name.empty() ? run.path : facts.name, " (", run.status(), ")"));
  page.line(join("task ", run.option("task.name"), " · encoding ", run.option("encoding.name"), " · scheme ",
                 run.option("positions.scheme"), " · training lengths ", run.option("train.lengths"), " · seed ",
                 facts.seed));
  std::ostringstream loss;
  if (!run.file.train.empty())
    loss << " · last loss " << fixed(run.file.train.back().loss, 4) << " at step " << run.file.train.back().step
         << (run.option("train.loss") == "all" ? ", of prompts, too" : "")
         << (run.option("train.set_loss") == "mse" ? ", a squared error" : "");
  if (!facts.data.empty()) page.line(facts.data);
  page.line(join(run.option("train.steps"), " steps · ", grouped(facts.parameter_count), " parameters · ",
                 fixed(facts.seconds, 1), " s", loss.str()));
  page.gap();
}

void note_intervals(Page& page) {
  page.note("[ ]", "Wilson's interval for exact match, the bootstrap over sequences for the others");
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
  const bool overlaps = std::ranges::any_of(curve.evaluation->overlap, [](double share) { return share > 0; });
  if (overlaps) header.push_back("overlap");
  const bool repeats = std::ranges::any_of(curve.evaluation->repeated, [](double share) { return share > 0.1; });
  if (repeats) header.push_back("repeated");
  Table accuracy(header, 0);

  header = {"length", "scored", "nats a token [95 %]",
            join("bits a ", curve.run->text() ? "byte" : "token", " [95 %]")};
  const bool gains =
      std::ranges::any_of(curve.scores(), [](const LengthScore& s) { return !std::isnan(s.context_gain.value); });
  if (curve.run->text()) header.push_back("perplexity");
  if (gains) header.push_back("context gain [95 %]");
  Table loss(header, 0);

  for (std::size_t i = 0; i < curve.scores().size(); ++i) {
    const LengthScore& s = curve.scores()[i];
    const std::int64_t n = curve.evaluation->lengths[i];
    const std::string label = length_label(n, curve.beyond(n), page) + marks(curve, i, page);
    std::vector<std::string> row{label,
                                 grouped(curve.evaluation->tokens[i]),
                                 grouped(s.examples),
                                 with_interval(s.exact_match, 3),
                                 with_interval(s.token_accuracy, 3),
                                 fixed(s.chance, 3)};
    if (free_running) row.push_back(fixed(s.never_stopped, 3));
    if (some_untrained) row.push_back(fixed(100 * s.untrained_fraction, 1) + " %");
    if (overlaps) row.push_back(fixed(100 * curve.evaluation->overlap[i], 1) + " %");
    if (repeats) row.push_back(fixed(100 * curve.evaluation->repeated[i], 1) + " %");
    accuracy.add(row);

    row = {label, grouped(s.scored_tokens), with_interval(s.loss, 4), with_interval(bits(s.loss), 4)};
    if (curve.run->text()) row.push_back(curve.ratio(s));
    if (gains) row.push_back(with_interval(s.context_gain, 4));
    loss.add(row);
  }
  note_intervals(page);
  if (repeats) page.note("repeated", "of the examples drawn, whose input came before");
  page.table(accuracy);
  page.table(loss);
  if (curve.run->text())
    page.note("×", join("perplexity over that at the training length, ", curve.run->train_length(),
                        "; ~ where other tokens were scored"));
  if (gains)
    page.note("context gain",
              join("bits a byte saved on the same bytes over a context of ", curve.run->train_length()));
}

/// What heads attend to at the training length and at the longest one: the lowest and the highest head of each block.
void show_diagnostics(const Curve& curve, Page& page) {
  const Group& group = curve.evaluation->diagnostics;
  const std::vector<std::int64_t>& lengths = curve.evaluation->lengths;
  const std::size_t layers = group.dimensions.at("layer").size, heads = group.dimensions.at("head").size;
  const auto trained = std::ranges::find(lengths, curve.run->train_length());
  Table table({"length", "layer", "entropy (nats)", "mean distance", "largest logit"}, 0);
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (n + 1 < lengths.size() && lengths.begin() + static_cast<std::ptrdiff_t>(n) != trained) continue;
    for (std::size_t l = 0; l < layers; ++l) {
      const auto range = [&](const char* name, int digits) {
        std::vector<double> values;
        for (std::size_t h = 0; h < heads; ++h)
          values.push_back(group.get<double>(name)[(l * heads + h) * lengths.size() + n]);
        const auto [low, high] = std::ranges::minmax(values);
        return join(fixed(low, digits), " … ", fixed(high, digits));
      };
      table.add({length_label(lengths[n], curve.beyond(lengths[n]), page), join(l), range("attention_entropy", 2),
                 range("mean_distance", 1), range("largest_logit", 1)});
    }
  }
  page.line("attention of scored queries, lowest … highest head");
  page.gap();
  page.table(table);
}

/// A figure over a grid: a row a length, a column a value of the second axis. The interval stands below its value, in
/// Markdown beside it.
template <class Figure>
void show_grid(const std::string& name, const Curve& curve, const Figure& figure, Page& page) {
  const Evaluation& evaluation = *curve.evaluation;
  const std::int64_t trained = curve.run->train_value(evaluation.axis);
  const std::size_t values = evaluation.axis_values.size();
  const bool below = !page.options().markdown;
  const auto estimate = [&](std::size_t l, std::size_t v) -> Estimate {
    return figure(curve.scores()[l * values + v]);
  };
  bool intervals = false;
  for (std::size_t c = 0; c < curve.scores().size(); ++c)
    intervals = intervals || !interval(estimate(c / values, c % values), 3).empty();

  Column lengths{"length", {}};
  for (const std::int64_t n : evaluation.lengths) {
    lengths.cells.push_back(length_label(n, curve.beyond(n), page));
    if (intervals && below) lengths.cells.emplace_back();
  }
  std::vector<Column> columns;
  for (std::size_t v = 0; v < values; ++v) {
    const std::int64_t value = evaluation.axis_values[v];
    const bool beyond = trained > 0 && value > trained;  // 0: the task chooses, by the length
    if (beyond) page.note(join(">", evaluation.axis), "larger than any value of training");
    Column& column = columns.emplace_back(Column{join(beyond ? ">" : "", evaluation.axis, " ", value), {}});
    for (std::size_t l = 0; l < evaluation.lengths.size(); ++l) {
      const Estimate e = estimate(l, v);
      const std::string mark = intervals ? marks(curve, l * values + v, page) : "";  // of what was measured
      column.cells.push_back((below ? fixed(e.value, 3) : with_interval(e, 3)) + mark);
      if (intervals && below) column.cells.push_back(interval(e, 3));
    }
  }
  page.line(name);
  show_columns({lengths}, 0, columns, page);
}

/// Main metric, token accuracy and chance over a grid.
void show_grids(const Curve& curve, Page& page) {
  const bool text = curve.run->text();
  show_grid(
      text ? "bits a byte [95 %]" : "exact match [95 %]", curve,
      [&](const LengthScore& s) { return curve.main_estimate(s); }, page);
  show_grid(
      "token accuracy [95 %]", curve, [](const LengthScore& s) { return s.token_accuracy; }, page);
  std::set<std::string> chances;
  for (const LengthScore& s : curve.scores())
    if (!std::isnan(s.chance)) chances.insert(fixed(s.chance, 3));
  if (chances.size() == 1) page.note("chance", join(*chances.begin(), " of a token, in every cell"));
  if (chances.size() > 1)
    show_grid(
        "chance of a token", curve,
        [](const LengthScore& s) {
          return Estimate{s.chance, NAN, NAN};
        },
        page);
  note_intervals(page);
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

}  // namespace

void show_one(const Run& run, const std::vector<std::string>& protocols, Page& page) {
  show_header(run, page);
  for (const std::string& name : protocols) {
    const Curve curve{&run, run.file.evaluation(name)};
    page.title(curve.empty() ? name + ": not evaluated yet" : join(name, " at step ", curve.step()));
    page.line("protocol: " + protocol_text(*curve.evaluation));
    if (!curve.evaluation->position_policy.empty()) page.line("positions: " + curve.evaluation->position_policy);
    if (!curve.empty() && !curve.evaluation->axis.empty()) {
      page.gap();
      show_grids(curve, page);
      page.notes();
    } else if (!curve.empty() && !curve.scores().empty()) {
      if (!curve.run->text()) {
        const bool guessed = curve.scores().front().chance >= 0.5;  // a half is nothing
        const auto reached = [&](double threshold) {
          const std::string length = horizon_text(curve, threshold);
          return length == none ? join("at no length") : "up to length " + length;
        };
        page.line(join("exact match stays at 0.9 or above ", reached(0.9), guessed ? "" : "; at 0.5 or above ",
                       guessed ? "" : reached(0.5)));
      }
      page.gap();
      show_scores(curve, page);
      if (!curve.evaluation->diagnostics.variables.empty()) show_diagnostics(curve, page);
      page.notes();
      if (!page.options().markdown) show_bars(curve, page);
    } else {
      page.gap();
    }
  }
  if (protocols.empty()) page.line("not evaluated yet");
}

}  // namespace lengthwise::show
