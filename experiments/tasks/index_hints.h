// Index hints:  a b c -> c b a  becomes  #4 a #5 b #6 c -> #4 c #5 b #6 a, so that items can be found by name.
//
// Source  Zhou et al. 2023 (arXiv:2310.16028): hints are a contiguous run of an alphabet of their own, whose start is
//         random, so that training on short strings meets every hint of the longest.
#pragma once

#include <memory>

#include "experiments/tasks/task.h"

namespace lengthwise {

/// `hints`: the size of the hints' alphabet, 0 for none.
OptionSpec hints_option();

/// `task`, a PromptTask, with a hint before each item of prompt and answer. Item i of either has the hint start + i;
/// the start is uniform over those that leave room for the longer of the two. Hint symbols follow the task's own.
std::unique_ptr<Task> with_index_hints(std::unique_ptr<Task> task, int hints, Layout layout);

}  // namespace lengthwise
