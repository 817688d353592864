// What attention heads look at: entropy, distance, size of logits. Taken while attention works, tile by tile.
#pragma once

#include <map>
#include <mutex>

#include "core/attention.h"
#include "experiments/dataset.h"
#include "experiments/model/batch.h"

namespace lengthwise {

/// Of one head, summed over queries that saw a weight.
struct HeadSums {
  double queries = 0;
  double entropy = 0;                                               // nats: -sum_j a_j ln a_j
  double distance = 0;                                              // tokens: sum_j a_j |i - j| / sum_j a_j
  double largest_logit = -std::numeric_limits<double>::infinity();  // of all visible pairs, as the normaliser gets them
  std::vector<double> profile;  // weight by distance; entry b holds the distances of b bits: 0, 1, 2-3, 4-7, ...
};

/// Of one length: [block, as applied][head].
using LayerSums = std::vector<std::vector<HeadSums>>;

/// to += more; `to` may be empty.
void add(const LayerSums& more, LayerSums& to);

/// Looks at the scored queries of a batch (all of them, where outputs are pooled) in one application of a block. The
/// last block works on no others, and so blocks compare.
template <class T>
class HeadObserver final : public AttentionObserver<T> {
 public:
  explicit HeadObserver(const Batch& batch);
  void observe(const Tile<T>& tile, Matrix<const T> logits, Matrix<const T> weights) override;
  /// One a head; the same bits whichever threads worked on the tiles.
  std::vector<HeadSums> heads() const;

 private:
  std::vector<bool> scored_;                                       // by row of the batch
  std::map<std::pair<std::size_t, std::size_t>, HeadSums> tiles_;  // by head and the tile's first query
  std::mutex mutex_;
};

/// As the run file holds it: attention_entropy, mean_distance and largest_logit by (layer, head, length), and
/// distance_profile by (layer, head, length, distance). A length without sums is NaN.
Group to_group(const std::vector<LayerSums>& of_lengths, const std::vector<std::int64_t>& lengths);

}  // namespace lengthwise
