// A bias that depends on the distance of query and key alone, gathered from a table.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention_term.h"

namespace lengthwise {

/// Which column of a distance table the pair (query, key) reads.
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
};

/// S[h, i, j] += table[h - first head, column(i, j)]. table [heads, columns].
template <class T>
std::shared_ptr<const ScoreTerm<T>> distance_bias(Variable<T> table, std::shared_ptr<const DistanceColumns> columns,
                                                  std::size_t first_head);

}  // namespace lengthwise
