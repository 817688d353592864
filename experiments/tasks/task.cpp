#include "experiments/tasks/task.h"

#include <cassert>
#include <map>
#include <set>
#include <sstream>

#include "core/fnv1a.h"
#include "experiments/tasks/index_hints.h"

namespace lengthwise {
namespace {

// What every definition shares: layouts, shares of the streams, keys of the draws. A change needs a new number.
constexpr const char* shared_rules = "rules 2";

std::string_view name_of(Stream stream) {
  switch (stream) {
    case Stream::train:
      return "train";
    case Stream::validation:
      return "validation";
    case Stream::evaluation:
      return "evaluation";
  }
  return {};
}

struct Registry {
  std::map<std::string, TaskInfo> infos;
  std::map<std::string, TaskFactory> factories;
};

// A function's static: tasks register before main(), in whatever order their files are initialised.
Registry& registry() {
  static Registry all;
  return all;
}

const TaskInfo& info_of(const std::string& name) {
  const auto& infos = tasks();
  const auto found = infos.find(name);
  if (found != infos.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, info] : infos) names.push_back(known);
  throw InputError(
      join("task.name: there is no task '", name, "'.", did_you_mean(name, names), " Tasks: ", listed(names), "."));
}

}  // namespace

Draw make_draw(std::uint64_t seed, Stream stream, const std::string& task, std::size_t n, std::size_t index) {
  return {
      .stream = stream, .index = index, .rng = Rng(seed).at("examples").at(name_of(stream)).at(task).at(n).at(index)};
}

PromptTask::Sample PromptTask::pick(std::size_t n, const Draw& draw) const {
  check_length(n);
  return pick_share(
      space(n), draw, [&](Rng rng) { return sample(n, rng); }, &Sample::prompt);
}

std::size_t PromptTask::max_tokens(std::size_t n) const {
  if (layout() == Layout::dense) return prompt_tokens(n);
  return prompt_tokens(n) + target_tokens(n) + (layout() == Layout::causal ? 2 : 0);
}

std::vector<int> Task::read_prompt(const std::string&) const {
  throw InputError(join("task ", name(), " takes no prompts; leave --prompt out to go on from an example."));
}

std::vector<int> PromptTask::read_prompt(const std::string& prompt) const {
  require(!hides_prompt(), "task ", name(),
          " hides its prompts from its answers, for which --prompt does not provide; leave it out to go on from an "
          "example.");
  std::map<std::string, int> known;
  for (int token = first_symbol; token < vocabulary(); ++token) known.emplace(word(token), token);
  std::vector<int> tokens{BOS};
  std::istringstream words(prompt);
  for (std::string text; words >> text;) {
    const auto found = known.find(text);
    std::vector<std::string> names;
    for (const auto& [name, token] : known) names.push_back(name);
    require(found != known.end(), "--prompt: '", text, "' is no symbol of task ", name(), ".",
            did_you_mean(text, names),
            " Write the symbols of the prompt alone, with blanks between them, as `lengthwise sample` prints them "
            "between BOS and SEP.");
    tokens.push_back(found->second);
  }
  require(tokens.size() > 1, "--prompt is empty; write symbols of task ", name(), " with blanks between them.");
  tokens.push_back(SEP);
  return tokens;
}

void SymbolTask::check_length(std::size_t n) const { require(n >= 1, name(), ": the length is 0; it starts at 1."); }

Example PromptTask::example(std::size_t n, const Draw& draw) const {
  const Sample drawn = pick(n, draw);
  const auto& [prompt, target, ids] = drawn;
  const bool causal = layout() == Layout::causal, dense = layout() == Layout::dense;
  assert(!dense || target.size() == prompt.size());

  Example example;
  std::vector<int>& tokens = example.tokens;
  tokens.reserve(prompt.size() + target.size() + 2);
  if (causal) tokens.push_back(BOS);
  tokens.insert(tokens.end(), prompt.begin(), prompt.end());
  if (causal) tokens.push_back(SEP);
  // A causal row is scored for the token after it, an encoder's slot and a dense row for their own.
  const std::size_t first_scored = causal ? tokens.size() - 1 : dense ? 0 : tokens.size();
  if (causal)
    tokens.insert(tokens.end(), target.begin(), target.end());
  else if (!dense)
    tokens.insert(tokens.end(), target_tokens(n), ANS);

  if (hides_prompt()) {
    const std::size_t last = prompt.size() - 1 + causal;
    example.first_seen.assign(tokens.size(), last);
    std::fill_n(example.first_seen.begin(), last + 1, 0);
  }

  example.targets = target;
  example.pad = pad_tokens(target);
  example.answer = target.size() - example.pad;
  if (causal) example.targets.push_back(EOS);
  example.scored.resize(example.targets.size());
  std::iota(example.scored.begin(), example.scored.end(), first_scored);

  for (const auto& [channel, values] : ids) {
    const bool has_separator = values.size() == prompt.size() + 1 + target.size();
    assert(has_separator || values.size() == prompt.size() + target.size());
    std::vector<double> rows = values;
    const auto separator = rows.begin() + static_cast<std::ptrdiff_t>(prompt.size());
    if (has_separator && !causal) rows.erase(separator);
    if (causal) {
      const double none = channel == "row" || channel == "column" ? -1 : 0;  // what these channels give BOS and SEP
      if (!has_separator) rows.insert(separator, none);
      rows.insert(rows.begin(), none);
    }
    rows.resize(tokens.size());  // an encoder's slots beyond the answer; a dense row is its own answer's
    example.ids[channel] = std::move(rows);
  }
  return example;
}

