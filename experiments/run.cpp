#include "experiments/run.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "core/parallel.h"
#include "experiments/clock.h"
#include "experiments/command_line.h"
#include "experiments/output_lock.h"
#include "experiments/replace_file.h"
#include "experiments/settings.h"
#include "experiments/version.h"

namespace lengthwise {
namespace {

namespace fs = std::filesystem;

// From here on SIGTERM, SIGINT and SIGUSR1 (Slurm's early warning) wait until somebody asks for them, to the end of the
// process: a second one must not kill a run that is being saved or has just been. They are blocked, not handled: the
// kernel would write a handler's frame where the stack pointer is, and oneDNN's generated code keeps that in its
// workspace. Threads started later inherit the mask.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  /// The signal that arrived, or 0.
  int arrived() {
    const timespec at_once{};
    if (const int signal = sigtimedwait(&signals_, nullptr, &at_once); signal > 0) arrived_ = signal;
    return arrived_;
  }

 private:
  sigset_t signals_;
  int arrived_ = 0;
};

template <class T>
StoredParameter stored(const std::string& name, Matrix<const T> values) {
  StoredParameter parameter;
  parameter.name = name, parameter.rows = values.rows, parameter.columns = values.cols;
  std::vector<T> all;
  for (std::size_t i = 0; i < values.rows; ++i) all.insert(all.end(), values.row(i), values.row(i) + values.cols);
  parameter.values = std::move(all);
  return parameter;
}

template <class T>
void take(const StoredParameter& parameter, Matrix<T> to) {
  const std::vector<double> all = as_doubles(parameter.values);
  for (std::size_t e = 0; e < all.size(); ++e) to.row(e / to.cols)[e % to.cols] = static_cast<T>(all[e]);
}

// Rows of the optimizer's moments, cut by parameter.
template <class T>
std::vector<StoredParameter> stored_moments(const ParameterStore<T>& store, Matrix<const T> flat) {
  std::vector<StoredParameter> all;
  for (const auto& info : store.list()) all.push_back(stored<T>(info.name, info.in(flat.data)));
  return all;
}

template <class T>
std::vector<ParameterShape> shapes(const ParameterStore<T>& store) {
  std::vector<ParameterShape> all;
  for (const auto& info : store.list()) all.push_back({info.name, info.rows, info.cols});
  return all;
}

// Bits a token that each length's context saves over the trained length's, on the same last tokens of windows.
void add_context_gains(const Experiment& experiment, std::span<const std::vector<ExampleScore>> examples,
                       std::vector<LengthScore>& row) {
  const std::vector<std::size_t>& lengths = experiment.evaluation_lengths;
  const auto trained = std::ranges::find(lengths, experiment.train.lengths.back());
  if (experiment.evaluation.last == 0 || trained == lengths.end()) return;
  const auto& base = examples[static_cast<std::size_t>(trained - lengths.begin())];
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    std::vector<double> saved, tokens;
    for (std::size_t e = 0; e < std::min(base.size(), examples[l].size()); ++e) {
      saved.push_back((base[e].loss - examples[l][e].loss) / std::log(2.0));
      tokens.push_back(static_cast<double>(base[e].tokens_scored));
    }
    row[l].context_gain = token_bootstrap(saved, tokens, Rng(experiment.train.seed).at("context gain").at(lengths[l]));
  }
}

Group position_group(const std::vector<std::int64_t>& lengths, const std::vector<std::vector<PositionScore>>& scores) {
  std::size_t buckets = 0;
  for (const auto& of_length : scores) buckets = std::max(buckets, of_length.size());
  Group group;
  if (buckets == 0) return group;
  std::vector<std::int64_t> first, tokens;
  std::vector<double> loss;
  for (std::size_t b = 0; b < buckets; ++b) first.push_back(b == 0 ? 0 : std::int64_t{1} << (b - 1));
  for (const auto& of_length : scores)
    for (std::size_t b = 0; b < buckets; ++b) {
      const PositionScore score = b < of_length.size() ? of_length[b] : PositionScore{};
      tokens.push_back(score.tokens);
      loss.push_back(score.loss / static_cast<double>(score.tokens));  // NaN where there are none
    }
  group.attributes["description"] = "Loss by a token's position inside its window, at the last evaluation";
  group.add_dimension("length", lengths, "1", "length of the problem, as the task counts it");
  group.add_dimension("bucket", first, "1", "first position of the bucket; it ends where the next begins");
  group.add_variable("loss", {"length", "bucket"}, loss, "nats", "mean loss of a scored token");
  group.add_variable("tokens", {"length", "bucket"}, tokens, "1", "scored tokens");
  return group;
}

