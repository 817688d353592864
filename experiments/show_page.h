// What showing one run and showing several share: a run as read, its last scores, and the page they are put on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/run_file.h"
#include "experiments/show.h"
#include "experiments/table.h"

namespace lengthwise::show {

inline constexpr const char* none = "–";

/// The number with so many digits after the point; `none` for NaN.
std::string fixed(double value, int digits);

/// "0.500 [0.457, 0.543]"
std::string with_interval(const Estimate& e, int digits);

/// "[0.457, 0.543]", or nothing where there is none.
std::string interval(const Estimate& e, int digits);

/// Nats as bits.
inline Estimate bits(const Estimate& nats) {
  return {nats.value / std::log(2.0), nats.low / std::log(2.0), nats.high / std::log(2.0)};
}

/// 1234567 as "1,234,567".
std::string grouped(std::int64_t number);

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
  /// The largest value of a task's option in training, or 0.
  std::int64_t train_value(const std::string& name) const {
    const std::string axis = option("train.axis"), prefix = name + ":";
    const bool drawn = axis.starts_with(prefix);
    return largest_of_list(drawn ? axis.substr(prefix.size()) : option(option("task.name") + "." + name)).value_or(0);
  }
  std::string file_name() const { return path.substr(path.rfind('/') + 1); }
  std::string status() const {
    return file.facts.status + (file.facts.status_reason.empty() ? "" : ": " + file.facts.status_reason);
  }
};

/// The protocol with its settings: "teacher forced (window 64, stride 32)".
std::string protocol_text(const Evaluation& evaluation);

/// An evaluation's last step.
struct Curve {
  const Run* run;
  const Evaluation* evaluation;

  bool empty() const { return evaluation->scores.empty(); }
  std::int64_t step() const { return evaluation->steps.back(); }
  const std::vector<LengthScore>& scores() const { return evaluation->scores.back(); }
  /// The place of a length, or that of the end.
  std::size_t place(std::int64_t length) const {
    return static_cast<std::size_t>(std::ranges::find(evaluation->lengths, length) - evaluation->lengths.begin());
  }
  /// The score at a length, or null.
  const LengthScore* at(std::int64_t length) const {
    return place(length) < evaluation->lengths.size() ? &scores()[place(length)] : nullptr;
  }
  bool beyond(std::int64_t length) const { return run->train_length() > 0 && length > run->train_length(); }
  /// What the task is judged by: exact match, or bits a token (a byte, for text).
  Estimate main_estimate(const LengthScore& score) const { return run->text() ? bits(score.loss) : score.exact_match; }
  double main(const LengthScore& score) const { return main_estimate(score).value; }
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

/// The evaluation of each value of its second axis, as one over lengths alone; itself, where it has none.
std::vector<Evaluation> by_value(const Evaluation& evaluation);

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
    const std::string whole = mark.empty()        ? text
                              : options_.markdown ? join("`", mark, "` ", text)
                                                  : join(mark, " ", text);
    if (std::ranges::find(notes_, whole) == notes_.end()) notes_.push_back(whole);
  }
  void notes() {
    for (const std::string& text : notes_) line(text);
    if (!notes_.empty()) gap();
    notes_.clear();
  }
  std::string text() const { return out_.str(); }
  const ShowOptions& options() const { return options_; }

 private:
  const ShowOptions& options_;
  std::ostringstream out_;
  std::vector<std::string> notes_;
};

/// One column of a table.
struct Column {
  std::string name;
  std::vector<std::string> cells;

  std::size_t width() const {
    std::size_t widest = display_width(name);
    for (const std::string& cell : cells) widest = std::max(widest, display_width(cell));
    return widest;
  }
};

/// Labels, of which the first `left` are set flush left, and as many columns beside them as the page is wide; then
/// further tables with the same labels.
void show_columns(const std::vector<Column>& labels, std::size_t left, const std::vector<Column>& columns, Page& page);

/// What is to be known of the score of a cell, with footnotes: "*" where it leans on rows that training never touched,
/// "°" where training draws its inputs, too.
std::string marks(const Curve& curve, std::size_t cell, Page& page);

/// The length, marked with its footnote where it is longer than any training length.
std::string length_label(std::int64_t length, bool beyond, Page& page);

/// The generalization horizon: "40", or "≥200" where the last length still passes.
std::string horizon_text(const Curve& curve, double threshold);

/// All protocols named, one after another.
void show_one(const Run& run, const std::vector<std::string>& protocols, Page& page);

/// A table for each set of comparable figures.
void show_several(const std::vector<Run>& runs, const std::vector<std::string>& protocols, Page& page);

}  // namespace lengthwise::show
