// Multi-head attention over a ragged batch, in tiles of query rows, forward and backward.
#pragma once

#include <optional>

#include "core/attention_term.h"
#include "core/random.h"

namespace lengthwise {

struct AttentionShape {
  std::size_t heads = 1;
  bool causal = true;
  std::vector<std::size_t> offsets;  // B + 1: rows offsets[b] .. offsets[b+1]-1 of k and v are sequence b
  // Which tokens ask. Empty: all of them. Otherwise rows query_offsets[b] .. of q belong to sequence b, and row r asks
  // as token query_rows[r] of its sequence (ascending): decoding, or only the scored rows of a last layer.
  std::vector<std::size_t> query_offsets, query_rows;
  std::vector<std::size_t> first_seen = {};  // of every token: the first key that it sees; empty: 0
  std::size_t tile_rows = 0;                 // query rows of a tile; 0 picks by length
  // Keys taken together where nothing needs whole rows; 0: the usual number. With a number of one's own, nothing is
  // kept for the backward pass of short sequences.
  std::size_t key_block = 0;
};

/// The terms of one group of heads and its scale (1/sqrt(d) unless the encoding says otherwise).
template <class T>
struct HeadGroup {
  HeadRange heads;
  T scale;
  Terms<T> terms;
};

/// Dropout of attention weights; the weight of (head, query token, key token) of a sequence is decided by its stream.
struct AttentionDropout {
  double rate = 0;
  std::vector<Rng> sequence_rng;
};

/// Looks on while attention works, and changes nothing.
template <class T>
class AttentionObserver {
 public:
  virtual ~AttentionObserver() = default;
  /// Once for every tile and head, from several threads at a time. logits [rows, keys]: what the normaliser got, valid
  /// where visible; weights [rows, keys]: what it made of them, before dropout.
  virtual void observe(const Tile<T>&, Matrix<const T> logits, Matrix<const T> weights) = 0;
};

/// q [queries, H d], k and v [tokens, H d], heads side by side -> [queries, H d]. A query sees the keys of its own
/// sequence: all of them, or those of tokens up to its own when causal (by row order, whatever the position ids), from
/// first_seen on, narrowed by a window. A query that sees no key yields 0. The groups cover every head once. Memory
/// beyond the result is tile_rows * n a thread (times the heads of a group with a mixer), or tile_rows * key_block
/// where no term needs whole rows; the backward pass recomputes the tiles.
template <class T>
Variable<T> attention(const Variable<T>& q, const Variable<T>& k, const Variable<T>& v, AttentionShape shape,
                      std::vector<HeadGroup<T>> groups, AttentionDropout dropout = {},
                      AttentionObserver<T>* observer = nullptr);

}  // namespace lengthwise