DenseTask::Sample DenseTask::pick(std::size_t n, const Draw& draw) const {
  check_length(n);
  return pick_share(
      space(n), draw, [&](Rng rng) { return sample(n, rng); }, &Sample::string);
}

Example DenseTask::example(std::size_t n, const Draw& draw) const {
  auto [string, labels] = pick(n, draw);
  assert(labels.sets.empty() || vocabulary() <= 64);
  Example example{.tokens = std::move(string),
                  .scored = std::move(labels.at),
                  .targets = std::move(labels.tokens),
                  .target_sets = std::move(labels.sets)};
  if (layout() == Layout::causal) {
    example.tokens.insert(example.tokens.begin(), BOS);
    for (std::size_t& row : example.scored) ++row;
  }
  example.answer = example.scored.size();
  return example;
}

std::string SymbolTask::word(int token) const {
  static const char* const reserved[] = {"PAD", "BOS", "SEP", "EOS", "ANS"};
  assert(token >= 0 && token < vocabulary());
  return token < first_symbol ? reserved[token] : symbol(token - first_symbol);
}

bool has_shares(std::optional<double> space) { return space && *space >= 16 && *space <= 0x1p32; }

Stream owner(const std::vector<int>& input) {
  Fnv1a hash;
  for (const int token : input) hash.add(static_cast<std::uint64_t>(token));
  switch (Rng().bits(hash.value()) % 8) {  // a draw mixes the low bits
    case 0:
    case 1:
      return Stream::evaluation;
    case 2:
      return Stream::validation;
    default:
      return Stream::train;
  }
}

double overlap(const Task& evaluated, const Task& trained_task, std::size_t n, std::uint64_t seed, std::size_t count) {
  const auto input = [&](Stream stream, std::size_t index) {
    const Task& task = stream == Stream::train ? trained_task : evaluated;
    Draw draw = make_draw(seed, stream, task.name(), n, index);
    draw.count = count;
    draw.longest = n;
    Example example = task.example(n, draw);
    return std::pair{std::move(example.tokens), std::move(example.features)};
  };
  std::set<std::pair<std::vector<int>, std::vector<float>>> trained;
  for (std::size_t i = 0; i < count; ++i) trained.insert(input(Stream::train, i));
  std::size_t shared = 0;
  for (std::size_t i = 0; i < count; ++i) shared += trained.count(input(Stream::evaluation, i));
  return count == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(count);
}

void register_task(TaskInfo info, TaskFactory make) {
  const std::string name = info.section.name;
  if (!registry().factories.emplace(name, std::move(make)).second)
    throw std::logic_error(join("two tasks register the name '", name, "'; rename one of them"));
  if (info.hintable) {
    info.section.options.push_back(hints_option());
    info.later.insert("hints");
  }
  registry().infos.emplace(name, std::move(info));
}

const std::map<std::string, TaskInfo>& tasks() { return registry().infos; }

std::unique_ptr<Task> make_task(const std::string& name, const Options& options, Layout layout) {
  const TaskInfo& info = info_of(name);
  auto task = registry().factories.at(name)(options, layout);
  task->name_ = name;
  if (info.hintable && options.integer("hints") > 0) {
    task = with_index_hints(std::move(task), static_cast<int>(options.integer("hints")), layout);
    task->name_ = name;
  }
  return task;
}

std::uint64_t definition_hash(const TaskInfo& info, const Options& options) {
  std::string all = join(shared_rules, '\n', info.section.name, '\n', info.definition, '\n');
  const TaskInfo::Values defaults = Options(info.section).values();
  for (const auto& [option, value] : info.identity(options)) {
    if (info.later.count(option) && value == defaults.at(option)) continue;
    all += join(option, '=', value, '\n');
  }
  return Rng().at(all).bits(0);
}

std::uint64_t definition_hash(const std::string& name, const Options& options) {
  return definition_hash(info_of(name), options);
}

}  // namespace lengthwise
