#include "encodings/grid_distances.h"

#include <algorithm>

namespace lengthwise {
namespace {

using Ids = std::span<const double>;

bool placed(const Context& context, std::size_t token) {
  const std::vector<bool>& without = context.positions->without_position;
  return without.empty() || !without[token];
}

// What the ids of a channel run over.
struct Extent {
  std::vector<double> first;  // of each sequence
  double count = 1;           // in the largest sequence
  bool whole = true, one_size = true;
};

Extent extent(const Context& context, Ids ids) {
  Extent found;
  for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = context.offsets[b]; i < context.offsets[b + 1]; ++i) {
      if (!placed(context, i)) continue;
      low = std::min(low, ids[i]), high = std::max(high, ids[i]);
      found.whole = found.whole && ids[i] == std::floor(ids[i]);
    }
    found.first.push_back(low);
    const double count = std::max(high - low + 1, 1.0);  // 1 where no token has a place
    found.one_size = found.one_size && (b == 0 || count == found.count);
    found.count = std::max(found.count, count);
  }
  return found;
}

// One number for a place, row (2 width - 1) + column: the difference of two of them tells the displacement.
GridDistances by_displacement(const Context& context, Ids rows, Ids columns, const Extent& vertical,
                              const Extent& horizontal) {
  const auto height = static_cast<std::int64_t>(vertical.count), width = static_cast<std::int64_t>(horizontal.count);
  const std::int64_t stride = 2 * width - 1, zero = (height - 1) * stride + width - 1;

  GridDistances found;
  for (std::int64_t dy = 1 - height; dy < height; ++dy)
    for (std::int64_t dx = 1 - width; dx < width; ++dx)
      found.values.push_back(Displacement{static_cast<double>(dy), static_cast<double>(dx)});

  auto read = std::make_shared<DistanceColumns>();
  read->kind = DistanceColumns::Kind::ids;
  read->zero = static_cast<std::size_t>(zero);
  // Places have numbers from 0 to `zero`. These put pairs with a token that has none beyond all displacements: first
  // those without the key's place, then those without the query's, last those without both.
  const std::int64_t as_query = 3 * zero + 2, as_key = -zero - 1;
  bool all_placed = true;
  for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b)
    for (std::size_t i = context.offsets[b]; i < context.offsets[b + 1]; ++i) {
      const bool here = placed(context, i);
      const auto place = [&] {
        return static_cast<std::int64_t>(rows[i] - vertical.first[b]) * stride +
               static_cast<std::int64_t>(columns[i] - horizontal.first[b]);
      };
      read->ids.push_back(here ? place() : as_query);
      read->key_ids.push_back(here ? place() : as_key);
      all_placed = all_placed && here;
    }
  if (!all_placed)
    for (std::int64_t column = 2 * zero + 1; column <= zero + as_query - as_key; ++column)
      found.values.push_back({.query_placed = column < 3 * zero + 2,
                              .key_placed = column >= 3 * zero + 2 && column < zero + as_query - as_key});
  found.columns = std::move(read);
  return found;
}

GridDistances by_pair(const Context& context, Ids rows, Ids columns) {
  GridDistances found;
  auto read = std::make_shared<DistanceColumns>();
  read->kind = DistanceColumns::Kind::pairs;
  for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b) {
    read->first.push_back(found.values.size());
    for (std::size_t i = context.offsets[b]; i < context.offsets[b + 1]; ++i)
      for (std::size_t j = context.offsets[b]; j < context.offsets[b + 1]; ++j) {
        found.values.push_back({rows[i] - rows[j], columns[i] - columns[j], placed(context, i), placed(context, j)});
      }
  }
  found.columns = std::move(read);
  return found;
}

}  // namespace

const GridDistances& grid_distances(const Context& context) {
  return context.memo->get<GridDistances>("grid_distances", [&] {
    const Ids rows = context.ids("row"), columns = context.ids("column");
    const Extent vertical = extent(context, rows), horizontal = extent(context, columns);
    double pairs = 0;
    for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b) {
      const auto n = static_cast<double>(context.offsets[b + 1] - context.offsets[b]);
      pairs += n * n;
    }
    const bool fewer = (2 * vertical.count - 1) * (2 * horizontal.count - 1) <= pairs;
    GridDistances found = vertical.whole && horizontal.whole && fewer
                              ? by_displacement(context, rows, columns, vertical, horizontal)
                              : by_pair(context, rows, columns);
    found.height = static_cast<std::size_t>(vertical.count);
    found.width = static_cast<std::size_t>(horizontal.count);
    found.one_size = vertical.one_size && horizontal.one_size;
    return found;
  });
}

}  // namespace lengthwise
