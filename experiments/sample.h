// Examples of a task as a person reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/tasks/task.h"

namespace lengthwise {

/// A column a row of the model, in lines of at most 100 characters: its input, the right output where the row is
/// scored, and its id channels.
///
///     8 tokens, 3 scored
///     input   BOS  3  7  +  8  SEP  4    5
///     target                     4  5  EOS
///     digit     0  2  1  0  1    0  2    1
///
/// Where a row has several right outputs, they stand below each other in lines that begin with "or".
/// A task that shows its examples in its own way, as images, replaces all but the first line.
std::string show_example(const Task& task, const Example& example);

/// Examples 0 .. count-1 of each length, under a heading a length; first a line on the task's data where it has some.
/// Throws InputError when the task has no such examples.
std::string sample_text(const Task& task, const std::vector<std::size_t>& lengths, std::size_t count,
                        std::uint64_t seed, Stream stream = Stream::train);

}  // namespace lengthwise
