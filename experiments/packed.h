// Packing: training sequences of several examples, one after another.
#pragma once

#include "experiments/length_law.h"
#include "experiments/tasks/task.h"

namespace lengthwise {

/// The task, whose training examples are sequences of up to `tokens` tokens: as many examples as fit, the first of the
/// asked length, the others of lengths drawn from `lengths` by the law (the step is that of a draw's index, with
/// `batch` sequences a step), and of the first a beginning of random size cut away, so
/// that an answer may stand anywhere (Zhou et al. 2023, arXiv:2310.16028, appendix). Later examples see earlier ones.
/// All scored rows count as answer; validation and evaluation get the task's own examples. The task must be causal, of
/// tokens alone, and `tokens` hold an example of the longest length.
std::shared_ptr<const Task> packed(std::shared_ptr<const Task> task, std::vector<std::size_t> lengths,
                                   std::size_t tokens, LengthLaw law = {}, std::size_t batch = 1);

}  // namespace lengthwise