// Behind a table's name: what training reached of it.
constexpr std::string_view reached_suffix = ".reached";

// Fills the store from a run file; returns what its training reached. Throws InputError when its parameters, or the
// marks of what was reached, are not those of the store.
template <class T>
Coverage take_model(const RunFile& run, const std::string& path, ParameterStore<T>& store) {
  const auto is_mark = [](const StoredParameter& p) { return p.name.ends_with(reached_suffix); };
  std::vector<StoredParameter> parameters;
  std::ranges::remove_copy_if(run.model, std::back_inserter(parameters), is_mark);
  check_parameters(shapes(store), parameters, path);
  for (const auto& parameter : parameters) take(parameter, store.values(*store.find(parameter.name)));
  Coverage reached = nothing_reached(store);
  for (const auto& mark : run.model) {
    if (!is_mark(mark)) continue;
    const auto table = reached.find(mark.name.substr(0, mark.name.size() - reached_suffix.size()));
    const std::vector<double> entries = as_doubles(mark.values);
    require(table != reached.end() && table->second.size() == entries.size(), path, ": ", mark.name,
            " does not belong to a table of this model.");
    std::ranges::transform(entries, table->second.begin(), [](double entry) { return entry != 0; });
  }
  return reached;
}

template <class T>
class Run {
 public:
  Run(const Experiment& experiment, const std::string& command_line)
      : experiment_(experiment),
        store_(experiment.train.seed),
        model_(experiment.model, store_),
        trainer_(experiment.train, *experiment.task, *experiment.scheme, store_, model_) {
    file_.facts = facts_of(experiment, command_line);
    file_.facts.parameter_count = static_cast<std::int64_t>(store_.count());
    if (experiment.train.every_token) file_.train_loss = "mean loss of a token, those of the prompt included";
    if (experiment.train.squared_sets) {
      file_.train_loss = "mean squared error of a scored position's symbols, each 0 or 1";
      file_.train_loss_unit = "1";
    }
    file_.evaluations.push_back(empty_evaluation(experiment));
    warn_of_evaluated(experiment, file_.evaluations[0]);
    if (const std::size_t warmup = experiment.config["train"].count("warmup");
        0 < experiment.steps && experiment.steps < warmup)
      std::cerr << "lengthwise: train.warmup = " << warmup << " outlasts train.steps = " << experiment.steps
                << ": the learning rate never reaches its peak.\n";
  }

  int work() {
    if (!resume()) {
      start_from(experiment_.config["train"].text("init_from"));
      rehearse();
    }
    began_ = monotonic_seconds();
    last_saved_ = began_;
    const Options& run = experiment_.config["run"];
    const std::size_t evaluate_every = experiment_.config["evaluate"].count("every");
    const std::size_t validate_every = experiment_.config["train"].count("validate_every");
    const std::size_t log_every = experiment_.config["train"].count("log_every");
    Progress progress(experiment_.name, experiment_.steps, trainer_.steps());
    try {
      while (trainer_.steps() < experiment_.steps) {
        const StepRecord record = trainer_.step();
        const std::size_t step = trainer_.steps();
        tokens_ += static_cast<std::int64_t>(record.tokens);
        if (step % log_every == 0 || step == experiment_.steps)
          file_.train.push_back({static_cast<std::int64_t>(step), record.loss, record.token_accuracy,
                                 record.learning_rate, record.gradient_norm, tokens_, seconds()});
        progress.step(step, record.loss, record.token_accuracy);
        if (validate_every && step % validate_every == 0) validate(step);
        const bool evaluate_now = evaluate_every && step % evaluate_every == 0 && step < experiment_.steps;
        if (evaluate_now) {
          save();  // whatever the evaluation meets
          evaluate(progress, step);
        }
        if (step < experiment_.steps && signals_.arrived()) return interrupt(progress);
        if (evaluate_now || monotonic_seconds() - last_saved_ >= run.real("checkpoint_seconds")) save();
      }
      if (trainer_.steps() > 0) save();  // evaluation may take longer than training
      if (!evaluate(progress, experiment_.steps)) return interrupt(progress);
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    }
    progress.finish();
    file_.facts.status = "complete";
    file_.facts.status_reason.clear();
    write(experiment_.path(), false);
    if (!run.flag("keep_checkpoint")) fs::remove(experiment_.checkpoint_path());
    return done;
  }

