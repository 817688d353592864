// `list` and `describe`: what there is, from the registries.
#include <iostream>
#include <sstream>
#include <utility>

#include "encodings/registry.h"
#include "experiments/commands.h"
#include "experiments/encoding_layer.h"
#include "experiments/properties.h"
#include "experiments/settings.h"
#include "experiments/table.h"
#include "experiments/tasks/task.h"

namespace lengthwise {
namespace {

/// A thing with a name: its config section, and what else is known of it ("source": "...").
struct Entry {
  Section section;
  std::vector<std::pair<std::string, std::string>> facts;
  std::string text = {};  // a paragraph of its own
};

/// In lines of at most 100 characters, cut at blanks.
std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t used = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; used += word.size()) {
    if (used > 0 && used + 1 + word.size() > 100) lines += '\n', used = 0;
    if (used > 0) lines += ' ', ++used;
    lines += word;
  }
  return lines;
}

/// All things of one kind: `list KIND` prints their sentences, `describe NAME` one of them in full.
struct Catalogue {
  std::string kind;
  std::vector<Entry> entries;
};

/// What counts as right, and chance at a short length, of the task with its defaults; nothing of one that needs a file.
std::vector<std::pair<std::string, std::string>> scoring_facts(const std::string& name, const TaskInfo& info) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const Layout layout : {Layout::causal, Layout::encoder}) try {
      const auto task = make_task(name, Options(info.section), layout);
      facts.emplace_back(
          "scored", dynamic_cast<const PromptTask*>(task.get())
                        ? "the tokens of the answer; for an exact match a scratch-pad and the end, too"
                    : dynamic_cast<const DenseTask*>(task.get())
                        ? "the labels of the string; for an exact match all of them"
                        : "the tokens that `lengthwise sample` shows a target for; for an exact match all of them");
      for (std::size_t n = 8; n <= 128; ++n) try {
          task->check_length(n);
          facts.emplace_back("chance", join(number_text(task->chance(n)), " of a token at n = ", n));
          return facts;
        } catch (const InputError&) {  // not a length of this task
        }
      return facts;
    } catch (const InputError&) {  // not in this layout, or not without a file
    }
  return facts;
}

Catalogue task_catalogue() {
  Catalogue catalogue{"tasks", {}};
  for (const auto& [name, info] : tasks()) {
    Entry entry{info.section, {{"length n", info.length}, {"source", info.source}}};
    entry.text = info.definition.substr(info.definition.find(": ") + 2);
    catalogue.entries.push_back(std::move(entry));
  }
  return catalogue;
}

std::string past_length_text(PastLength policy) {
  const std::string word = past_length_word(policy);
  switch (policy) {
    case PastLength::extrapolate:
      return word + ": the formula goes on";
    case PastLength::clamp:
      return word + ": far distances share the last parameter";
    case PastLength::error:
      return word + ": undefined beyond its table";
    case PastLength::interpolate:
      return word + ": positions are squeezed into the trained range";
    case PastLength::resample:
      return word + ": the learned table is resampled";
  }
  throw std::logic_error("unknown policy");
}

Catalogue encoding_catalogue() {
  Catalogue catalogue{"encodings", {}};
  for (const auto& [name, info] : encodings())
    catalogue.entries.push_back({info.section,
                                 {{"formula", info.formula},
                                  {"source", info.source},
                                  {"verified against", info.verified.empty() ? "-" : info.verified},
                                  {"past L", past_length_text(info.past_length)},
                                  {"relative", info.relative ? "yes: the same when all positions move alike" : "no"},
                                  {"attention", info.causal_only ? "causal only" : "causal and bidirectional"}}});
  return catalogue;
}

// "sequence 0, 1, 2, 3; digit 0, 5, 6, 7": what n tokens of a model trained on 4 are numbered.
std::string example_ids(const PositionScheme& scheme, Phase phase, std::size_t n) {
  const std::vector<std::size_t> offsets{0, n};
  const auto hints = example_hints(offsets);
  const std::vector<Rng> streams{Rng(1)};
  Positions positions;
  scheme.assign({phase, offsets, &hints, streams, 4, Rng(1)}, positions);
  std::ostringstream text;
  for (const std::string& channel : scheme.channels()) {
    text << (channel == scheme.channels().front() ? "" : "; ") << channel;
    const char* separator = " ";
    for (const double id : positions.channel(channel)) text << std::exchange(separator, ", ") << id;
  }
  return text.str();
}

Catalogue scheme_catalogue() {
  Catalogue catalogue{"schemes", {}};
  for (const auto& [name, info] : schemes()) {
    const auto scheme = make_scheme(name, Options(info.section));
    catalogue.entries.push_back(
        {info.section,
         {{"source", info.source.empty() ? "-" : info.source},
          {"ids", join(scheme->whole() ? "whole numbers" : "real numbers", scheme->increasing() ? ", growing" : "")},
          {"needs of the task", scheme->hints().empty() ? "nothing" : "ids of " + listed(scheme->hints())},
          {"4 tokens in training", example_ids(*scheme, Phase::train, 4)},
          {"8 tokens later", example_ids(*scheme, Phase::evaluate, 8)}}});
  }
  return catalogue;
}

