// A run from its first step to its run file: training, validation, evaluation, checkpoints, resume.
#pragma once

#include <functional>

#include "experiments/coverage.h"
#include "experiments/experiment.h"
#include "experiments/progress.h"
#include "experiments/run_file.h"

namespace lengthwise {

/// Trains and evaluates, writing the run file at every evaluation and every run.checkpoint_seconds, with a checkpoint
/// beside it until the run is complete. Goes on from the checkpoint of an earlier attempt, to the same bits as an
/// undisturbed run. With train.init_from, starts from the parameters of that run. SIGTERM, SIGINT and SIGUSR1 end it
/// within one step, with a checkpoint. Returns an ExitCode: done, or interrupted. Throws RunError when the run fails
/// (its file then says so) and InputError when the output belongs to another config, run or process.
int run_experiment(const Experiment& experiment, const std::string& command_line);

/// A trained model out of a run file.
template <class T>
struct TrainedModel {
  std::unique_ptr<ParameterStore<T>> store;
  std::unique_ptr<Transformer<T>> model;
  Coverage reached;
};

/// Throws InputError when the parameters of the file are not those of the experiment's model.
template <class T>
TrainedModel<T> load_model(const Experiment& experiment, const RunFile& run, const std::string& path);

/// Evaluates every cell of the experiment. `disturbed` as for evaluate_length. `step`: of the model's training.
/// `progress` is told of every cell. `stop` is asked between cells; when it says yes, nothing is recorded and the
/// result is false.
template <class T>
bool evaluate_into(Evaluation& evaluation, const Experiment& experiment, const Transformer<T>& model,
                   const Disturbed<T>* disturbed, std::size_t step, Progress* progress = nullptr,
                   const std::function<bool()>& stop = {});

/// The evaluation's name, protocol and axes, without scores yet.
Evaluation empty_evaluation(const Experiment& experiment);
/// Says on stderr where a task has too few inputs: training's are among them, or many of them repeat; and which values
/// of train.axis's option evaluation uses and training does not.
void warn_of_evaluated(const Experiment& experiment, const Evaluation& evaluation);

/// What a run file says of the program, the machine and the config.
RunFacts facts_of(const Experiment& experiment, const std::string& command_line);

}  // namespace lengthwise
