// Everything a config asks for, made and checked before any work starts.
#pragma once

#include <memory>

#include "experiments/config.h"
#include "experiments/evaluate.h"
#include "experiments/train.h"

namespace lengthwise {

struct Experiment {
  Config config;
  std::vector<std::string> sections;  // those in use: what the run file stores and the hash covers
  std::string name;                   // of the run
  std::string folder;                 // run.output
  std::size_t threads = 1;
  bool double_precision = false;

  std::unique_ptr<Task> task;
  std::unique_ptr<PositionScheme> scheme;
  ModelConfig model;
  TrainSettings train;
  std::size_t steps = 0;

  EvaluationSettings evaluation;
  std::vector<std::size_t> evaluation_lengths;  // ascending
  std::vector<std::size_t>
      undefined_lengths;  // of these, the ones the encoding cannot serve (evaluate.undefined = mark)

  std::string path() const;             // the run file
  std::string checkpoint_path() const;  // beside it, while the run is unfinished
  std::string config_text() const { return config.text(sections); }
  /// 16 hexadecimal digits; names of files carry the first 8.
  std::string config_hash() const;
  /// The group below /evaluation: "teacher_forced", or "last_16" where only the last rows of a window count.
  std::string protocol() const;
};

/// 16 digits.
std::string hexadecimal(std::uint64_t number);

/// Throws InputError, naming the option and its place, for everything that could be known to fail.
Experiment make_experiment(Config config);

}  // namespace lengthwise
