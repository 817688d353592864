// Which column of a distance table a pair of tokens reads: shared by everything that depends on distances.
#pragma once

#include <cassert>
#include <cstdint>

#include "core/attention_term.h"

namespace lengthwise {

struct DistanceColumns {
  enum class Kind {
    rows,   // zero + (query row - key row): ids in equal steps
    ids,    // zero + (id of query - id of key): whole-numbered ids
    pairs,  // one column for every pair: first[sequence] + query row * n + key row
  };
  Kind kind = Kind::rows;
  std::size_t zero = 0;            // rows and ids: the column of distance 0
  std::vector<std::int64_t> ids;   // ids: one a token of the batch
  std::vector<std::size_t> first;  // pairs: one a sequence
  /// ids: those of tokens as keys, where they have others.
  std::vector<std::int64_t> key_ids = {};
};

/// Calls work(row of the tile, first visible key, last + 1, key -> column) for every query row of the tile.
template <class T, class Work>
void for_each_row(const DistanceColumns& columns, const Tile<T>& tile, Work work) {
  for (std::size_t i = 0; i < tile.rows(); ++i) {
    const auto [begin, end] = tile.visible[i];
    const std::size_t query = tile.query_rows[i];
    switch (columns.kind) {
      case DistanceColumns::Kind::rows: {
        const std::size_t from = columns.zero + query;
        assert(begin >= end || from >= end - 1);
        work(i, begin, end, [from](std::size_t j) { return from - j; });
        break;
      }
      case DistanceColumns::Kind::ids: {
        const std::int64_t* ids = (columns.key_ids.empty() ? columns.ids : columns.key_ids).data() + tile.begin;
        const std::int64_t from = static_cast<std::int64_t>(columns.zero) + columns.ids[tile.begin + query];
        work(i, begin, end, [from, ids](std::size_t j) { return static_cast<std::size_t>(from - ids[j]); });
        break;
      }
      case DistanceColumns::Kind::pairs: {
        const std::size_t from = columns.first[tile.sequence] + query * tile.length;
        work(i, begin, end, [from](std::size_t j) { return from + j; });
        break;
      }
    }
  }
}

}  // namespace lengthwise
