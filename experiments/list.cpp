// `list` and `describe`: what there is, from the registries.
#include <iomanip>
#include <iostream>
#include <set>
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

using Facts = std::vector<std::pair<std::string, std::string>>;  // "source", "..."

/// A thing with a name: its config section, and what else is known of it.
struct Entry {
  Section section;
  Facts facts;
  std::vector<std::string> paragraphs = {};
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

/// "row, column (grid), operand (coupled_operand)": the channels of ids and the encodings and schemes that read them.
std::string readers_of(const std::map<std::string, std::vector<double>>& ids) {
  std::map<std::string, std::vector<std::string>> channels;  // by who reads them
  for (const auto& [channel, values] : ids) {
    std::set<std::string> readers;
    for (const auto& [name, info] : encodings())
      if (std::ranges::find(info.channels, channel) != info.channels.end()) readers.insert(name);
    for (const auto& [name, info] : schemes()) {
      const std::vector<std::string> hints = make_scheme(name, Options(info.section))->hints();
      if (std::ranges::find(hints, channel) != hints.end()) readers.insert(name);
    }
    channels[listed(readers)].push_back(channel);
  }
  std::vector<std::string> parts;
  for (const auto& [readers, read] : channels)
    parts.push_back(listed(read) + (readers.empty() ? "" : " (" + readers + ")"));
  return listed(parts);
}

/// What the model reads, in words of the definition.
std::string layout_text(const std::string& name, const Options& options, const Task& causal) {
  if (dynamic_cast<const DenseTask*>(&causal)) return "BOS x; a bidirectional model reads x alone";
  if (!dynamic_cast<const PromptTask*>(&causal)) return "";
  const std::string text = "BOS p SEP y, after which EOS is right";
  try {
    const auto other = make_task(name, options, Layout::encoder);
    const bool dense = dynamic_cast<const SymbolTask&>(*other).layout() == Layout::dense;
    return join(text, "; a bidirectional model reads p ",
                dense ? "alone, each token labelled with one of y" : "and an ANS for each token of y");
  } catch (const InputError&) {  // for causal models alone
    return text;
  }
}

/// What is read and scored, and chance and ids at a short length, of the task with its defaults; nothing of one that
/// needs a file.
Facts scoring_facts(const std::string& name, const TaskInfo& info) {
  Facts facts;
  for (const Layout layout : {Layout::causal, Layout::encoder}) try {
      const Options defaults(info.section);
      const auto task = make_task(name, defaults, layout);
      if (const std::string read = layout_text(name, defaults, *task); !read.empty()) facts.emplace_back("read", read);
      facts.emplace_back(
          "scored", dynamic_cast<const PromptTask*>(task.get())
                        ? "the tokens of the answer; for an exact match a scratch-pad and the end, too"
                    : dynamic_cast<const DenseTask*>(task.get())
                        ? "the labels of the string; for an exact match all of them"
                        : "the tokens that `lengthwise sample` shows a target for; for an exact match all of them");
      for (std::size_t n = 8; n <= 128; ++n) try {
          task->check_length(n);
          std::ostringstream chance;
          chance << std::setprecision(3) << task->chance(n) << " of a token at n = " << n;
          facts.emplace_back("chance", chance.str());
          const Example example = task->example(n, make_draw(0, Stream::train, name, n, 0));
          if (!example.target_sets.empty()) facts.emplace_back("EOS", "among the labels: the string may end here");
          if (!example.ids.empty()) facts.emplace_back("ids", readers_of(example.ids));
          facts.emplace_back("examples", join("lengthwise sample ", name, " --length ", n));
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
    entry.paragraphs = {info.definition.substr(info.definition.find(": ") + 2), info.notes};
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

/// " 'yarn' is a value of rope.scaling: see lengthwise describe rope."; nothing, when no option is or takes it.
std::string option_hint(const std::string& word) {
  const std::string name = lower_case(word);
  std::vector<std::string> owners, options;
  std::string role;
  for (const Section& section : all_sections())
    for (const OptionSpec& option : section.options) {
      const std::string full = join(section.name, ".", option.name);
      const bool is_option = name == full || name == option.name;
      if (!is_option && std::ranges::find(option.choices, name) == option.choices.end()) continue;
      role = is_option ? " an option: " : " a value of ";
      options.push_back(full), owners.push_back(section.name);
    }
  if (options.empty()) return "";
  if (options.size() > 3)
    return join(" '", name, "' is", role, options[0], " and ", options.size() - 1,
                " more: see lengthwise list options.");
  return join(" '", name, "' is", role, listed(options), ". See lengthwise describe ", owners[0], ".");
}

/// " It stands in what is said of none."; nothing, where no sentence has the word, or many have.
std::string mention_hint(const std::string& word) {
  std::vector<std::string> names;
  for (const Catalogue& catalogue : catalogues())
    for (const Entry& entry : catalogue.entries) {
      std::string sentence = entry.section.sentence;
      std::ranges::replace_if(
          sentence, [](unsigned char c) { return !std::isalnum(c); }, ' ');
      if (join(' ', lower_case(sentence), ' ').find(join(' ', lower_case(word), ' ')) != std::string::npos)
        names.push_back(entry.section.name);
    }
  if (names.empty() || names.size() > 3) return "";
  return join(" The word stands in what is said of ", listed(names), ".");
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
      for (const std::string& paragraph : entry.paragraphs)
        if (!paragraph.empty()) std::cout << "\n" << wrapped(paragraph) << "\n";
      if (!facts.empty()) std::cout << "\n" << aligned(facts);
      std::vector<Row> rows = {option_header()};
      for (const OptionSpec& option : entry.section.options) rows.push_back(option_row(option.name, option));
      if (rows.size() > 1) std::cout << "\nOptions in [" << name << "]\n" << aligned(rows, "  ");
      if (catalogue.kind == "encodings") std::cout << "\n" << std::flush << property_report(name);
      return done;
    }
  }
  std::string hint = did_you_mean(name, names);
  if (std::ranges::find(names, lower_case(name)) == names.end())
    for (const std::string& better : {mention_hint(name), option_hint(name)})
      if (!better.empty()) hint = better;
  if (hint.empty()) {
    std::vector<std::string> options;
    for (const Section& section : all_sections())
      for (const OptionSpec& option : section.options) options.push_back(option.name);
    hint = did_you_mean(name, options);
  }
  throw InputError(join("nothing is called '", name, "'.", hint, " lengthwise list KIND names what there is."));
}

}  // namespace lengthwise
