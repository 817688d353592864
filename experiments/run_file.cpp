#include "experiments/run_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <type_traits>

namespace lengthwise {
namespace {

// Each struct's fields are listed once, with unit and meaning; the lists serve writing and reading.

template <class Facts, class Visit>
void visit_facts(Facts& f, const Visit& visit) {
  visit("status", f.status);
  visit("status_reason", f.status_reason);
  visit("program_version", f.program_version);
  visit("git_commit", f.git_commit);
  visit("name", f.name);
  visit("config", f.config);
  visit("config_hash", f.config_hash);
  visit("command_line", f.command_line);
  visit("seed", f.seed);
  visit("shards", f.shards);
  visit("threads", f.threads);
  visit("host", f.host);
  visit("cpu", f.cpu);
  visit("onednn_version", f.onednn_version);
  visit("onednn_isa", f.onednn_isa);
  visit("precision", f.precision);
  visit("start", f.start);
  visit("end", f.end);
  visit("seconds", f.seconds);
  visit("task_hash", f.task_hash);
  visit("train_positions", f.train_positions);
  visit("original_positions", f.original_positions);
  visit("data", f.data);
  visit("parameter_count", f.parameter_count);
}

struct Label {
  const char *name, *unit, *meaning;
};

template <class Record, class Visit>
requires std::is_same_v<std::remove_const_t<Record>, TrainRecord>
void visit_columns(Record& r, const Visit& visit) {
  visit(Label{"loss", "nats", "mean loss of a scored token"}, r.loss);
  visit(Label{"token_accuracy", "1", "share of scored tokens predicted right"}, r.token_accuracy);
  visit(Label{"learning_rate", "1", "of this step"}, r.learning_rate);
  visit(Label{"gradient_norm", "1", "Euclidean norm over all parameters, before clipping"}, r.gradient_norm);
  visit(Label{"tokens", "1", "tokens read since the start"}, r.tokens);
  visit(Label{"seconds", "s", "time of work since the start"}, r.seconds);
}

template <class Record, class Visit>
requires std::is_same_v<std::remove_const_t<Record>, ValidationRecord>
void visit_columns(Record& r, const Visit& visit) {
  visit(Label{"loss", "nats", "mean loss of a scored token"}, r.loss);
  visit(Label{"token_accuracy", "1", "share of scored tokens predicted right"}, r.token_accuracy);
  visit(Label{"exact_match", "1", "share of examples with every scored token right"}, r.exact_match);
}

template <class Score, class Visit>
requires std::is_same_v<std::remove_const_t<Score>, LengthScore>
void visit_columns(Score& s, const Visit& visit) {
  visit(Label{"examples", "1", "examples evaluated"}, s.examples);
  visit(Label{"scored_tokens", "1", "tokens that count for token_accuracy and loss"}, s.scored_tokens);
  visit(Label{"exact_match", "1", "share of examples with the whole answer right, a scratch-pad and the end included"},
        s.exact_match.value);
  visit(Label{"exact_match_low", "1", "lower bound of Wilson's 95 % interval"}, s.exact_match.low);
  visit(Label{"exact_match_high", "1", "upper bound of Wilson's 95 % interval"}, s.exact_match.high);
  visit(Label{"token_accuracy", "1", "share of scored tokens predicted right"}, s.token_accuracy.value);
  visit(Label{"token_accuracy_low", "1", "lower bound, 95 % bootstrap over sequences"}, s.token_accuracy.low);
  visit(Label{"token_accuracy_high", "1", "upper bound, 95 % bootstrap over sequences"}, s.token_accuracy.high);
  visit(Label{"loss", "nats", "mean loss of a scored token"}, s.loss.value);
  visit(Label{"loss_low", "nats", "lower bound, 95 % bootstrap over sequences"}, s.loss.low);
  visit(Label{"loss_high", "nats", "upper bound, 95 % bootstrap over sequences"}, s.loss.high);
  visit(Label{"context_gain", "bits", "bits a token saved over the same tokens with the trained length of context"},
        s.context_gain.value);
  visit(Label{"context_gain_low", "bits", "lower bound, 95 % bootstrap over sequences"}, s.context_gain.low);
  visit(Label{"context_gain_high", "bits", "upper bound, 95 % bootstrap over sequences"}, s.context_gain.high);
  visit(Label{"chance", "1", "token accuracy of a uniform guess over the plausible answers"}, s.chance);
  visit(Label{"never_stopped", "1", "share of free-running answers that did not end"}, s.never_stopped);
  visit(Label{"untrained_fraction", "1",
              "share of scored tokens whose output depends on table entries training never reached"},
        s.untrained_fraction);
}

template <class Record, class Visit>
requires std::is_same_v<std::remove_const_t<Record>, ExampleScore>
void visit_columns(Record& r, const Visit& visit) {
  visit(Label{"exact", "", "every scored token right"}, r.exact);
  visit(Label{"tokens_right", "1", "scored tokens predicted right"}, r.tokens_right);
  visit(Label{"tokens_scored", "1", "scored tokens; 0 fills up lengths with fewer examples"}, r.tokens_scored);
  visit(Label{"loss", "nats", "sum over the scored tokens"}, r.loss);
}

template <class T>
using Stored = std::conditional_t<std::is_same_v<std::remove_const_t<T>, bool>, std::uint8_t, std::remove_const_t<T>>;

/// One variable a field, over the dimensions given.
template <class Record>
void put_columns(Group& group, const std::vector<std::string>& dimensions, const std::vector<Record>& records) {
  const Record model;  // its fields make the variables, also where there are no records
  visit_columns(model, [&]<class T>(const Label& label, const T&) {
    group.add_variable(label.name, dimensions, std::vector<Stored<T>>(), label.unit, label.meaning);
  });
  for (const Record& record : records)
    visit_columns(record, [&]<class T>(const Label& label, const T& value) {
      std::get<std::vector<Stored<T>>>(group.variables[label.name].values).push_back(value);
    });
}

/// The records back. A variable that the file does not have leaves its field at the default.
template <class Record>
std::vector<Record> get_columns(const Group& group, std::size_t size) {
  std::vector<Record> records(size);
  for (std::size_t i = 0; i < size; ++i)
    visit_columns(records[i], [&]<class T>(const Label& label, T& value) {
      if (!group.variables.contains(label.name)) return;
      const auto& column = group.get<Stored<T>>(label.name);
      require(column.size() == size, "'", label.name, "' has ", column.size(), " values instead of ", size);
      value = static_cast<T>(column[i]);
    });
  return records;
}

template <class Record>
Group series(const std::vector<Record>& records, const std::string& description) {
  Group group;
  group.attributes["description"] = description;
  std::vector<std::int64_t> steps;
  for (const Record& record : records) steps.push_back(record.step);
  group.add_dimension("step", steps, "1", "training step");
  put_columns(group, {"step"}, records);
  return group;
}

template <class Record>
std::vector<Record> records_of(const Group* group) {
  if (!group) return {};
  const auto& steps = group->get<std::int64_t>("step");
  std::vector<Record> records = get_columns<Record>(*group, steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) records[i].step = steps[i];
  return records;
}

template <class T>
std::vector<T> flatten(const std::vector<std::vector<T>>& rows) {
  std::vector<T> all;
  for (const std::vector<T>& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

template <class T>
std::vector<std::vector<T>> fold(const std::vector<T>& all, std::size_t rows) {
  std::vector<std::vector<T>> folded;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t columns = all.size() / rows;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * columns);
    folded.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
  }
  return folded;
}

/// The dimensions of a cell, added to the group; returns their names.
std::vector<std::string> add_axes(Group& group, const Evaluation& evaluation) {
  group.add_dimension("length", evaluation.lengths, "1", "length of the problem, as the task counts it");
  if (evaluation.axis.empty()) return {"length"};
  group.add_dimension(evaluation.axis, evaluation.axis_values, "1", "option of the task: the second axis");
  return {"length", evaluation.axis};
}

Group to_group(const Evaluation& evaluation) {
  Group group;
  group.attributes["description"] = "Scores by length at each evaluated step, under one protocol";
  group.attributes["protocol"] = evaluation.protocol;
  group.attributes["position_policy"] = evaluation.position_policy;
  for (const auto& [name, value] : evaluation.settings) group.attributes[name] = value;
  group.add_dimension("step", evaluation.steps, "1", "training step");
  std::vector<std::string> dimensions = add_axes(group, evaluation);
  group.add_variable("tokens", dimensions, evaluation.tokens, "1", "tokens the model reads at this length, at most");
  if (!evaluation.overlap.empty())
    group.add_variable("overlap", dimensions, evaluation.overlap, "1", "share of the inputs that training draws, too");
  if (!evaluation.repeated.empty())
    group.add_variable("repeated", dimensions, evaluation.repeated, "1",
                       "share of the examples drawn whose input is that of an earlier one");
  dimensions.insert(dimensions.begin(), "step");
  put_columns(group, dimensions, flatten(evaluation.scores));
  for (const std::string bound : {"", "_low", "_high"}) {
    std::vector<double> bits = group.get<double>("loss" + bound);
    for (double& value : bits) value /= std::log(2.0);
    group.add_variable("bits_per_token" + bound, dimensions, bits, "bits",
                       group.variables["loss" + bound].description + ", in bits");
  }
  std::string definitions;
  for (const auto& [name, variable] : group.variables)
    definitions += join(name, ": ", variable.description, " (", variable.unit, ")\n");
  group.attributes["metrics"] = definitions;
  return group;
}

Group examples_of(const Evaluation& evaluation) {
  Group group;
  group.attributes["description"] = "Every example of the last evaluation, for paired tests and bootstraps";
  std::size_t most = 0;
  for (const auto& row : evaluation.examples) most = std::max(most, row.size());
  std::vector<std::string> dimensions = add_axes(group, evaluation);
  dimensions.push_back("example");
  group.dimensions["example"] = {most, {}, "", "index in the evaluation stream"};
  std::vector<ExampleScore> all;
  for (std::vector<ExampleScore> row : evaluation.examples) {
    row.resize(most, {false, 0, 0, std::numeric_limits<double>::quiet_NaN()});
    all.insert(all.end(), row.begin(), row.end());
  }
  put_columns(group, dimensions, all);
  return group;
}

Evaluation evaluation_of(const std::string& name, const Group& group, const Group* examples, const Group* by_position,
                         const Group* diagnostics) {
  Evaluation evaluation;
  evaluation.name = name;
  evaluation.protocol = group.attribute<std::string>("protocol");
  evaluation.position_policy = group.attribute<std::string>("position_policy");
  for (const auto& [key, value] : group.attributes)
    if (key != "description" && key != "protocol" && key != "position_policy" && key != "metrics")
      evaluation.settings[key] = value;
  evaluation.steps = group.get<std::int64_t>("step");
  evaluation.lengths = group.get<std::int64_t>("length");
  for (const std::string& dimension : group.dimensions.names())
    if (dimension != "step" && dimension != "length") {
      evaluation.axis = dimension;
      evaluation.axis_values = group.get<std::int64_t>(dimension);
    }
  evaluation.tokens = group.get<std::int64_t>("tokens");
  evaluation.overlap.assign(evaluation.cells(), NAN);  // of files without it
  if (group.variables.contains("overlap")) evaluation.overlap = group.get<double>("overlap");
  evaluation.repeated.assign(evaluation.cells(), NAN);
  if (group.variables.contains("repeated")) evaluation.repeated = group.get<double>("repeated");
  const std::size_t steps = evaluation.steps.size(), cells = evaluation.cells();
  evaluation.scores = fold(get_columns<LengthScore>(group, steps * cells), steps);
  if (diagnostics) evaluation.diagnostics = *diagnostics;
  if (by_position) evaluation.by_position = *by_position;
  if (examples) {
    const std::size_t most = examples->dimensions.at("example").size;
    evaluation.examples = fold(get_columns<ExampleScore>(*examples, cells * most), cells);
    for (auto& row : evaluation.examples)
      while (!row.empty() && row.back().tokens_scored == 0) row.pop_back();
  }
  return evaluation;
}

std::string shape_text(const ParameterShape& p) { return join(p.rows, " x ", p.columns); }

const std::array known_groups{"train", "validation", "evaluation", "examples", "by_position", "diagnostics", "model"};

}  // namespace

const Evaluation* RunFile::evaluation(const std::string& name) const {
  const auto found = std::ranges::find(evaluations, name, &Evaluation::name);
  return found != evaluations.end() ? &*found : nullptr;
}

LengthScore summarize(std::span<const ExampleScore> examples, Rng rng) {
  LengthScore score;
  std::size_t exact = 0;
  std::vector<double> right, loss, tokens;
  for (const ExampleScore& example : examples) {
    exact += example.exact;
    right.push_back(static_cast<double>(example.tokens_right));
    loss.push_back(example.loss);
    tokens.push_back(static_cast<double>(example.tokens_scored));
    score.scored_tokens += example.tokens_scored;
  }
  score.examples = static_cast<std::int64_t>(examples.size());
  score.exact_match = wilson(exact, examples.size());
  score.token_accuracy = token_bootstrap(right, tokens, rng);  // the same draws for both
  score.loss = token_bootstrap(loss, tokens, rng);
  return score;
}

Group to_dataset(const RunFile& run) {
  Group root;
  root.attributes["schema_version"] = schema_version;
  visit_facts(run.facts, [&](const char* name, const auto& value) { root.attributes[name] = value; });
  root.groups["train"] = series(run.train, "Training, one row a record");
  Group::Variable& loss = root.group("train").variables["loss"];
  loss.description = run.train_loss, loss.unit = run.train_loss_unit;
  root.groups["validation"] =
      series(run.validation, "The training lengths on a stream of their own; all that may select a checkpoint");
  root.group("evaluation").attributes["description"] =
      "One group a protocol; figures of different protocols do not compare";
  root.group("examples").attributes["description"] = "One group a protocol";
  for (const Evaluation& evaluation : run.evaluations) {
    root.group("evaluation").groups[evaluation.name] = to_group(evaluation);
    if (!evaluation.examples.empty()) root.group("examples").groups[evaluation.name] = examples_of(evaluation);
    if (!evaluation.diagnostics.variables.empty())
      root.group("diagnostics").groups[evaluation.name] = evaluation.diagnostics;
    if (!evaluation.by_position.variables.empty())
      root.group("by_position").groups[evaluation.name] = evaluation.by_position;
  }
  root.groups["model"] = to_group(run.model);
  root.group("model").attributes["description"] = "Parameters and the encodings' state, by name";
  for (const auto& [name, group] : run.others) root.groups[name] = group;
  return root;
}

RunFile from_dataset(const Group& root) {
  const Attribute* version = root.attributes.find("schema_version");
  require(version && std::holds_alternative<std::int64_t>(*version) && root.attributes.contains("status"),
          "not a run file: the attributes schema_version and status are missing");
  require(std::get<std::int64_t>(*version) <= schema_version, "written by a newer program: its schema_version is ",
          std::get<std::int64_t>(*version), ", this program knows ", schema_version);
  RunFile run;
  visit_facts(run.facts, [&]<class T>(const char* name, T& value) { value = root.attribute<T>(name, value); });
  run.train = records_of<TrainRecord>(root.find("train"));
  if (const Group* train = root.find("train"))
    if (const Group::Variable* loss = train->variables.find("loss"))
      run.train_loss = loss->description, run.train_loss_unit = loss->unit;
  run.validation = records_of<ValidationRecord>(root.find("validation"));
  if (const Group* evaluations = root.find("evaluation"))
    for (const auto& [name, group] : evaluations->groups)
      run.evaluations.push_back(evaluation_of(name, group, root.find("examples/" + name),
                                              root.find("by_position/" + name), root.find("diagnostics/" + name)));
  if (const Group* model = root.find("model")) run.model = parameters_of(*model);
  for (const auto& [name, group] : root.groups)
    if (std::ranges::find(known_groups, name) == known_groups.end()) run.others[name] = group;
  return run;
}

void write_run(const std::string& path, const RunFile& run) { write_dataset(path, to_dataset(run)); }

RunFile read_run(const std::string& path, Parts parts) {
  std::optional<std::vector<std::string>> only;
  if (parts == Parts::scores) only = {"train", "validation", "evaluation", "diagnostics"};
  if (parts == Parts::facts) only = std::vector<std::string>();
  const Group root = read_dataset(path, only);
  try {
    return from_dataset(root);
  } catch (const InputError& error) {
    throw InputError(join("cannot read '", path, "' as a run file: ", error.what()));
  }
}

Group to_group(const std::vector<StoredParameter>& parameters) {
  Group group;
  for (const StoredParameter& p : parameters) {
    // A dimension twice in one variable is legal HDF5, but xarray warns of it.
    const std::string rows = join("size_", p.rows), columns = join("size_", p.columns, p.rows == p.columns ? "_b" : "");
    group.dimensions[rows].size = p.rows;
    group.dimensions[columns].size = p.columns;
    group.add_variable(p.name, {rows, columns}, p.values);
  }
  return group;
}

std::vector<StoredParameter> parameters_of(const Group& group) {
  std::vector<StoredParameter> parameters;
  for (const auto& [name, variable] : group.variables) {
    require(variable.dimensions.size() == 2, "parameter '", name, "' has ", variable.dimensions.size(),
            " dimensions instead of 2");
    parameters.push_back(
        {{name, group.dimensions.at(variable.dimensions[0]).size, group.dimensions.at(variable.dimensions[1]).size},
         variable.values});
  }
  return parameters;
}

void check_parameters(const std::vector<ParameterShape>& expected, const std::vector<StoredParameter>& found,
                      const std::string& path) {
  std::vector<std::string> faults;
  for (const ParameterShape& want : expected) {
    const auto have = std::ranges::find(found, want.name, &StoredParameter::name);
    if (have == found.end())
      faults.push_back(join("'", want.name, "' (", shape_text(want), ") is missing"));
    else if (have->rows != want.rows || have->columns != want.columns)
      faults.push_back(join("'", want.name, "' is ", shape_text(*have), ", the model's is ", shape_text(want)));
  }
  for (const StoredParameter& have : found)
    if (std::ranges::find(expected, have.name, &ParameterShape::name) == expected.end())
      faults.push_back(join("'", have.name, "' (", shape_text(have), ") is not in the model"));
  if (faults.empty()) return;
  std::string text;
  const std::size_t shown = std::min<std::size_t>(faults.size(), 4);
  for (std::size_t i = 0; i < shown; ++i) text += (i ? "; " : "") + faults[i];
  if (shown < faults.size()) text += join("; and ", faults.size() - shown, " more");
  throw InputError(join("the parameters in '", path, "' do not fit this model: ", text,
                        ". The model and encoding options must be those of the run that wrote the file."));
}

std::map<std::string, std::string> config_values(const std::string& config) {
  const auto trimmed = [](std::string text) {
    text.erase(0, text.find_first_not_of(" \t\r"));
    text.erase(text.find_last_not_of(" \t\r") + 1);
    return text;
  };
  std::map<std::string, std::string> values;
  std::istringstream lines(config);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line.substr(0, line.find('#')));
    const std::size_t equals = line.find('=');
    if (line.starts_with('[') && line.ends_with(']'))
      section = line.substr(1, line.size() - 2) + '.';
    else if (equals != std::string::npos)
      values[section + trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
  }
  return values;
}

}  // namespace lengthwise
