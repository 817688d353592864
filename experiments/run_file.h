// What a run file holds: one struct, written and read here and nowhere else.
//
//   /                      facts of the run, as attributes
//   /train                 [step]
//   /validation            [step]
//   /evaluation/PROTOCOL   [step, length]; tokens [length]
//   /examples/PROTOCOL     [length, example] of the last evaluation
//                          with a second axis (evaluate.axis), [.., length, OPTION, ..] in both, by the option's name
//   /by_position/PROTOCOL  [length, bucket]: a text's loss by position inside the window, at the last evaluation
//   /model                 parameters by name, [size_ROWS, size_COLUMNS]
//   /diagnostics/PROTOCOL  [layer, head, length] of the last evaluation, with evaluate.diagnostics
//   and further groups as their makers shape them
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/dataset.h"
#include "experiments/statistics.h"

namespace lengthwise {

constexpr std::int64_t schema_version = 1;

struct RunFacts {
  std::string status = "running";  // running, complete, failed or interrupted
  std::string status_reason;       // why, when it is failed or interrupted
  std::string program_version, git_commit;
  std::string name;
  std::string config;       // the resolved config as INI text, which can be run again
  std::string config_hash;  // 16 hexadecimal digits
  std::string command_line;
  std::uint64_t seed = 0;
  std::int64_t shards = 0, threads = 0;
  std::string host, cpu, onednn_version, onednn_isa, precision;
  std::string start, end;               // ISO 8601, UTC
  double seconds = 0;                   // of work, over all attempts
  std::string task_hash;                // of the task's definition and options
  std::int64_t train_positions = 0;     // the longest position id seen in training plus one, in tokens
  std::int64_t original_positions = 0;  // L of formulas: the same, or that of the first of the runs that led here
  std::int64_t parameter_count = 0;
  std::string data;  // what finite data the examples come from, with its sizes
};

struct TrainRecord {
  std::int64_t step = 0;
  double loss = 0, token_accuracy = 0, learning_rate = 0, gradient_norm = 0;  // loss: RunFile::train_loss
  std::int64_t tokens = 0;                                                    // read since the start
  double seconds = 0;                                                         // since the start
};

struct ValidationRecord {
  std::int64_t step = 0;
  double loss = 0, token_accuracy = 0, exact_match = 0;
};

/// What one step's evaluation says of one cell. NaN where a figure does not exist (a length the encoding cannot
/// serve).
struct LengthScore {
  std::int64_t examples = 0, scored_tokens = 0;
  Estimate exact_match, token_accuracy, loss;  // loss in nats a scored token
  Estimate context_gain;  // bits a scored token less than for the same tokens with the trained length of context
  double chance = std::numeric_limits<double>::quiet_NaN();
  double never_stopped = std::numeric_limits<double>::quiet_NaN();  // share of free-running answers without an end
  double untrained_fraction = 0;
};

struct ExampleScore {
  bool exact = false;
  std::int64_t tokens_right = 0, tokens_scored = 0;
  double loss = 0;  // nats, summed over the scored tokens
};

/// All evaluations under one protocol. A cell is a length or, with a second axis, a length and a value; they go length
/// by length, within each value by value.
struct Evaluation {
  std::string name;             // the group's name: "teacher_forced"
  std::string protocol;         // what was done, in words: windows, stride, which tokens are scored
  std::string position_policy;  // which ids tokens got beyond the training length
  Ordered<Attribute> settings;  // what else tells this evaluation from others; stored as attributes
  std::vector<std::int64_t> lengths;
  std::string axis;                       // the task's option that is the second axis; empty where there is none
  std::vector<std::int64_t> axis_values;  // of that option
  std::vector<std::int64_t> tokens;       // read in each cell
  std::vector<double> overlap;            // of each cell: share of its inputs that training draws, too
  std::vector<double> repeated;           // of each cell: share of the examples drawn whose input came before
  std::vector<std::int64_t> steps;
  std::vector<std::vector<LengthScore>> scores;     // [step][cell]
  std::vector<std::vector<ExampleScore>> examples;  // [cell][example], of the last step; none when not kept
  Group diagnostics;                                // of the last step, as diagnostics.h shapes it; empty when not kept
  Group by_position;                                // of the last step, of windows: [length, bucket]

  std::size_t cells() const { return lengths.size() * std::max<std::size_t>(1, axis_values.size()); }
};

struct ParameterShape {
  std::string name;
  std::size_t rows = 0, columns = 0;
};

/// A matrix of the model, or of what an encoding keeps beside it.
struct StoredParameter : ParameterShape {
  Values values;  // rows * columns
};

struct RunFile {
  RunFacts facts;
  std::vector<TrainRecord> train;
  std::string train_loss = "mean loss of a scored token", train_loss_unit = "nats";  // what its loss is of
  std::vector<ValidationRecord> validation;
  std::vector<Evaluation> evaluations;
  std::vector<StoredParameter> model;
  Ordered<Group> others;

  /// Null when this protocol was not evaluated.
  const Evaluation* evaluation(const std::string& name) const;
};

/// Scores one length from its examples. `rng` drives the bootstrap; chance and untrained_fraction are the caller's to
/// add.
LengthScore summarize(std::span<const ExampleScore> examples, Rng rng);

Group to_dataset(const RunFile& run);

/// Throws InputError when `root` is not of a run file, or of a newer program's.
RunFile from_dataset(const Group& root);

/// write_dataset of to_dataset; throws RunError.
void write_run(const std::string& path, const RunFile& run);

enum class Parts { all, scores, facts };  // scores: without the model, the single examples and other groups

/// Throws InputError with the path when the file is missing, damaged or no run file.
RunFile read_run(const std::string& path, Parts parts = Parts::all);

/// Parameters in a group of their own (/model, or a checkpoint's moments).
Group to_group(const std::vector<StoredParameter>& parameters);
std::vector<StoredParameter> parameters_of(const Group& group);

/// Throws InputError that names the first parameters of `found` (read from `path`) that are missing, unknown or of
/// another shape than `expected`.
void check_parameters(const std::vector<ParameterShape>& expected, const std::vector<StoredParameter>& found,
                      const std::string& path);

/// A resolved config's text as "section.key" -> value.
std::map<std::string, std::string> config_values(const std::string& config);

}  // namespace lengthwise
