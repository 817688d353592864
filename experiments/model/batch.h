// A ragged batch: examples laid one after another, with their position ids.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "encodings/positions.h"
#include "experiments/tasks/task.h"

namespace lengthwise {

struct Batch {
  std::vector<std::size_t> tokens;             // of all sequences
  std::vector<float> features;                 // as many a token, or none
  std::vector<std::size_t> offsets{0};         // B + 1
  std::vector<std::size_t> first_seen;         // of every row, in its sequence, as Example has it; or none
  std::vector<std::size_t> scored;             // rows of the batch whose output is scored, ascending
  std::vector<int> targets;                    // one a scored row, or
  std::vector<std::uint64_t> target_sets;      // one a scored row
  std::vector<std::size_t> scored_offsets{0};  // B + 1: scored rows of each sequence
  std::vector<std::size_t> pad, answer;        // of each sequence, as Example has them
  bool pooled = false;                         // outputs are of the mean over a sequence's rows, one a sequence
  Positions positions;
  /// Of a scheme that draws ids for every layer: those of one; `positions` are the first layer's. Otherwise empty.
  std::function<Positions(std::size_t layer)> positions_of_layer = {};
  std::vector<Rng> sequence_rng;  // one stream a sequence: dropout, random positions

  std::size_t sequences() const { return offsets.size() - 1; }
  /// Whether scored row r of the batch, of sequence b, counts as a token of the answer.
  bool in_answer(std::size_t b, std::size_t r) const {
    const std::size_t first = scored_offsets[b] + pad[b];
    return r >= first && r < first + answer[b];
  }
  std::span<const std::size_t> batch_offsets() const { return offsets; }
};

/// `streams`: one an example; `batch_rng`: shared by every example of the step or evaluated length. Ids that the
/// examples hand over become channels, and the scheme, which must outlive the batch, adds its own.
Batch make_batch(std::span<const Example> examples, std::span<const Rng> streams, const PositionScheme& scheme,
                 Phase phase, std::size_t train_positions, const Rng& batch_rng = Rng(0));

}  // namespace lengthwise