 private:
  double seconds() const { return earlier_seconds_ + (monotonic_seconds() - began_); }

  std::vector<StoredParameter> stored_parameters() {
    std::vector<StoredParameter> all;
    for (const auto& info : store_.list()) all.push_back(stored<T>(info.name, store_.values(info)));
    return all;
  }

  // One example of the longest length through the model: what an encoding refuses, it refuses before the training.
  void rehearse() const {
    const TaskAxis& axis = experiment_.evaluation_axis;
    for (std::size_t value = 0; value < axis.tasks.size(); ++value) {
      const Cell* longest = nullptr;
      for (const Cell& cell : experiment_.evaluation_cells)
        if (cell.value == value && !cell.undefined) longest = &cell;
      if (!longest) continue;
      EvaluationSettings settings = experiment_.evaluation;
      settings.task_name = axis.draw_name(value);
      settings.examples = 1, settings.longest = longest->length, settings.last = settings.stride = 0;
      settings.diagnostics = settings.free_running = settings.drop_repeats = false;
      try {
        evaluate_length(model_, *axis.tasks[value], *experiment_.scheme, longest->length, settings);
      } catch (const InputError& error) {
        throw InputError(
            join(experiment_.config.where("evaluate", "lengths"), ": length ", longest->length, ": ", error.what()));
      }
    }
  }

  // False when a signal cut the last evaluation short; one on the way is finished.
  bool evaluate(Progress& progress, std::size_t step) {
    const auto beside = disturbed(experiment_.model, store_, trainer_.reached());
    return evaluate_into(file_.evaluations[0], experiment_, model_, beside.get(), step, &progress,
                         [&] { return step == experiment_.steps && signals_.arrived() != 0; });
  }

  void validate(std::size_t step) {
    // The training lengths in equal shares, from the validation stream.
    EvaluationSettings settings = experiment_.evaluation;
    settings.stream = Stream::validation;
    settings.free_running = settings.drop_repeats = false;
    settings.last = settings.stride = 0;
    settings.diagnostics = false;
    const auto& lengths = experiment_.train.lengths;
    const std::size_t wanted = experiment_.config["train"].count("validate_examples");
    std::vector<ExampleScore> all;
    for (std::size_t i = 0; i < lengths.size() && all.size() < wanted; ++i) {
      const std::size_t from_end =
          lengths.size() - 1 - i;  // the longest first, when there are fewer examples than lengths
      settings.examples = (wanted + i) / lengths.size();
      if (settings.examples == 0) continue;
      settings.longest = lengths[from_end];
      const auto scores =
          evaluate_length(model_, *experiment_.task, *experiment_.scheme, lengths[from_end], settings).examples;
      all.insert(all.end(), scores.begin(), scores.end());
    }
    const LengthScore score = summarize(all, Rng(experiment_.train.seed).at("validation bootstrap"));
    file_.validation.push_back(
        {static_cast<std::int64_t>(step), score.loss.value, score.token_accuracy.value, score.exact_match.value});
  }

