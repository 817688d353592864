// An integer option of a task as a second axis beside the length: digits x operands, height x width, tokens x pairs.
#pragma once

#include <memory>

#include "experiments/tasks/task.h"

namespace lengthwise {

/// A task object for each value of the option. Without an axis there is no option and no value, but the one task.
struct TaskAxis {
  std::string option;                              // of the task: "operands"
  std::vector<std::int64_t> values;                // ascending
  std::vector<std::shared_ptr<const Task>> tasks;  // one a value

  /// The name by which make_draw keys the examples of a value: each has its own.
  std::string draw_name(std::size_t value) const;
};

/// Reads "operands: 2..5"; empty is no axis. `where` begins an error: "copy.ini:7: evaluate.axis". Throws InputError
/// when the task has no such integer option, a value is out of its range or makes no task, or the values do not share
/// one vocabulary.
TaskAxis make_axis(const std::string& text, const std::string& where, const std::string& task, const Options& options,
                   Layout layout);

/// What training draws from: the axis's one task, or, with an option, each example from the task of a value drawn
/// uniformly, whatever its length and stream.
std::shared_ptr<const Task> mixed(const TaskAxis& axis);

}  // namespace lengthwise
