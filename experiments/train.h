// Training: batches of the task, dealt to shards, one AdamW update a step.
#pragma once

#include "core/gradient_sum.h"
#include "core/optimizer.h"
#include "experiments/coverage.h"
#include "experiments/length_law.h"

namespace lengthwise {

struct TrainSettings {
  std::uint64_t seed = 0;
  std::string origin;  // hash of the run that training goes on from, whose draws an equal seed would repeat; or empty
  std::string task_name;
  std::size_t shards = 8;            // a batch's at least; decides the bits, so it is part of the result
  std::size_t batch = 32;            // sequences a step
  std::vector<std::size_t> lengths;  // ascending; n of each sequence is one of these,
  LengthLaw law = {};                // drawn so
  std::size_t micro_tokens = 0;      // that shards of several sequences should not exceed; 0: the usual number
  // Every row is asked for the token after it, the prompt's too; scored rows, for their own target. Tokens of the
  // answer alone count for the accuracy, as ever.
  bool every_token = false;
  bool squared_sets = false;  // the loss of sets is their squared error
  AdamWSettings optimizer;
  Schedule schedule;
};

struct StepRecord {
  double loss = 0;            // of a token that is trained on, mean: nats, or the squared error
  double token_accuracy = 0;  // of the answer
  double learning_rate = 0;
  double gradient_norm = 0;  // before clipping
  std::uint64_t tokens = 0;  // read by the model
};

/// One model in training. The numbers of a step are a function of the settings and the step alone: not of threads, not
/// of where a run was interrupted.
template <class T>
class Trainer {
 public:
  Trainer(const TrainSettings& settings, const Task& task, const PositionScheme& scheme, ParameterStore<T>& store,
          Transformer<T>& model);

  /// The update with number steps(). Throws RunError, leaving the parameters as they were, when the loss or the
  /// gradient is not finite.
  StepRecord step();
  std::size_t steps() const { return optimizer_.steps(); }

  AdamW<T>& optimizer() { return optimizer_; }
  /// What the updates so far have reached.
  const Coverage& reached() const { return reached_; }
  void restore(std::uint64_t steps, Coverage reached);

 private:
  // The sequences of a step, dealt to shards: a function of the step alone.
  std::vector<std::vector<std::size_t>> deal(const std::vector<std::size_t>& lengths) const;

  TrainSettings settings_;
  const Task& task_;
  const PositionScheme& scheme_;
  ParameterStore<T>& store_;
  Transformer<T>& model_;
  AdamW<T> optimizer_;
  GradientSum<T> gradients_;
  Coverage reached_;
};

}  // namespace lengthwise