  // The run file; with the optimizer's state, the checkpoint.
  void write(const std::string& path, bool with_state) {
    file_.facts.end = utc_time();
    file_.facts.seconds = seconds();
    file_.model = stored_parameters();
    for (const auto& [name, entries] : trainer_.reached()) {
      StoredParameter coverage;
      const ParameterInfo& table = *store_.find(name);
      coverage.name = join(name, reached_suffix), coverage.rows = table.rows, coverage.columns = table.cols;
      coverage.values = entries;
      file_.model.push_back(std::move(coverage));
    }
    file_.others = {};
    if (with_state) {
      file_.others["first_moment"] = to_group(stored_moments<T>(store_, trainer_.optimizer().first_moment()));
      file_.others["second_moment"] = to_group(stored_moments<T>(store_, trainer_.optimizer().second_moment()));
      Group& state = file_.others["state"];
      state.attributes["steps"] = static_cast<std::uint64_t>(trainer_.steps());
      state.attributes["tokens"] = tokens_;
      state.attributes["config_hash"] = experiment_.config_hash();
    }
    write_run(path, file_);
  }

  void save() {
    write(experiment_.checkpoint_path(), true);
    write(experiment_.path(), false);
    last_saved_ = monotonic_seconds();
  }

  int interrupt(Progress& progress) {
    progress.finish();
    file_.facts.status = "interrupted";
    file_.facts.status_reason = join("signal ", signals_.arrived(), " after step ", trainer_.steps());
    save();
    std::cerr << "lengthwise: stopped by a signal after step " << trainer_.steps() << " of " << experiment_.steps
              << "; the same command goes on from here.\n";
    return interrupted;
  }

  void fail(const std::string& reason) {
    file_.facts.status = "failed";
    file_.facts.status_reason = reason;
    try {
      write(experiment_.path(), false);
    } catch (const std::exception& error) {
      std::cerr << "lengthwise: and the run file could not be written: " << error.what() << "\n";
    }
  }

  // The parameters of another run; everything else starts anew.
  void start_from(const std::string& path) {
    if (path.empty()) return;
    const RunFile origin = read_run(path);
    const std::string& hash = experiment_.config["train"].text("init_hash");
    require(origin.facts.config_hash == hash, "train.init_from: ", path, " is a run of another config (",
            origin.facts.config_hash, ") than train.init_hash says (", hash,
            "). Name the right file, or leave init_hash empty.");
    trainer_.restore(0, take_model(origin, path, store_));
    // Parameters fit whatever reads them, so that what differs is no error; but it should not go unseen.
    const Config before = stored_config(all_sections(), origin.facts.config, path, {});
    std::string changed;
    for (const std::string& section : experiment_.sections) {
      if (section == "run" || section == "train" || section == "evaluate") continue;
      for (const auto& [key, value] : experiment_.config[section].values())
        if (const std::string& old = before[section].values().at(key); old != value)
          changed += join(changed.empty() ? "" : ", ", section, ".", key, " (", old, " -> ", value, ")");
    }
    if (!changed.empty())
      std::cerr << "lengthwise: goes on from " << path << " with other settings: " << changed << "\n";
  }

  // False when there is no checkpoint.
  bool resume() {
    const std::string path = experiment_.checkpoint_path();
    if (!fs::exists(path)) return false;
    RunFile saved = read_run(path);
    const Group* state = saved.others.find("state");
    require(state, path, " is no checkpoint; remove it, or set run.if_exists = overwrite.");
    const std::string hash = experiment_.config_hash();
    require(
        state->attribute<std::string>("config_hash") == hash, path,
        " is the checkpoint of a run with another config. Choose another run.name, or set run.if_exists = overwrite.");
    Coverage reached = take_model(saved, path, store_);
    const auto restore_moments = [&](const char* name, Matrix<T> flat) {
      const Group* group = saved.others.find(name);
      require(group, path, " has no group ", name, "; remove the file, or set run.if_exists = overwrite.");
      const auto moments = parameters_of(*group);
      check_parameters(shapes(store_), moments, path);
      for (const auto& moment : moments) {
        const ParameterInfo& info = *store_.find(moment.name);
        take(moment, info.in(flat.data));
      }
    };
    restore_moments("first_moment", trainer_.optimizer().first_moment());
    restore_moments("second_moment", trainer_.optimizer().second_moment());
    trainer_.restore(state->attribute<std::uint64_t>("steps"), std::move(reached));
    tokens_ = state->attribute<std::int64_t>("tokens");
    earlier_seconds_ = saved.facts.seconds;
    file_.train = std::move(saved.train);
    file_.validation = std::move(saved.validation);
    file_.evaluations = std::move(saved.evaluations);
    file_.facts.start = saved.facts.start;
    std::cerr << "lengthwise: going on from step " << trainer_.steps() << " of " << path << "\n";
    return true;
  }

