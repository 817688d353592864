// `list` and `describe`: what there is, from the registries.
#include <iostream>

#include "encodings/registry.h"
#include "experiments/commands.h"
#include "experiments/settings.h"
#include "experiments/table.h"
#include "experiments/tasks/task.h"

namespace lengthwise {
namespace {

/// A thing with a name: its config section, and what else is known of it ("source": "...").
struct Entry {
  Section section;
  std::vector<std::pair<std::string, std::string>> facts;
};

/// All things of one kind: `list KIND` prints their sentences, `describe NAME` one of them in full.
struct Catalogue {
  std::string kind;
  std::vector<Entry> entries;
};

Catalogue task_catalogue() {
  Catalogue catalogue{"tasks", {}};
  for (const auto& [name, info] : tasks())
    catalogue.entries.push_back({info.section, {{"length", info.length}, {"source", info.source}}});
  return catalogue;
}

std::string past_length_text(PastLength policy) {
  switch (policy) {
    case PastLength::extrapolate:
      return "extrapolate: the formula goes on";
    case PastLength::clamp:
      return "clamp: far distances share the last parameter";
    case PastLength::error:
      return "error: undefined beyond its table";
    case PastLength::interpolate:
      return "interpolate: positions are squeezed into the trained range";
    case PastLength::resample:
      return "resample: the learned table is resampled";
  }
  throw std::logic_error("unknown policy");
}

Catalogue encoding_catalogue() {
  Catalogue catalogue{"encodings", {}};
  for (const auto& [name, info] : encodings())
    catalogue.entries.push_back({info.section,
                                 {{"formula", info.formula},
                                  {"source", info.source},
                                  {"past L", past_length_text(info.past_length)},
                                  {"relative", info.relative ? "yes: the same when all positions move alike" : "no"},
                                  {"attention", info.causal_only ? "causal only" : "causal and bidirectional"}}});
  return catalogue;
}

Catalogue scheme_catalogue() {
  Catalogue catalogue{"schemes", {}};
  for (const auto& [name, info] : schemes())
    catalogue.entries.push_back({info.section, {{"source", info.source.empty() ? "-" : info.source}}});
  return catalogue;
}

Catalogue section_catalogue() {
  Catalogue catalogue{"sections", {}};
  for (const Section& section : settings()) catalogue.entries.push_back({section, {}});
  return catalogue;
}

std::vector<Catalogue> catalogues() { return {encoding_catalogue(), scheme_catalogue(), task_catalogue(), section_catalogue()}; }

using Row = std::vector<std::string>;

Row option_header() { return {"OPTION", "TYPE", "RANGE", "DEFAULT", "UNIT", "MEANING"}; }

Row option_row(const std::string& name, const OptionSpec& option) {
  return {name, type_text(option), range_text(option), option.fallback, option.unit, option.sentence};
}

std::string all_options() {
  std::vector<Row> rows = {option_header()};
  for (const Section& section : all_sections())
    for (const OptionSpec& option : section.options)
      rows.push_back(option_row(section.name + "." + option.name, option));
  return aligned(rows);
}

}  // namespace

int list_command(const Invocation& invocation) {
  const std::string& kind = invocation.arguments.at(0);
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
  std::string known;
  for (const std::string& name : kinds) known += (known.empty() ? "" : ", ") + name;
  throw InputError(join("cannot list '", kind, "'; there are ", known, ".", did_you_mean(kind, kinds)));
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
      if (!facts.empty()) std::cout << "\n" << aligned(facts);
      std::vector<Row> rows = {option_header()};
      for (const OptionSpec& option : entry.section.options) rows.push_back(option_row(option.name, option));
      if (rows.size() > 1) std::cout << "\nOptions in [" << name << "]\n" << aligned(rows, "  ");
      return done;
    }
  }
  throw InputError(
      join("nothing is called '", name, "'.", did_you_mean(name, names), " lengthwise list KIND names what there is."));
}

}  // namespace lengthwise
