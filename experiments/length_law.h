// How often training meets each of its lengths.
//
// Source  the curricula of Delétang et al. 2022 (arXiv:2207.02098): uniform, reverse exponential, regular increase,
//         each with one length a batch.
#pragma once

#include <vector>

#include "core/random.h"

namespace lengthwise {

struct LengthLaw {
  std::vector<double> up_to = {};  // of each length: probability of it or a shorter one; empty: all alike
  std::size_t stair_steps = 0;     // steps after which the next length joins, the shortest is there at once; 0: all are
  bool newest = false;             // of those that have joined, the longest alone
  bool per_batch = false;          // the examples of a step share their length

  /// One of `lengths` (ascending), a function of the step and the stream alone.
  std::size_t pick(const std::vector<std::size_t>& lengths, std::size_t step, Rng rng) const;
};

/// P(n) in proportion to tau^n.
std::vector<double> exponential_shares(const std::vector<std::size_t>& lengths, double tau);

}  // namespace lengthwise