  StopSignals signals_;  // first: threads that start later inherit its mask
  const Experiment& experiment_;
  ParameterStore<T> store_;
  Transformer<T> model_;
  Trainer<T> trainer_;
  RunFile file_;
  std::int64_t tokens_ = 0;
  double began_ = 0, earlier_seconds_ = 0, last_saved_ = 0;
};

}  // namespace

RunFacts facts_of(const Experiment& experiment, const std::string& command_line) {
  RunFacts facts;
  facts.program_version = LENGTHWISE_VERSION;
  facts.git_commit = git_commit();
  facts.name = experiment.name;
  facts.config = experiment.config_text();
  facts.config_hash = experiment.config_hash();
  facts.command_line = command_line;
  facts.seed = experiment.train.seed;
  facts.shards = static_cast<std::int64_t>(experiment.train.shards);
  facts.threads = static_cast<std::int64_t>(experiment.threads);
  facts.host = host_name();
  facts.cpu = cpu_name();
  facts.onednn_version = onednn_version();
  facts.onednn_isa = instruction_set();
  facts.precision = experiment.double_precision ? "double" : "float";
  facts.start = utc_time();
  const std::string& task = experiment.train.task_name;
  facts.task_hash = hexadecimal(definition_hash(task, experiment.config[task]));
  facts.data = experiment.task->data();
  facts.train_positions = static_cast<std::int64_t>(experiment.model.shape.train_positions);
  facts.original_positions = static_cast<std::int64_t>(experiment.model.shape.original_length());
  return facts;
}

// Whether training draws this value of an option of its task.
static bool trained_on(const Experiment& experiment, const std::string& option, std::int64_t value) {
  const TaskAxis& trained = experiment.train_axis;
  return trained.option == option ? std::ranges::binary_search(trained.values, value)
                                  : experiment.config[experiment.train.task_name].integer(option) == value;
}

// The share of a cell's inputs that training draws, too: of up to 1,000 against as many of training. 0 at lengths that
// training has not, and of texts, whose parts are apart.
static double overlap_of(const Experiment& experiment, const Cell& cell) {
  const TaskAxis& axis = experiment.evaluation_axis;
  const Task& task = *axis.tasks[cell.value];
  if (cell.undefined || task.windows() || !std::ranges::binary_search(experiment.train.lengths, cell.length)) return 0;
  // Another value's examples may be among training's all the same, where training leaves the option to the task.
  const bool same = axis.option.empty() || trained_on(experiment, axis.option, axis.values[cell.value]);
  const auto trained = mixed(experiment.train_axis);
  return overlap(task, same ? task : *trained, cell.length, experiment.train.seed,
                 std::min<std::size_t>(experiment.evaluation.examples, 1000));
}

// The share of a cell's examples whose input came before. 0 of texts, whose windows follow each other, and where there
// are so many inputs that fewer than one in 10,000 examples is to be expected.
static double repeated_of(const Experiment& experiment, const Cell& cell) {
  const Task& task = *experiment.evaluation_axis.tasks[cell.value];
  EvaluationSettings settings = experiment.evaluation;
  const auto examples = static_cast<double>(settings.examples);
  if (cell.undefined || task.windows() || task.space(cell.length).value_or(0) > 5000 * examples) return 0;
  settings.task_name = experiment.evaluation_axis.draw_name(cell.value);
  return 1 - static_cast<double>(distinct_examples(task, cell.length, settings).size()) / examples;
}