Catalogue section_catalogue() {
  Catalogue catalogue{"sections", {}};
  for (const Section& section : settings()) catalogue.entries.push_back({section, {}});
  return catalogue;
}

std::vector<Catalogue> catalogues() {
  return {encoding_catalogue(), scheme_catalogue(), task_catalogue(), section_catalogue()};
}

using Row = std::vector<std::string>;

Row option_header() { return {"OPTION", "TYPE", "RANGE", "DEFAULT", "UNIT", "MEANING"}; }

Row option_row(const std::string& name, const OptionSpec& option) {
  const char* when = option.at_evaluation ? " (evaluate may change it)" : "";
  return {name, type_text(option), range_text(option), option.fallback, option.unit, option.sentence + when};
}

std::string all_options() {
  std::vector<Row> rows = {option_header()};
  for (const Section& section : all_sections())
    for (const OptionSpec& option : section.options)
      rows.push_back(option_row(section.name + "." + option.name, option));
  return aligned(rows);
}

// "arXiv:2104.09864, arXiv:2204.06745", or the whole source where nothing of it is there.
std::string short_source(const std::string& source) {
  const std::string prefix = "arXiv:";
  std::string ids;
  for (std::size_t at = source.find(prefix); at != std::string::npos; at = source.find(prefix, at + 1)) {
    const std::string id = source.substr(at, source.find_first_not_of("0123456789.", at + prefix.size()) - at);
    if (ids.find(id) == std::string::npos) ids += (ids.empty() ? "" : ", ") + id;
  }
  return ids.empty() ? source : ids;
}

std::string list_encodings(bool markdown) {
  std::vector<Row> rows{{"encoding", "what it is", "acts on", "parameters", "past L", "source"}};
  if (markdown) rows[0].push_back("verified against");
  for (const auto& [name, info] : encodings()) {
    std::string places = "-", parameters = "-";  // of the default model, if the encoding suits it
    try {
      places = where_it_acts(name), parameters = join(parameter_count(name));
    } catch (const InputError&) {
    }
    rows.push_back({name, info.section.sentence, places, parameters, past_length_word(info.past_length),
                    short_source(info.source)});
    if (markdown) rows.back().push_back(info.verified.empty() ? "-" : info.verified);
  }
  if (!markdown) return aligned(rows);
  Table table(rows[0], rows[0].size());
  for (std::size_t r = 1; r < rows.size(); ++r) table.add(rows[r]);
  return table.markdown();
}

std::string list_schemes() {
  std::vector<Row> rows{{"scheme", "what it is", "channels", "ids", "source"}};
  for (const auto& [name, info] : schemes()) {
    const auto scheme = make_scheme(name, Options(info.section));
    rows.push_back({name, info.section.sentence, listed(scheme->channels()), scheme->whole() ? "whole" : "real",
                    info.source.empty() ? "-" : short_source(info.source)});
  }
  return aligned(rows);
}

}  // namespace

int list_command(const Invocation& invocation) {
  const std::string& kind = invocation.arguments.at(0);
  const bool markdown = invocation.flags.flag("markdown");
  require(!markdown || kind == "encodings", "--markdown is for `lengthwise list encodings`, not for '", kind, "'.");
  if (kind == "encodings" || kind == "schemes") {
    std::cout << (kind == "schemes" ? list_schemes() : list_encodings(markdown));
    return done;
  }
  if (kind == "options") {
    std::cout << all_options();
    return done;
  }
  std::vector<std::string> kinds = {"options"};
  for (const Catalogue& catalogue : catalogues()) {
    kinds.push_back(catalogue.kind);
    if (catalogue.kind != kind) continue;
    std::vector<Row> rows;
    for (const Entry& entry : catalogue.entries) rows.push_back({entry.section.name, entry.section.sentence});
    std::cout << aligned(rows);
    return done;
  }
  throw InputError(join("cannot list '", kind, "'; there are ", listed(kinds), ".", did_you_mean(kind, kinds)));
}

int describe_command(const Invocation& invocation) {
  const std::string& name = invocation.arguments.at(0);
  std::vector<std::string> names;
  for (const Catalogue& catalogue : catalogues()) {
    for (const Entry& entry : catalogue.entries) {
      names.push_back(entry.section.name);
      if (entry.section.name != name) continue;
      std::cout << name << ", one of the " << catalogue.kind << "\n" << entry.section.sentence << "\n";
      std::vector<Row> facts;
      for (const auto& [label, text] : entry.facts) facts.push_back({label, text});
      if (catalogue.kind == "tasks")
        for (const auto& [label, text] : scoring_facts(name, tasks().at(name))) facts.push_back({label, text});
      if (!entry.text.empty()) std::cout << "\n" << wrapped(entry.text) << "\n";
      if (!facts.empty()) std::cout << "\n" << aligned(facts);
      std::vector<Row> rows = {option_header()};
      for (const OptionSpec& option : entry.section.options) rows.push_back(option_row(option.name, option));
      if (rows.size() > 1) std::cout << "\nOptions in [" << name << "]\n" << aligned(rows, "  ");
      if (catalogue.kind == "encodings") std::cout << "\n" << std::flush << property_report(name);
      return done;
    }
  }
  throw InputError(
      join("nothing is called '", name, "'.", did_you_mean(name, names), " lengthwise list KIND names what there is."));
}

}  // namespace lengthwise
