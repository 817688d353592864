#include "experiments/diagnostics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace lengthwise {

namespace {

void add(const HeadSums& more, HeadSums& to) {
  to.queries += more.queries;
  to.entropy += more.entropy;
  to.distance += more.distance;
  to.largest_logit = std::max(to.largest_logit, more.largest_logit);
  to.profile.resize(std::max(to.profile.size(), more.profile.size()));
  for (std::size_t b = 0; b < more.profile.size(); ++b) to.profile[b] += more.profile[b];
}

}  // namespace

void add(const LayerSums& more, LayerSums& to) {
  to.resize(std::max(to.size(), more.size()));
  for (std::size_t l = 0; l < more.size(); ++l) {
    to[l].resize(std::max(to[l].size(), more[l].size()));
    for (std::size_t h = 0; h < more[l].size(); ++h) add(more[l][h], to[l][h]);
  }
}

template <class T>
HeadObserver<T>::HeadObserver(const Batch& batch) : scored_(batch.tokens.size(), batch.pooled) {
  for (const std::size_t row : batch.scored) scored_[row] = true;
}

template <class T>
void HeadObserver<T>::observe(const Tile<T>& tile, Matrix<const T> logits, Matrix<const T> weights) {
  HeadSums sums;
  sums.profile.resize(std::bit_width(tile.length - 1) + 1);
  for (std::size_t r = 0; r < tile.rows(); ++r) {
    const std::size_t i = tile.query_rows[r];
    if (!scored_[tile.begin + i]) continue;
    double total = 0, entropy = 0, distance = 0;
    for (std::size_t j = tile.visible[r].begin; j < tile.visible[r].end; ++j) {
      const double a = weights(r, j);
      const std::size_t away = i > j ? i - j : j - i;
      sums.largest_logit = std::max(sums.largest_logit, static_cast<double>(logits(r, j)));
      if (a == 0) continue;
      total += a;
      entropy -= a * std::log(a);
      distance += a * static_cast<double>(away);
      sums.profile[std::bit_width(away)] += a;
    }
    if (total == 0) continue;
    ++sums.queries;
    sums.entropy += entropy;
    sums.distance += distance / total;
  }
  const std::lock_guard lock(mutex_);
  tiles_[{tile.head, tile.begin + tile.query_rows.front()}] = std::move(sums);
}

template <class T>
std::vector<HeadSums> HeadObserver<T>::heads() const {
  std::vector<HeadSums> all;
  for (const auto& [place, sums] : tiles_) {
    if (place.first == all.size()) all.emplace_back();
    add(sums, all.back());
  }
  return all;
}

Group to_group(const std::vector<LayerSums>& of_lengths, const std::vector<std::int64_t>& lengths) {
  Group group;
  LayerSums all;  // of the sizes that serve every length
  for (const LayerSums& sums : of_lengths) add(sums, all);
  const std::size_t layers = all.size(), heads = layers ? all[0].size() : 0,
                    buckets = heads ? all[0][0].profile.size() : 0;
  const auto numbered = [](std::size_t count) {
    std::vector<std::int64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  };
  std::vector<std::int64_t> nearest(buckets);
  for (std::size_t b = 1; b < buckets; ++b) nearest[b] = std::int64_t{1} << (b - 1);
  group.attributes["description"] =
      "What heads attend to at the last evaluated step: means over the scored queries of all examples";
  group.add_dimension("layer", numbered(layers), "1", "blocks in the order they are applied");
  group.add_dimension("head", numbered(heads), "1", "attention head");
  group.add_dimension("length", lengths, "1", "length of the problem, as the task counts it");
  group.add_dimension("distance", nearest, "1", "tokens between query and key: from this to before the next");

  std::vector<double> entropy, distance, largest, profile;
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t l = 0; l < layers; ++l)
    for (std::size_t h = 0; h < heads; ++h)
      for (const LayerSums& sums : of_lengths) {
        const HeadSums head = sums.empty() ? HeadSums() : sums.at(l).at(h);
        const auto mean = [&](double sum) { return head.queries > 0 ? sum / head.queries : none; };
        entropy.push_back(mean(head.entropy));
        distance.push_back(mean(head.distance));
        largest.push_back(head.queries > 0 ? head.largest_logit : none);
        for (std::size_t b = 0; b < buckets; ++b)
          profile.push_back(mean(b < head.profile.size() ? head.profile[b] : 0));
      }
  const std::vector<std::string> axes{"layer", "head", "length"};
  group.add_variable("attention_entropy", axes, entropy, "nats", "-sum a ln a over a query's weights");
  group.add_variable("mean_distance", axes, distance, "1", "tokens from a query to its keys, weighted");
  group.add_variable("largest_logit", axes, largest, "1", "largest score of a visible pair, before the normaliser");
  group.add_variable("distance_profile", {"layer", "head", "length", "distance"}, profile, "1",
                     "weight that a query gives to keys at these distances");
  return group;
}

template class HeadObserver<float>;
template class HeadObserver<double>;

}  // namespace lengthwise