Evaluation empty_evaluation(const Experiment& experiment) {
  Evaluation evaluation;
  evaluation.name = experiment.protocol();
  const std::size_t last = experiment.evaluation.last, stride = experiment.evaluation.stride;
  const std::string& windows = experiment.config["evaluate"].text("windows");
  evaluation.protocol =
      stride ? join("windows of n tokens, ", windows,
                    "; the first is scored whole, the others where they are new, so that ",
                    "every length scores the same tokens")
      : experiment.task->windows() && !last
          ? std::string(
                "one pass over each window of n tokens, spread over the text; every token is scored, other ones at "
                "every length")
      : last ? join("one pass over each window of n tokens; its last ", last,
                    " tokens are scored, the same ones at every length")
      : experiment.evaluation.free_running
          ? std::string(
                "free-running: the model reads the prompt and what it wrote itself; as many tokens are scored "
                "as the right answer has")
          : std::string(
                "teacher-forced: one pass over prompt and answer; every answer token is scored, and for an exact match "
                "a scratch-pad and the end, too");
  if (stride) evaluation.settings["windows"] = windows;
  if (windows == "sliding") evaluation.settings["stride"] = static_cast<std::int64_t>(stride);
  evaluation.position_policy = join("scheme ", experiment.config["positions"].text("scheme"), " in evaluation phase");
  evaluation.settings["scored_last"] = static_cast<std::int64_t>(last);
  for (const std::size_t n : experiment.evaluation_lengths) evaluation.lengths.push_back(static_cast<std::int64_t>(n));
  evaluation.axis = experiment.evaluation_axis.option;
  evaluation.axis_values = experiment.evaluation_axis.values;
  evaluation.tokens.assign(evaluation.cells(), 0);
  if (experiment.evaluation.drop_repeats) {
    evaluation.protocol += "; of examples with the same input, the first alone";
    evaluation.settings["repeats"] = "drop";
  }
  for (const Cell& cell : experiment.evaluation_cells) {
    evaluation.overlap.push_back(overlap_of(experiment, cell));
    evaluation.repeated.push_back(repeated_of(experiment, cell));
  }
  return evaluation;
}

void warn_of_evaluated(const Experiment& experiment, const Evaluation& evaluation) {
  if (const std::string& option = experiment.train_axis.option; !option.empty()) {
    std::vector<std::int64_t> used{experiment.config[experiment.train.task_name].integer(option)};
    if (experiment.evaluation_axis.option == option) used = experiment.evaluation_axis.values;
    std::string untrained;
    for (const std::int64_t value : used)
      if (!trained_on(experiment, option, value)) untrained += join(untrained.empty() ? "" : ", ", value);
    if (!untrained.empty())
      std::cerr << "lengthwise: evaluation uses " << option << " = " << untrained
                << ", which training (train.axis = " << experiment.config["train"].text("axis") << ") never draws.\n";
  }
  std::string shared, repeated;
  for (std::size_t c = 0; c < evaluation.overlap.size(); ++c) {
    const Cell& cell = experiment.evaluation_cells[c];
    if (cell.undefined) continue;
    const std::optional<double> space = experiment.evaluation_axis.tasks[cell.value]->space(cell.length);
    const std::string inputs = space ? join(" of ", *space, " inputs") : "";
    const TaskAxis& axis = experiment.evaluation_axis;
    std::string length = join("length ", cell.length);
    if (!axis.option.empty()) length += join(" with ", axis.option, " = ", axis.values[cell.value]);
    if (evaluation.overlap[c] > 0)
      shared += join(shared.empty() ? "" : "; ", length, ", ", std::lround(100 * evaluation.overlap[c]), " %", inputs);
    if (evaluation.repeated[c] > 0.1 && !experiment.evaluation.drop_repeats)
      repeated += join(repeated.empty() ? "" : "; ", length, ", ", std::lround(100 * evaluation.repeated[c]), " %");
  }
  if (!shared.empty())
    std::cerr << "lengthwise: training draws evaluated inputs, too (" << shared
              << "). Scores there tell what was learned by heart; the run file has the shares as `overlap`.\n";
  if (!repeated.empty())
    std::cerr << "lengthwise: evaluated inputs repeat (" << repeated
              << "), and intervals are too narrow there. evaluate.repeats = drop counts each input once; the run file "
                 "has the shares as `repeated`.\n";
}

