// What a run takes at the least, against what the machine has.
#pragma once

#include "experiments/model/transformer.h"

namespace lengthwise {

/// Bytes that this process may use: the machine's memory, or less where its control group or a ulimit says so.
double usable_memory();

/// Bytes of the model's parameters, in training with their gradients and moments, and of what one sequence of so many
/// tokens leaves in memory: a lower bound, half of what is measured or less. `number`: bytes of one.
double least_memory(const ModelConfig& model, std::size_t tokens, bool training, std::size_t number);

}  // namespace lengthwise
