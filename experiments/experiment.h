// Everything a config asks for, made and checked before any work starts.
#pragma once

#include <memory>

#include "experiments/axis.h"
#include "experiments/config.h"
#include "experiments/evaluate.h"
#include "experiments/train.h"

namespace lengthwise {

/// A point of the grid that evaluation covers.
struct Cell {
  std::size_t length = 0, value = 0;  // value: its index in the evaluation axis
  std::size_t tokens = 0;             // read by the model, at most; 0 where the task has no such length
  bool undefined = false;             // cannot be served (evaluate.undefined = mark)
};

struct Experiment {
  Config config;
  std::vector<std::string> sections;  // those in use: what the run file stores and the hash covers
  std::string name;                   // of the run
  std::string folder;                 // run.output
  std::size_t threads = 1;
  bool double_precision = false;

  TaskAxis train_axis, evaluation_axis;
  std::shared_ptr<const Task> task;  // what training draws from
  std::unique_ptr<PositionScheme> scheme;
  ModelConfig model;
  TrainSettings train;
  std::size_t steps = 0;

  EvaluationSettings evaluation;
  std::vector<std::size_t> evaluation_lengths;  // ascending
  std::vector<Cell> evaluation_cells;           // length by length, within each value by value

  std::string path() const;             // the run file
  std::string checkpoint_path() const;  // beside it, while the run is unfinished
  std::string config_text() const { return config.text(sections); }
  /// 16 hexadecimal digits; names of files carry the first 8.
  std::string config_hash() const;
  /// The group below /evaluation: "teacher_forced"; of windows "last_16" where only their last rows count, "sliding_16"
  /// or "disjoint". "_distinct" follows where repeated examples are dropped.
  std::string protocol() const;
};

/// 16 digits.
std::string hexadecimal(std::uint64_t number);

/// Throws InputError, which begins with `where`, when one sequence of length n of the task cannot fit into memory.
void check_memory(const Experiment& experiment, const Task& task, std::size_t n, bool training,
                  const std::string& where);

/// Throws InputError, with what to do about it, unless the run in this file is complete.
void require_complete(const RunFacts& facts, const std::string& path);
/// The run in this file. Throws InputError when it failed or holds no model, as a file of `evaluate` does.
RunFile read_trained(const std::string& path);

/// What is to be done with an experiment here: train it and evaluate it, evaluate a trained one, or neither.
enum class Purpose { run, evaluate, look };

/// Throws InputError, naming the option and its place, for everything that could be known to fail.
Experiment make_experiment(Config config, Purpose purpose = Purpose::run);

}  // namespace lengthwise
