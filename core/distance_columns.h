// Which column of a distance table a pair of tokens reads: shared by everything that depends on distances.
#pragma once

#include <cassert>
#include <cstdint>

#include "core/attention_term.h"

namespace lengthwise {

struct DistanceColumns {
  enum class Kind {
    rows,   // zero + (query row - key row): ids in equal steps; zero may be each sequence's own
    ids,    // zero + (id of query - id of key): whole-numbered ids
    pairs,  // one column for every pair: first[sequence] + query row * n + key row
  };
  Kind kind = Kind::rows;
  std::size_t zero = 0;            // rows and ids: the column of distance 0
  std::vector<std::int64_t> ids;   // ids: one a token of the batch
  std::vector<std::size_t> first;  // pairs, and rows where sequences have columns of their own: one a sequence
  /// ids: those of tokens as keys, where they have others.
  std::vector<std::int64_t> key_ids = {};
  /// Tokens of the batch whose pairs read no column; empty: there are none.
  std::vector<bool> left_out = {};
};

/// Calls work(row of the tile, first key, last + 1, key -> column) for the visible keys of every query row of the tile:
/// once a row, or once for each run of keys between those that are left out.
template <class T, class Work>
void for_each_row(const DistanceColumns& columns, const Tile<T>& tile, Work work) {
  const auto left_out = [&](std::size_t token) { return columns.left_out[tile.begin + token]; };
  const auto on_run = [&](std::size_t i, std::size_t begin, std::size_t end) {
    const std::size_t query = tile.query_rows[i];
    switch (columns.kind) {
      case DistanceColumns::Kind::rows: {
        const std::size_t zero = columns.first.empty() ? columns.zero : columns.first[tile.sequence];
        assert(begin >= end || zero + query >= tile.first_key + end - 1);
        const std::size_t from = zero + query - tile.first_key;
        work(i, begin, end, [from](std::size_t j) { return from - j; });
        break;
      }
      case DistanceColumns::Kind::ids: {
        const std::int64_t* ids =
            (columns.key_ids.empty() ? columns.ids : columns.key_ids).data() + tile.begin + tile.first_key;
        const std::int64_t from = static_cast<std::int64_t>(columns.zero) + columns.ids[tile.begin + query];
        work(i, begin, end, [from, ids](std::size_t j) { return static_cast<std::size_t>(from - ids[j]); });
        break;
      }
      case DistanceColumns::Kind::pairs: {
        const std::size_t from = columns.first[tile.sequence] + query * tile.length + tile.first_key;
        work(i, begin, end, [from](std::size_t j) { return from + j; });
        break;
      }
    }
  };
  for (std::size_t i = 0; i < tile.rows(); ++i) {
    const auto [begin, end] = tile.visible[i];
    if (columns.left_out.empty()) {
      on_run(i, begin, end);
    } else if (!left_out(tile.query_rows[i])) {
      for (std::size_t first = begin, last; first < end; first = last + 1) {
        for (last = first; last < end && !left_out(tile.first_key + last);) ++last;
        if (first < last) on_run(i, first, last);
      }
    }
  }
}

}  // namespace lengthwise
