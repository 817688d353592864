#include "experiments/experiment.h"

#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <set>

#include "core/parallel.h"
#include "experiments/memory.h"
#include "experiments/model/batch.h"
#include "experiments/packed.h"
#include "experiments/settings.h"

namespace lengthwise {
namespace {

std::vector<std::size_t> ascending(const std::vector<std::int64_t>& values) {
  std::set<std::size_t> sorted;
  for (const std::int64_t v : values) sorted.insert(static_cast<std::size_t>(v));
  return {sorted.begin(), sorted.end()};
}

std::vector<std::size_t> train_lengths(const Config& config) {
  const std::vector<std::size_t> listed = ascending(config["train"].list("lengths"));
  require(!listed.empty(), config.where("train", "lengths"), " is empty; name the lengths to train on, as in 1..40.");
  const std::string& law = config["train"].text("length_law");
  if (law == "fixed") return {listed.back()};
  if (law != "uniform") return listed;
  std::vector<std::size_t> all;
  for (std::size_t n = listed.front(); n <= listed.back(); ++n) all.push_back(n);
  return all;
}

// Throws InputError where training would not meet the shortest or the longest length, which its figures are named by.
LengthLaw length_law(const Config& config, const std::vector<std::size_t>& lengths) {
  const Options& train = config["train"];
  const std::string& name = train.text("length_law");
  const std::size_t steps = train.count("steps");
  LengthLaw law{.newest = train.text("stair_draw") == "newest", .per_batch = train.text("length_per") == "batch"};
  if (name == "rev_exp") {
    const double tau = train.real("length_tau");
    law.up_to = exponential_shares(lengths, tau);
    const double draws = static_cast<double>(steps * (law.per_batch ? 1 : train.count("batch")));
    const double rarest = law.up_to.size() == 1 ? 1 : std::min(law.up_to[0], 1 - law.up_to.end()[-2]);
    require(steps == 0 || rarest * draws >= 1, config.where("train", "length_tau"), " is ", tau, ", so that ",
            tau < 1 ? lengths.back() : lengths.front(), ", the ", tau < 1 ? "longest" : "shortest",
            " of train.lengths, is drawn with a probability of ", rarest, ": less than once in ", draws,
            " draws. Set it nearer to 1, train longer, or list fewer lengths.");
  }
  if (name == "staircase") {
    law.stair_steps = train.count("stair_steps");
    if (law.stair_steps == 0) law.stair_steps = std::max<std::size_t>(1, steps / lengths.size());
    require(steps == 0 || (lengths.size() - 1) * law.stair_steps < steps, config.where("train", "stair_steps"), " is ",
            law.stair_steps, ", so that ", lengths.back(), ", the last of ", lengths.size(),
            " lengths, joins after step ", (lengths.size() - 1) * law.stair_steps, ", and train.steps is ", steps,
            ". Lower it, list fewer lengths, or train longer.");
  }
  return law;
}

// What the run in train.init_from decides becomes part of the config, so that the new run file needs the other no more.
void resolve_origin(Config& config) {
  const std::string& path = config["train"].text("init_from");
  const bool known = !config["train"].text("init_hash").empty();
  require(!known || !path.empty(), config.where("train", "init_hash"),
          " belongs to a run, and train.init_from names none.");
  if (path.empty() || known) return;
  const RunFacts facts = read_run(path, Parts::facts).facts;
  require_complete(facts, join(config.where("train", "init_from"), ": ", path));
  require(!facts.config_hash.empty(), config.where("train", "init_from"), ": ", path,
          " was written by a program that did not store the hash of its config; run it again.");
  config.set("train", "init_hash", facts.config_hash);
  if (config["train"].count("original_positions") == 0)
    config.set("train", "original_positions", join(facts.original_positions));
}

ModelConfig model_config(const Config& config, const Task& task, std::size_t train_positions) {
  const Options& model = config["model"];
  ModelConfig made;
  made.shape = {.layers = model.count("layers"),
                .width = model.count("width"),
                .heads = model.count("heads"),
                .causal = model.text("attention") == "causal",
                .train_positions = train_positions,
                .original_positions = config["train"].count("original_positions")};
  made.vocabulary = static_cast<std::size_t>(task.vocabulary());
  made.features = task.features();
  made.mlp_ratio = model.real("mlp_ratio");
  made.post_norm = model.text("norm_position") == "post";
  made.rms_norm = model.text("norm") == "rmsnorm";
  made.activation = model.text("activation");
  made.dropout = model.real("dropout");
  made.tied_head = model.flag("tied_head");
  made.head_bias = model.flag("head_bias");
  made.qk_norm = model.flag("qk_norm");
  made.loops = model.count("loops");
  made.inject = model.flag("inject");
  made.init = model.text("init");
  made.init_std = model.real("init_std");
  made.embed_scale = model.real("embed_scale");
  made.encodings = config["encoding"].text("name");
  for (const std::string& name : made.encodings.names()) made.options[name] = config[name];
  check_model(made);
  return made;
}

TrainSettings train_settings(const Config& config) {
  const Options& train = config["train"];
  TrainSettings made;
  made.seed = static_cast<std::uint64_t>(config["run"].integer("seed"));
  made.origin = train.text("init_hash");
  made.task_name = config["task"].text("name");
  made.shards = config["run"].count("shards");
  made.batch = train.count("batch");
  made.lengths = train_lengths(config);
  made.law = length_law(config, made.lengths);
  made.micro_tokens = train.count("micro_tokens");
  made.every_token = train.text("loss") == "all";
  made.squared_sets = train.text("set_loss") == "mse";
  made.optimizer = {.beta1 = train.real("beta1"),
                    .beta2 = train.real("beta2"),
                    .epsilon = train.real("epsilon"),
                    .weight_decay = train.real("weight_decay"),
                    .decay_all = train.text("decay") == "all",
                    .clip = train.real("clip")};
  const std::string& schedule = train.text("schedule");
  made.schedule = {.kind = schedule == "cosine"   ? Schedule::Kind::cosine
                           : schedule == "linear" ? Schedule::Kind::linear
                                                  : Schedule::Kind::constant,
                   .peak = train.real("learning_rate"),
                   .warmup = train.count("warmup"),
                   .total = train.count("steps"),
                   .final_share = train.real("final_rate")};
  return made;
}

// "0.4 GiB", "12 GiB".
std::string gibibytes(double bytes) {
  std::ostringstream text;
  const double count = bytes / 0x1p30;
  text << std::setprecision(count < 10 ? 1 : 0) << std::fixed << count << " GiB";
  return text.str();
}

// The first examples of length n, and their streams.
std::pair<std::vector<Example>, std::vector<Rng>> sampled(const Experiment& experiment, const Task& task, Stream stream,
                                                          std::size_t n) {
  EvaluationSettings settings = experiment.evaluation;
  settings.stream = stream;
  settings.last = 0;
  std::vector<Example> examples;
  std::vector<Rng> streams;
  for (std::size_t e = 0; e < std::min<std::size_t>(16, settings.examples); ++e) {
    const Draw draw = settings.draw(n, e);
    streams.push_back(draw.rng.at("positions"));
    examples.push_back(task.example(n, draw));
  }
  return {examples, streams};
}

// How the scheme numbers their tokens in evaluation. Throws what the scheme throws.
Positions sampled_positions(const Experiment& experiment, const Task& task, Stream stream, std::size_t n) {
  const auto [examples, streams] = sampled(experiment, task, stream, n);
  return make_batch(examples, streams, *experiment.scheme, Phase::evaluate, experiment.model.shape.original_length())
      .positions;
}

// The largest id of a channel in sequences of length n. Ids of other channels than "sequence" follow what the task
// hands over, which is known for examples only.
double largest_id(const Experiment& experiment, const Task& task, const std::string& channel, std::size_t n,
                  Phase phase) {
  if (channel == "sequence")
    return experiment.scheme->largest(task.max_tokens(n), experiment.model.shape.original_length(), phase);
  const bool training = phase == Phase::train;
  const Positions sampled =
      sampled_positions(experiment, task, training ? Stream::train : experiment.evaluation.stream, n);
  const double largest = std::ranges::max(sampled.channel(channel));
  return training ? experiment.scheme->largest_in_training(channel, largest) : largest;
}

// "set learned.positions to 542 or more, ": what bounds an encoding's positions below `largest`, where an option of its
// own does. Training cannot set options that only evaluation has, nor evaluation those that training fixes.
std::string ways_to_serve(const EncodingInfo& info, const Options& options, const ModelShape& shape, double largest,
                          Phase phase) {
  std::string ways;
  for (const OptionSpec& option : info.section.options) {
    if (option.at_evaluation != (phase == Phase::evaluate)) continue;
    const auto serves = [&](const std::string& value) {
      std::map<std::string, std::string> values = options.values();
      values[option.name] = value;
      return static_cast<double>(info.max_positions(Options(info.section, values), shape)) > largest;
    };
    std::string enough;
    for (const std::string& choice : option.choices)
      if (serves(choice)) enough += (enough.empty() ? "" : " or ") + choice;
    if (option.type == OptionSpec::Type::integer && largest + 1 <= option.high) {
      const auto least = static_cast<std::int64_t>(largest);
      for (const std::int64_t value : {least, least + 1})
        if (enough.empty() && serves(join(value))) enough = join(value, " or more");
    }
    if (!enough.empty()) ways += join("set ", info.section.name, ".", option.name, " to ", enough, ", ");
  }
  return ways;
}

// Whether every encoding can serve the task's sequences of length n; `why` says what is in the way.
bool can_serve(const Experiment& experiment, const Task& task, std::size_t n, Phase phase, std::string& why) {
  const std::size_t tokens = task.max_tokens(n), trained = experiment.model.shape.train_positions;
  const std::optional<std::size_t> numbered = experiment.scheme->longest(phase);
  if (numbered && tokens > *numbered) {
    why =
        join("positions.scheme = ", experiment.config["positions"].text("scheme"), " numbers at most ", *numbered,
             " tokens, and length ", n, " has ", tokens, ". Widen the scheme's range",
             phase == Phase::train ? "."
                                   : ", evaluate shorter, or set evaluate.undefined = mark to leave such lengths out.");
    return false;
  }
  for (const std::string& name : experiment.model.encodings.names()) {
    const EncodingInfo& info = encoding_info(name);
    if (!info.max_positions) continue;
    const Options& options = experiment.model.options.at(name);
    const Options in_use = phase == Phase::train ? fixed_by_training(info.section, options) : options;
    const std::size_t bound = info.max_positions(in_use, experiment.model.shape);
    double largest = 0;  // a grid has a side in each channel
    if (info.reads_distances)
      largest = experiment.scheme->farthest(tokens, experiment.model.shape.original_length(), phase);
    else
      for (const std::string& channel : info.channels)
        largest = std::max(largest, largest_id(experiment, task, channel, n, phase));
    if (largest < static_cast<double>(bound)) continue;
    const char* const what = info.reads_distances ? "distance" : "position";
    const std::string ways = ways_to_serve(info, in_use, experiment.model.shape, largest, phase);
    if (phase == Phase::train) {
      why = join("encoding ", name, " serves ", what, "s 0 to ", bound - 1,
                 ", and positions.scheme = ", experiment.config["positions"].text("scheme"), " gives ", what, " ",
                 largest, " in training (length ", n, ", ", tokens, " tokens). Shorten train.lengths, ", ways,
                 "or narrow the scheme's range.");
      return false;
    }
    why =
        join("encoding ", name, " serves ", what, "s 0 to ", bound - 1, ", and length ", n, " (", tokens,
             " tokens) reaches ", what, " ", largest, "; training reached ", trained - 1,
             ". Train longer, evaluate shorter, ", ways, "or set evaluate.undefined = mark to leave such lengths out.");
    return false;
  }
  return true;
}

// Throws InputError when the task cannot be trained with the loss that is asked for.
void check_losses(const Experiment& experiment) {
  const Config& config = experiment.config;
  const TrainSettings& train = experiment.train;
  if (!train.every_token && !train.squared_sets) return;
  const std::string every = join(config.where("train", "loss"), " is all, which asks every row for the token after it");
  require(!train.every_token || experiment.model.shape.causal, every,
          "; a bidirectional model reads that token. Set model.attention = causal, or train.loss = answer.");
  require(!train.every_token || !experiment.task->windows(), every, "; a text asks that anyway. Leave it at answer.");
  for (const auto& task : experiment.train_axis.tasks)
    for (const Example& example : sampled(experiment, *task, Stream::train, train.lengths.back()).first) {
      require(!train.squared_sets || !example.target_sets.empty(), config.where("train", "set_loss"), " is mse, but ",
              train.task_name, " has one right answer a row, no set of them. Leave it at logistic.");
      if (!train.every_token) continue;
      const bool tokens_alone = task->features() == 0 && !example.pooled && example.target_sets.empty();
      require(tokens_alone, every, ", but the answers of ", train.task_name,
              " are no tokens of a sequence. Leave it at answer.");
      for (std::size_t i = 0; i < example.scored.size(); ++i)
        if (const std::size_t after = example.scored[i] + 1; after < example.tokens.size())
          require(example.tokens[after] == example.targets[i], every, ", but ", train.task_name,
                  " has rows whose right answer is another one. Leave it at answer.");
    }
}

void check_positions(const Experiment& experiment) {
  const std::string& scheme_name = experiment.config["positions"].text("scheme");
  const std::vector<std::string> given = experiment.scheme->channels();
  const std::size_t longest = experiment.train.lengths.back();
  for (const std::string& hint : experiment.scheme->hints())
    require(sampled(experiment, *experiment.task, Stream::train, longest).first.front().ids.count(hint) > 0,
            "positions.scheme = ", scheme_name, " needs ids of channel '", hint,
            "' from the task, and task.name = ", experiment.config["task"].text("name"),
            " hands over none. Choose another scheme or task.");
  std::string why;
  for (const std::string& name : experiment.model.encodings.names()) {
    const EncodingInfo& info = encoding_info(name);
    for (const std::string& channel : info.channels)
      require(std::ranges::find(given, channel) != given.end() ||
                  sampled_positions(experiment, *experiment.task, Stream::train, longest).has(channel),
              "encoding ", name, " reads position ids of channel '", channel,
              "', which neither positions.scheme = ", scheme_name, " nor the task gives.");
    for (const std::string& channel : info.channels)
      if ((channel == "row" || channel == "column") && std::ranges::find(given, channel) == given.end())
        require(std::ranges::min(
                    sampled_positions(experiment, *experiment.task, Stream::train, longest).channel(channel)) >= 0,
                "encoding ", name, " reads channel '", channel,
                "', in which the task marks tokens without a place (a class token, BOS); positions.scheme = ",
                scheme_name, " takes no notice. Set positions.scheme = grid.");
    require(!info.needs_increasing_ids || experiment.scheme->increasing(), "encoding ", name,
            " needs ids that grow along the sequence, which positions.scheme = ", scheme_name, " does not promise.");
    require(!experiment.scheme->maps_distances() || info.reads_distances || info.channels.empty(), "encoding ", name,
            " reads position ids, and positions.scheme = ", scheme_name,
            " draws distances instead, which only biases by distance can use.");
    require(!info.needs_whole_ids || experiment.scheme->whole(), "encoding ", name,
            " looks ids up in a table, and positions.scheme = ", scheme_name,
            " gives fractions of positions. Choose positions.scheme = sequential or another encoding.");
    require(!schemes().at(scheme_name).rescales || !info.rescales || !info.rescales(experiment.model.options.at(name)),
            "encoding ", name,
            " already fits longer sequences into the trained range by its own options, and positions.scheme = ",
            scheme_name, " would do so a second time; keep one of the two.");
  }
  for (const auto& task : experiment.train_axis.tasks)
    require(can_serve(experiment, *task, longest, Phase::train, why), why);
}

// Throws InputError when the cell cannot be evaluated, unless such cells are to be marked.
Cell make_cell(const Experiment& experiment, std::size_t n, std::size_t value) {
  const Task& task = *experiment.evaluation_axis.tasks[value];
  const Config& config = experiment.config;
  const bool mark = config["evaluate"].text("undefined") == "mark";
  try {
    task.check_length(n);
  } catch (const InputError& error) {
    const TaskAxis& axis = experiment.evaluation_axis;
    if (axis.option.empty()) throw;
    if (mark) return {.length = n, .value = value, .undefined = true};  // a corner of a grid may well be impossible
    throw InputError(join(config.where("evaluate", "axis"), ", with ", axis.option, " = ", axis.values[value], ": ",
                          error.what(), " Or set evaluate.undefined = mark to leave such cells out."));
  }
  require(experiment.evaluation.last <= task.max_tokens(n), config.where("evaluate", "scored_last"), " is ",
          experiment.evaluation.last, ", but windows of length ", n, " have only ", task.max_tokens(n),
          " tokens; set it to at most that.");
  std::string why;
  const bool served = can_serve(experiment, task, n, Phase::evaluate, why);
  require(served || mark, config.where("evaluate", "lengths"), ": ", why);
  return {.length = n, .value = value, .tokens = task.max_tokens(n), .undefined = !served};
}

// Throws InputError when finite data cannot give the evaluation its examples.
void check_evaluation_supply(const Experiment& experiment, const Task& task) {
  const EvaluationSettings& settings = experiment.evaluation;
  if (settings.stride == 0) {
    for (const std::size_t n : experiment.evaluation_lengths)
      task.check_supply(Stream::evaluation, n, settings.examples);
    return;
  }
  const std::size_t covered = settings.draw(settings.longest, 0).covered();
  try {
    task.check_supply(Stream::evaluation, covered, 1);
  } catch (const InputError& error) {
    throw InputError(join(experiment.config.where("evaluate", "windows"), ": ", settings.examples,
                          " windows of length ", settings.longest, " cover ", covered,
                          " bytes; lower evaluate.examples. ", error.what()));
  }
}

// Draw::stride as the config gives it.
std::size_t window_stride(const Config& config) {
  const Options& evaluate = config["evaluate"];
  const std::string& windows = evaluate.text("windows");
  const std::size_t stride = evaluate.count("stride");
  require((stride > 0) == (windows == "sliding"), config.where("evaluate", "stride"), " is ", stride,
          ", and evaluate.windows is ", windows, "; a stride above 0 and evaluate.windows = sliding belong together.");
  return windows == "disjoint" ? ~std::size_t{0} : stride;
}

// A config may hold sections for many encodings and tasks. An option on the command line is meant for this run.
void warn_of_idle_options(const Experiment& experiment) {
  for (const std::string& name : experiment.model.encodings.names()) {
    const EncodingInfo& info = encoding_info(name);
    if (!info.idle) continue;
    for (const std::string& option : info.idle(experiment.config[name]))
      if (const std::string where = experiment.config.where(name, option); where.starts_with("--"))
        std::cerr << "lengthwise: " << where << " has no effect with the other options of [" << name
                  << "] as they are: see lengthwise describe " << name << ".\n";
  }
  for (const Section& section : all_sections()) {
    if (std::ranges::find(experiment.sections, section.name) != experiment.sections.end()) continue;
    for (const OptionSpec& option : section.options)
      if (const std::string where = experiment.config.where(section.name, option.name); where.starts_with("--"))
        std::cerr << "lengthwise: " << where << " has no effect: nothing in this run uses [" << section.name << "].\n";
  }
  const std::string& law = experiment.config["train"].text("length_law");
  for (const auto& [option, owner] :
       {std::pair{"length_tau", "rev_exp"}, {"stair_steps", "staircase"}, {"stair_draw", "staircase"}})
    if (const std::string where = experiment.config.where("train", option); where.starts_with("--") && law != owner)
      std::cerr << "lengthwise: " << where << " has no effect: train.length_law is " << law << ", not " << owner
                << ".\n";
}

}  // namespace

std::string Experiment::path() const { return folder + "/" + name + ".h5"; }
std::string Experiment::checkpoint_path() const { return folder + "/" + name + ".checkpoint.h5"; }
std::string hexadecimal(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}
std::string Experiment::config_hash() const { return hexadecimal(config.hash(sections)); }
std::string Experiment::protocol() const {
  const std::string& windows = config["evaluate"].text("windows");
  const std::string distinct = evaluation.drop_repeats ? "_distinct" : "";
  if (evaluation.free_running) return "free_running" + distinct;
  if (windows != "spread") return windows == "sliding" ? join("sliding_", evaluation.stride) : windows;
  return evaluation.last ? join("last_", evaluation.last) : "teacher_forced" + distinct;
}

void check_memory(const Experiment& experiment, const Task& task, std::size_t n, bool training,
                  const std::string& where) {
  const std::size_t tokens = task.max_tokens(n);
  const double least = least_memory(experiment.model, tokens, training, experiment.double_precision ? 8 : 4);
  const double usable = usable_memory();
  require(least <= usable, where, ": length ", n, " has ", tokens, " tokens, and one such sequence takes ",
          gibibytes(least), " or more with this model, ", training ? "trained; " : "evaluated; ", gibibytes(usable),
          " can be had here. Choose shorter sequences, or smaller model.width or model.layers.");
}

void require_complete(const RunFacts& facts, const std::string& path) {
  require(facts.status != "failed", path, " has no trained model, as its run failed: ", facts.status_reason);
  require(facts.status == "complete", path, " is not complete: ", facts.status,
          facts.status_reason.empty() ? "" : " (" + facts.status_reason + ")",
          ". Its own command finishes it: ", facts.command_line);
}

RunFile read_trained(const std::string& path) {
  RunFile run = read_run(path);
  if (run.facts.status == "failed") require_complete(run.facts, path);
  require(!run.model.empty(), path, " holds no model: `lengthwise evaluate` wrote it. Name the run it evaluated.");
  return run;
}

Experiment make_experiment(Config given, Purpose purpose) {
  resolve_origin(given);
  Experiment made{.config = std::move(given)};
  const Config& config = made.config;
  const std::string& task_name = config["task"].text("name");
  require(!task_name.empty(), config.where("task", "name"), " is not set; `lengthwise list tasks` names the tasks.");
  require(tasks().count(task_name) > 0, config.where("task", "name"), ": unknown task '", task_name,
          "'. `lengthwise list tasks` names them.", [&] {
            std::vector<std::string> names;
            for (const auto& [name, info] : tasks()) names.push_back(name);
            return did_you_mean(task_name, names);
          }());
  const std::string& encoding = config["encoding"].text("name");
  const std::string& scheme = config["positions"].text("scheme");
  const EncodingPlan plan(encoding);
  std::vector<std::string> scheme_names;
  for (const auto& [name, info] : schemes()) scheme_names.push_back(name);
  require(schemes().count(scheme) > 0, config.where("positions", "scheme"), ": unknown scheme '", scheme,
          "'. `lengthwise list schemes` names them.", did_you_mean(scheme, scheme_names));

  made.sections = {"run", "task", "model", "encoding", "positions", "train", "evaluate", task_name};
  const auto use = [&](const Section& section) {
    if (!section.options.empty()) made.sections.push_back(section.name);
  };
  for (const std::string& name : plan.names()) use(encoding_info(name).section);
  use(schemes().at(scheme).section);

  const Layout layout = config["model"].text("attention") == "causal" ? Layout::causal : Layout::encoder;
  const auto axis = [&](const std::string& section) {
    return make_axis(config[section].text("axis"), config.where(section, "axis"), task_name, config[task_name], layout);
  };
  made.train_axis = axis("train");
  made.evaluation_axis = axis("evaluate");
  made.task = mixed(made.train_axis);
  made.scheme = make_scheme(scheme, config[scheme]);
  made.train = train_settings(config);
  made.steps = config["train"].count("steps");
  std::size_t train_positions = 0;
  for (const std::size_t n : made.train.lengths) {
    try {
      made.task->check_length(n);
    } catch (const InputError& error) {
      throw InputError(join(config.where("train", "lengths"), ": ", error.what()));
    }
    train_positions = std::max(train_positions, made.task->max_tokens(n));
  }
  made.task->check_supply(Stream::train, made.train.lengths.back(), made.train.batch);
  if (const std::size_t tokens = config["train"].count("pack")) {
    const std::string where = config.where("train", "pack");
    require(layout == Layout::causal, where,
            ": only a causal model reads examples one after another; set model.attention = "
            "causal, or leave train.pack at 0.");
    require(!made.task->windows() && made.task->features() == 0, where, ": examples of ", task_name,
            " cannot be packed; leave it at 0.");
    require(tokens >= train_positions, where, " is ", tokens, ", and an example of length ", made.train.lengths.back(),
            " has up to ", train_positions, " tokens. Set it to that many or more.");
    made.task = packed(made.task, made.train.lengths, tokens, made.train.law, made.train.batch);
    train_positions = tokens;
  }
  if (!config["train"].text("init_hash").empty())
    train_positions = std::max(train_positions, config["train"].count("original_positions"));
  made.model = model_config(config, *made.task, train_positions);
  made.double_precision = config["run"].text("precision") == "double";

  const Options& evaluate = config["evaluate"];
  made.evaluation_lengths = ascending(evaluate.list("lengths"));
  if (made.evaluation_lengths.empty())
    made.evaluation_lengths = {made.train.lengths.back(), 2 * made.train.lengths.back()};
  if (purpose == Purpose::run && made.steps > 0)
    check_memory(made, *made.task, made.train.lengths.back(), true,
                 config.where("train", config["train"].count("pack") ? "pack" : "lengths"));
  made.evaluation = {.seed = made.train.seed,
                     .task_name = task_name,
                     .examples = evaluate.count("examples"),
                     .longest = made.evaluation_lengths.back(),
                     .last = evaluate.count("scored_last"),
                     .diagnostics = evaluate.flag("diagnostics"),
                     .stride = window_stride(config),
                     .free_running = evaluate.text("decoding") == "free_running",
                     .drop_repeats = evaluate.text("repeats") == "drop"};
  check_losses(made);
  check_positions(made);
  require(made.evaluation.last == 0 || made.task->windows(), config.where("evaluate", "scored_last"), " is ",
          made.evaluation.last, ", but ", task_name,
          " scores whole answers; only windows of a text have last tokens. Leave it at 0.");
  require(!made.evaluation.diagnostics || made.evaluation_axis.option.empty(), config.where("evaluate", "diagnostics"),
          " looks at attention by length alone; leave it out where evaluate.axis is set.");
  require(!made.evaluation.free_running || made.task->ends_with_answer(), config.where("evaluate", "decoding"),
          " is free_running, but ", task_name, made.task->windows() ? "" : " in this layout",
          " has no answer after a prompt that a model could write token after token. Leave it at teacher_forced.");
  require(!made.evaluation.drop_repeats || !made.task->windows(), config.where("evaluate", "repeats"), " is drop, but ",
          task_name, " has windows of a text, each of which is scored. Leave it at keep.");
  require(made.evaluation.stride == 0 || made.task->windows(), config.where("evaluate", "windows"), " is ",
          evaluate.text("windows"), ", but ", task_name, " has no windows, which are a text's. Leave it at spread.");
  require(made.evaluation.stride == 0 || made.evaluation.last == 0, config.where("evaluate", "scored_last"), " is ",
          made.evaluation.last, ", and evaluate.windows = ", evaluate.text("windows"),
          " says itself which tokens count. Set one of the two.");
  for (const std::size_t n : made.evaluation_lengths)
    for (std::size_t value = 0; value < made.evaluation_axis.tasks.size(); ++value)
      made.evaluation_cells.push_back(make_cell(made, n, value));
  if (purpose != Purpose::look)
    for (const Cell& cell : made.evaluation_cells)
      if (!cell.undefined)
        check_memory(made, *made.evaluation_axis.tasks[cell.value], cell.length, false,
                     config.where("evaluate", "lengths"));
  for (const auto& task : made.evaluation_axis.tasks) check_evaluation_supply(made, *task);
  if (config["train"].count("validate_every"))
    made.task->check_supply(Stream::validation, made.train.lengths.back(), config["train"].count("validate_examples"));

  const Options& run = config["run"];
  const std::size_t cores = available_cores();
  made.threads = run.count("threads") ? run.count("threads") : cores;
  made.folder = run.text("output");
  made.name = run.text("name");
  if (made.name.empty()) {
    std::string short_name = encoding;  // a file's name: alibi/none becomes alibi_none
    std::ranges::replace_if(
        short_name, [](char c) { return c == '/' || c == ';' || c == ' '; }, '_');
    made.name =
        join(task_name, "-", short_name, "-", scheme, "-", made.train.seed, "-", made.config_hash().substr(0, 8));
  }
  require(made.name.find('/') == std::string::npos && made.name.front() != '.', config.where("run", "name"), ": '",
          made.name, "' cannot name a file; use no '/' and no leading '.'. The folder is run.output.");
  if (purpose != Purpose::look) warn_of_idle_options(made);
  return made;
}

}  // namespace lengthwise
