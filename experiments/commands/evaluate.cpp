#include <filesystem>
#include <iostream>

#include "core/parallel.h"
#include "experiments/clock.h"
#include "experiments/commands.h"
#include "experiments/output_lock.h"
#include "experiments/run.h"
#include "experiments/settings.h"
#include "experiments/show.h"

namespace lengthwise {
namespace {

template <class T>
void evaluate_stored(const Experiment& experiment, const RunFile& trained, const std::string& path, RunFile& result) {
  const TrainedModel<T> loaded = load_model<T>(experiment, trained, path);
  const auto beside = disturbed(experiment.model, *loaded.store, loaded.reached);
  Progress progress(experiment.name, 0, 0);
  evaluate_into(result.evaluations.at(0), experiment, *loaded.model, beside.get(),
                trained.train.empty() ? 0 : static_cast<std::size_t>(trained.train.back().step), &progress);
}

}  // namespace

int evaluate_command(const Invocation& invocation) {
  const std::string& source = invocation.arguments.at(0);
  const RunFile trained = read_trained(source);
  require_complete(trained.facts, source);
  Experiment experiment = make_experiment(
      stored_config(all_sections(), trained.facts.config, source, invocation.overrides), Purpose::evaluate);

  // NAME.evaluate-HASH.h5 beside the run, which is never touched. The hash covers what was changed.
  const std::filesystem::path beside(source);
  const auto typed = [&](const char* key) { return experiment.config.where("run", key).starts_with("--"); };
  if (!typed("output")) experiment.folder = beside.parent_path().empty() ? "." : beside.parent_path().string();
  if (!typed("name"))
    experiment.name = join(beside.stem().string(), ".evaluate-", experiment.config_hash().substr(0, 8));
  require(!std::filesystem::exists(experiment.path()) || !std::filesystem::equivalent(experiment.path(), source),
          "run.name and run.output name ", source,
          " itself, which an evaluation leaves as it is. Choose another name.");

  const OutputLock lock(experiment.folder, experiment.name);
  const double began = monotonic_seconds();
  set_threads(experiment.threads);
  RunFile result;
  result.facts = facts_of(experiment, invocation.command_line);
  result.facts.parameter_count = trained.facts.parameter_count;
  result.evaluations.push_back(empty_evaluation(experiment));
  std::string changed;
  for (const std::string& option : invocation.overrides)
    if (!option.starts_with("--run.")) changed += (changed.empty() ? "" : " ") + option.substr(2);
  if (!changed.empty()) result.evaluations[0].settings["changed"] = changed;
  warn_of_evaluated(experiment, result.evaluations[0]);
  if (experiment.double_precision)
    evaluate_stored<double>(experiment, trained, source, result);
  else
    evaluate_stored<float>(experiment, trained, source, result);
  result.facts.status = "complete";
  result.facts.end = utc_time();
  result.facts.seconds = monotonic_seconds() - began;
  write_run(experiment.path(), result);
  std::cout << show_runs({experiment.path()}, {.width = output_width()}) << "\n" << experiment.path() << "\n";
  return done;
}

}  // namespace lengthwise
