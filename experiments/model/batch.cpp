#include "experiments/model/batch.h"

#include <cassert>

namespace lengthwise {

Batch make_batch(std::span<const Example> examples, std::span<const Rng> streams, const PositionScheme& scheme,
                 Phase phase, std::size_t train_positions, const Rng& batch_rng) {
  Batch batch;
  std::map<std::string, std::vector<double>> hints;
  for (const Example& example : examples) {
    const std::size_t begin = batch.tokens.size();
    batch.tokens.insert(batch.tokens.end(), example.tokens.begin(), example.tokens.end());
    batch.features.insert(batch.features.end(), example.features.begin(), example.features.end());
    batch.offsets.push_back(batch.tokens.size());
    batch.first_seen.insert(batch.first_seen.end(), example.first_seen.begin(), example.first_seen.end());
    for (const std::size_t row : example.scored) batch.scored.push_back(begin + row);
    batch.targets.insert(batch.targets.end(), example.targets.begin(), example.targets.end());
    batch.target_sets.insert(batch.target_sets.end(), example.target_sets.begin(), example.target_sets.end());
    batch.scored_offsets.push_back(batch.scored.size());
    batch.pad.push_back(example.pad);
    batch.answer.push_back(example.answer);
    batch.pooled = example.pooled;  // a task pools all of its examples or none
    assert(batch.pooled == examples.front().pooled && (!batch.pooled || example.scored.size() == 1));
    for (const auto& [channel, ids] : example.ids) hints[channel].insert(hints[channel].end(), ids.begin(), ids.end());
  }
  assert(batch.first_seen.empty() || batch.first_seen.size() == batch.tokens.size());
  batch.sequence_rng.assign(streams.begin(), streams.end());
  for (auto& [channel, ids] : hints) batch.positions.set(channel, ids);
  if (scheme.per_layer())
    batch.positions_of_layer = [&scheme, phase, train_positions, batch_rng, hints, offsets = batch.offsets,
                                streams = batch.sequence_rng, from = batch.positions](std::size_t layer) {
      Positions positions = from;
      scheme.assign({phase, offsets, &hints, streams, train_positions, batch_rng, layer}, positions);
      return positions;
    };
  scheme.assign({phase, batch.offsets, &hints, batch.sequence_rng, train_positions, batch_rng}, batch.positions);
  return batch;
}

}  // namespace lengthwise