template <class T>
bool evaluate_into(Evaluation& evaluation, const Experiment& experiment, const Transformer<T>& model,
                   const Disturbed<T>* disturbed, std::size_t step, Progress* progress,
                   const std::function<bool()>& stop) {
  std::vector<LengthScore> row;
  std::vector<std::vector<ExampleScore>> examples;
  std::vector<LayerSums> attention;
  std::vector<std::vector<PositionScore>> by_position;
  const TaskAxis& axis = experiment.evaluation_axis;
  for (std::size_t c = 0; c < experiment.evaluation_cells.size(); ++c) {
    if (stop && stop()) return false;
    const auto& [n, value, most_tokens, undefined] = experiment.evaluation_cells[c];
    const Task& task = *axis.tasks[value];
    if (progress)
      progress->note(join("evaluating length ", n,
                          axis.option.empty() ? "" : join(", ", axis.option, " ", axis.values[value]), " (", c + 1,
                          " of ", experiment.evaluation_cells.size(), ")"));
    evaluation.tokens[c] = static_cast<std::int64_t>(most_tokens);
    if (undefined) {
      row.emplace_back();
      examples.emplace_back();
      attention.emplace_back();
      by_position.emplace_back();
      continue;
    }
    EvaluationSettings settings = experiment.evaluation;
    settings.task_name = axis.draw_name(value);
    LengthScores scores =
        evaluate_length(model, task, *experiment.scheme, n, settings, disturbed ? &disturbed->model : nullptr);
    Rng bootstrap = Rng(experiment.train.seed).at("bootstrap").at(n);
    if (!axis.option.empty()) bootstrap = bootstrap.at(static_cast<std::uint64_t>(axis.values[value]));
    LengthScore score = summarize(scores.examples, bootstrap);
    score.chance = task.chance(n);
    score.untrained_fraction = scores.untrained_fraction;
    score.never_stopped = scores.never_stopped;
    evaluation.tokens[c] = static_cast<std::int64_t>(scores.tokens);
    row.push_back(score);
    examples.push_back(std::move(scores.examples));
    attention.push_back(std::move(scores.attention));
    by_position.push_back(std::move(scores.by_position));
  }
  if (axis.option.empty()) {
    add_context_gains(experiment, examples, row);
    evaluation.by_position = position_group(evaluation.lengths, by_position);
  }
  evaluation.steps.push_back(static_cast<std::int64_t>(step));
  evaluation.scores.push_back(std::move(row));
  evaluation.examples = std::move(examples);
  if (experiment.evaluation.diagnostics) evaluation.diagnostics = to_group(attention, evaluation.lengths);
  return true;
}

template <class T>
TrainedModel<T> load_model(const Experiment& experiment, const RunFile& run, const std::string& path) {
  TrainedModel<T> loaded;
  loaded.store = std::make_unique<ParameterStore<T>>(experiment.train.seed);
  loaded.model = std::make_unique<Transformer<T>>(experiment.model, *loaded.store);
  loaded.reached = take_model(run, path, *loaded.store);
  return loaded;
}

int run_experiment(const Experiment& experiment, const std::string& command_line) {
  set_threads(experiment.threads);
  const OutputLock lock(experiment.folder, experiment.name);
  const std::string& policy = experiment.config["run"].text("if_exists");
  if (policy == "overwrite") {
    fs::remove(experiment.checkpoint_path());
  } else if (fs::exists(experiment.path())) {
    require(policy == "resume", experiment.path(),
            " exists and run.if_exists = refuse. Choose another run.name or run.output, or allow run.if_exists = "
            "overwrite.");
    const RunFile before = read_run(experiment.path(), Parts::scores);
    const Config stored = stored_config(all_sections(), before.facts.config, experiment.path(), {});
    require(stored.hash(experiment.sections) == experiment.config.hash(experiment.sections), experiment.path(),
            " is a run with another config. Choose another run.name, or set run.if_exists = overwrite.");
    if (before.facts.status == "complete") {
      std::cerr << "lengthwise: " << experiment.path()
                << " is complete; nothing to do. run.if_exists = overwrite runs it again.\n";
      return done;
    }
  }
  return experiment.double_precision ? Run<double>(experiment, command_line).work()
                                     : Run<float>(experiment, command_line).work();
}

#define LENGTHWISE_INSTANTIATE(T)                                                                                      \
  template TrainedModel<T> load_model(const Experiment&, const RunFile&, const std::string&);                          \
  template bool evaluate_into(Evaluation&, const Experiment&, const Transformer<T>&, const Disturbed<T>*, std::size_t, \
                              Progress*, const std::function<bool()>&);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
