#include "core/attention.h"

#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "core/simd.h"
#include "core/tile_products.h"

namespace lengthwise {
namespace {

// Rows of a plane are padded, so that a kernel may run whole vectors from any key on: it may write up to `spare`
// entries past the last visible key, and leaves zeros there.
constexpr std::size_t spare = 16;
constexpr std::size_t whole(std::size_t n) { return (n + spare - 1) / spare * spare; }

template <class T>
struct Plane {
  Array<T> storage;
  Matrix<T> matrix;
};

template <class T>
Plane<T> make_plane(std::size_t rows, std::size_t cols) {
  Plane<T> plane{uninitialized<T>(rows, whole(cols) + spare), {}};
  plane.matrix = view(plane.storage).block_cols(0, cols);
  return plane;
}

// entries(begin, count, padded count) of what row i of a plane sees, and zeros for the rest.
template <class T, class Entries>
void in_visible(Matrix<T> plane, std::size_t i, KeyRange seen, Entries entries) {
  T* row = plane.row(i);
  const std::size_t done = seen.begin + whole(seen.end - seen.begin);
  std::fill(row, row + seen.begin, T(0));
  if (seen.begin < seen.end) entries(row + seen.begin, seen.end - seen.begin, done - seen.begin);
  if (done < plane.cols) std::fill(row + done, row + plane.cols, T(0));
}

// Up to this length the weights of a training step are kept for the backward pass: little memory, and less work. Beyond
// it tiles are recomputed, so that memory grows linearly.
constexpr std::size_t keep_length = 128;

// A tile before it is bound to a head.
struct TileRows {
  std::size_t sequence, first, count;  // queries first .. first+count-1 of the sequence
};

// One head on one tile: everything between q, k, v and the output that the backward pass needs again.
template <class T>
struct Head {
  Tile<T> tile;
  std::vector<KeyRange> own_visible;  // where a window narrows what this head sees
  Plane<T> scores, bias;              // scores become weights; bias only where a mixer wants it apart
  Plane<T> dropped;                   // weights after dropout, where there is dropout
  std::vector<Scratch<T>> score_scratch, value_scratch;
  Scratch<T> normaliser_scratch;

  Matrix<const T> weights() const { return scores.matrix; }
  Matrix<const T> effective_weights() const { return dropped.matrix.data ? dropped.matrix : scores.matrix; }
};

// The heads of a group that are worked on together: one, or all of them when a mixer joins them.
struct Unit {
  std::size_t group = 0, first_head = 0, count = 1;
};
template <class T>
struct UnitState {
  std::vector<Head<T>> heads;
  Scratch<T> mixer_scratch;
};

// A tile's rows as its heads see them. Heads point into it: it does not move.
template <class T>
struct TileState {
  std::vector<std::size_t> query_rows;
  std::vector<KeyRange> visible;
  std::vector<UnitState<T>> units;  // kept for the backward pass of short sequences
};

template <class T>
struct Attention {
  AttentionShape shape;
  std::vector<HeadGroup<T>> groups;
  AttentionDropout dropout;
  AttentionObserver<T>* observer = nullptr;
  bool whole_rows = false;  // never block by block
  std::vector<TileRows> tiles;
  std::vector<Unit> units;
  // Of every group, where the inputs of its terms begin among the node's parents (after q, k and v).
  struct Inputs {
    std::vector<std::size_t> scores, values;
    std::size_t mixer;
  };
  std::vector<Inputs> inputs;
  std::vector<Variable<T>> parents;
  std::vector<std::unique_ptr<TileState<T>>> kept;  // one a tile, where the weights are kept instead of recomputed
  std::size_t longest = 0;                          // tokens of the longest sequence
  std::size_t key_block = 0;
  // What the backward pass needs where it computes weights again: the peak and total of every softmax,
  // [queries, heads], and the result.
  std::vector<SoftmaxParts<T>, PoolAllocator<SoftmaxParts<T>>> softmaxes;
  Held<T> result;
  // And where keys are taken block by block, the lowest block of a tile's keys that adds to its output, [tiles, units].
  std::vector<std::size_t> lowest_blocks;
  static constexpr std::size_t fixed_parents = 3;

  std::size_t head_dim() const { return parents[0].cols() / shape.heads; }
  std::size_t query_offset(std::size_t sequence) const {
    return shape.query_offsets.empty() ? shape.offsets[sequence] : shape.query_offsets[sequence];
  }
  std::size_t length(std::size_t sequence) const { return shape.offsets[sequence + 1] - shape.offsets[sequence]; }

  Plane<T> plane(const Tile<T>& tile) const { return make_plane<T>(tile.rows(), tile.keys()); }

  std::unique_ptr<TileState<T>> lay_out(const TileRows& rows) const {
    auto state = std::make_unique<TileState<T>>();
    state->query_rows.resize(rows.count);
    state->visible.resize(rows.count);
    for (std::size_t i = 0; i < rows.count; ++i) {
      const std::size_t query = rows.first + i;
      state->query_rows[i] = shape.query_rows.empty() ? query : shape.query_rows[query_offset(rows.sequence) + query];
      const std::size_t token = shape.offsets[rows.sequence] + state->query_rows[i];
      state->visible[i] = {shape.first_seen.empty() ? 0 : shape.first_seen[token],
                           shape.causal ? state->query_rows[i] + 1 : length(rows.sequence)};
    }
    return state;
  }

  void bind(Head<T>& bound, const TileRows& rows, const TileState<T>& state, const HeadGroup<T>& group,
            std::size_t head) const {
    Tile<T>& tile = bound.tile;
    tile.sequence = rows.sequence;
    tile.head = head;
    tile.begin = shape.offsets[rows.sequence];
    tile.length = length(rows.sequence);
    tile.query_rows = state.query_rows;
    tile.visible = state.visible;
    if (group.terms.window) {
      bound.own_visible = state.visible;
      for (std::size_t i = 0; i < rows.count; ++i) {
        KeyRange& seen = bound.own_visible[i];
        const KeyRange window = group.terms.window->visible(head, tile.query_rows[i], tile.length);
        seen = {std::max(seen.begin, window.begin), std::min(seen.end, window.end)};
        if (seen.begin >= seen.end) seen = {0, 0};
      }
      tile.visible = bound.own_visible;
    }
    std::size_t keys = 0;
    for (const KeyRange& seen : tile.visible) keys = std::max(keys, seen.end);
    const std::size_t d = head_dim();
    tile.q =
        parents[0].value().block_rows(query_offset(rows.sequence) + rows.first, rows.count).block_cols(head * d, d);
    tile.k = parents[1].value().block_rows(tile.begin, keys).block_cols(head * d, d);
    tile.v = parents[2].value().block_rows(tile.begin, keys).block_cols(head * d, d);
  }

  static bool has_stage(const HeadGroup<T>& group, Stage stage) {
    return std::ranges::any_of(group.terms.scores, [&](const auto& term) { return term->stage() == stage; });
  }

  void apply(const HeadGroup<T>& group, Stage stage, Head<T>& head, Matrix<T> to) const {
    for (std::size_t t = 0; t < group.terms.scores.size(); ++t)
      if (group.terms.scores[t]->stage() == stage) group.terms.scores[t]->forward(head.tile, to, head.score_scratch[t]);
  }

  // q k^T and what belongs to the content.
  void score(const HeadGroup<T>& group, Head<T>& head) const {
    const bool inner = has_stage(group, Stage::content);
    tile_scores<T>(head.tile.visible, inner ? T(1) : group.scale, head.tile.q, head.tile.k, head.scores.matrix);
    if (inner) {
      apply(group, Stage::content, head, head.scores.matrix);
      rescale(head.scores.matrix, group.scale);
    }
    apply(group, Stage::content_scale, head, head.scores.matrix);
  }

  SoftmaxParts<T>& softmax_of(const TileRows& rows, std::size_t i, std::size_t head) {
    return softmaxes[(query_offset(rows.sequence) + rows.first + i) * shape.heads + head];
  }

  // From logits to weights; `again`: for the backward pass.
  void normalise(const HeadGroup<T>& group, const TileRows& rows, Head<T>& head, bool again) {
    const Tile<T>& tile = head.tile;
    if (group.terms.normaliser)
      return group.terms.normaliser->forward(tile, head.scores.matrix, head.normaliser_scratch);
    for (std::size_t i = 0; i < tile.rows(); ++i)
      in_visible(head.scores.matrix, i, tile.visible[i], [&](T* x, std::size_t count, std::size_t padded) {
        if (again) return softmax_again(x, count, padded, softmax_of(rows, i, tile.head));
        const SoftmaxParts<T> parts = softmax_padded(x, count, padded);
        if (!softmaxes.empty()) softmax_of(rows, i, tile.head) = parts;
      });
  }

  // From the gradient of the weights to that of the logits; a softmax: dS = A (dA - sum_j A_j dA_j).
  void backward_normalised(const HeadGroup<T>& group, Head<T>& head, Matrix<T> gradient) const {
    const Tile<T>& tile = head.tile;
    if (group.terms.normaliser)
      return group.terms.normaliser->backward(tile, head.weights(), gradient, head.normaliser_scratch);
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const T* a = head.weights().row(i) + tile.visible[i].begin;
      in_visible(gradient, i, tile.visible[i], [a](T* g, std::size_t count, std::size_t padded) {
        softmax_gradient(a, g, count, padded, dot(a, g, count));
      });
    }
  }

  // From q and k to the weights of a unit's heads.
  UnitState<T> weigh(const Unit& unit, const TileRows& rows, const TileState<T>& state, bool again) {
    const HeadGroup<T>& group = groups[unit.group];
    const auto& terms = group.terms;
    UnitState<T> made;
    made.heads.resize(unit.count);
    for (std::size_t h = 0; h < unit.count; ++h) {
      Head<T>& head = made.heads[h];
      bind(head, rows, state, group, unit.first_head + h);
      require(std::ranges::equal(head.tile.visible, made.heads[0].tile.visible), "attention: heads ", unit.first_head,
              " and ", head.tile.head,
              " have different windows, but are mixed with each other; mixed heads must see the same keys. Use an "
              "encoding without a window, or one that does not mix heads.");
      const Tile<T>& tile = head.tile;
      head.score_scratch.resize(terms.scores.size());
      head.value_scratch.resize(terms.values.size());
      head.scores = plane(tile);
      score(group, head);
      if (terms.mixer) {
        head.bias = plane(tile);
        fill(head.bias.matrix, T(0));
      }
      apply(group, Stage::bias, head, terms.mixer ? head.bias.matrix : head.scores.matrix);
    }
    if (terms.mixer) {
      std::vector<Tile<T>> mixed;
      std::vector<Matrix<T>> content, bias;
      for (Head<T>& head : made.heads) {
        mixed.push_back(head.tile);
        content.push_back(head.scores.matrix);
        bias.push_back(head.bias.matrix);
      }
      terms.mixer->forward(mixed, content, bias, made.mixer_scratch);
    }
    for (Head<T>& head : made.heads) {
      apply(group, Stage::row_scale, head, head.scores.matrix);
      Plane<T> logits;
      if (observer) {
        logits = plane(head.tile);
        copy(head.scores.matrix, logits.matrix);
      }
      normalise(group, rows, head, again);
      if (observer) observer->observe(head.tile, logits.matrix, head.weights());
      if (dropout.rate > 0) {
        head.dropped = plane(head.tile);
        copy(head.weights(), head.dropped.matrix);
        drop(head.tile, head.dropped.matrix);
      }
    }
    return made;
  }

  void drop(const Tile<T>& tile, Matrix<T> weights) const {
    const auto threshold = static_cast<std::uint64_t>(std::ldexp(dropout.rate, 64));
    const Rng rng = dropout.sequence_rng[tile.sequence].at(tile.head);
    const T kept_factor = static_cast<T>(1 / (1 - dropout.rate));
    for (std::size_t i = 0; i < weights.rows; ++i)
      for (std::size_t j = tile.visible[i].begin; j < tile.visible[i].end; ++j)
        weights(i, j) *= rng.bits(std::uint64_t{tile.query_rows[i]} << 32 | j) < threshold ? T(0) : kept_factor;
  }

  Matrix<T> head_block(Matrix<T> all, std::size_t head, std::size_t first_row, std::size_t rows) const {
    return all.block_rows(first_row, rows).block_cols(head * head_dim(), head_dim());
  }

  struct Gradients {
    Matrix<const T> output;
    Matrix<T> q, k, v;
    std::span<const Matrix<T>> inputs;
  };

  // Of a gradient of keys or values, the rows of a tile's keys.
  Matrix<T> key_rows(Matrix<T> all, const Tile<T>& tile) const {
    return head_block(all, tile.head, tile.begin + tile.first_key, tile.keys());
  }

  TileGradient<T> into(const Tile<T>& tile, const TileRows& rows, const Gradients& gradients, std::size_t first_input,
                       std::size_t count) const {
    return {head_block(gradients.q, tile.head, query_offset(rows.sequence) + rows.first, rows.count),
            key_rows(gradients.k, tile), key_rows(gradients.v, tile), gradients.inputs.subspan(first_input, count)};
  }

  void undo(const Unit& unit, Stage stage, Head<T>& head, const TileRows& rows, Matrix<T> gradient,
            const Gradients& gradients) const {
    const auto& terms = groups[unit.group].terms.scores;
    const auto& places = inputs[unit.group].scores;
    for (std::size_t t = terms.size(); t-- > 0;) {
      if (terms[t]->stage() != stage) continue;
      TileGradient<T> to = into(head.tile, rows, gradients, places[t], places[t + 1] - places[t]);
      terms[t]->backward(head.tile, gradient, head.score_scratch[t], to);
    }
  }

  // From the gradients of a head's logits, and of the part that came as a bias, to those of q, k and the terms' inputs.
  void backward_scores(const Unit& unit, Head<T>& head, const TileRows& rows, Matrix<T> gradient, Matrix<T> of_bias,
                       const Gradients& gradients) const {
    const HeadGroup<T>& group = groups[unit.group];
    const Tile<T>& tile = head.tile;
    undo(unit, Stage::bias, head, rows, of_bias, gradients);
    undo(unit, Stage::content_scale, head, rows, gradient, gradients);
    const bool inner = has_stage(group, Stage::content);
    if (inner) {
      rescale(gradient, group.scale);
      undo(unit, Stage::content, head, rows, gradient, gradients);
    }
    const T factor = inner ? T(1) : group.scale;
    tile_sum_over_keys<T>(tile.visible, factor, gradient, tile.k, 1,
                          head_block(gradients.q, tile.head, query_offset(rows.sequence) + rows.first, rows.count));
    tile_sum_over_rows<T>(tile.visible, factor, gradient, tile.q, key_rows(gradients.k, tile));
  }

  // Whether the keys of a tile may be taken block by block.
  bool in_parts(const HeadGroup<T>& group) const {
    const auto& terms = group.terms;
    return longest > key_block && kept.empty() && !whole_rows && dropout.rate == 0 && !terms.mixer &&
           !terms.normaliser && terms.values.empty() &&
           std::ranges::all_of(terms.scores, [](const auto& term) { return term->pairwise(); });
  }

  // Calls work(block) for one block of a tile's keys after another, from the last to `lowest`, with the head's tile
  // narrowed to the block and its scores made up to the normaliser. In causal models near keys come first: where an
  // encoding has its largest scores there, what is far may turn out to weigh nothing.
  template <class Work>
  void for_each_part(const Unit& unit, const TileRows& rows, const TileState<T>& state, Head<T>& head,
                     std::size_t lowest, Work work) const {
    const HeadGroup<T>& group = groups[unit.group];
    bind(head, rows, state, group, unit.first_head);
    head.score_scratch.resize(group.terms.scores.size());
    const Tile<T> whole_tile = head.tile;
    Tile<T>& tile = head.tile;
    std::vector<KeyRange> visible(rows.count);
    head.scores = make_plane<T>(rows.count, key_block);
    for (std::size_t block = (whole_tile.keys() + key_block - 1) / key_block; block-- > lowest;) {
      const std::size_t first = block * key_block, end = std::min(first + key_block, whole_tile.keys());
      for (std::size_t i = 0; i < rows.count; ++i) {
        const KeyRange seen = whole_tile.visible[i];
        visible[i] = {std::clamp(seen.begin, first, end) - first, std::clamp(seen.end, first, end) - first};
      }
      if (std::ranges::all_of(visible, [](const KeyRange& seen) { return seen.begin == seen.end; })) continue;
      tile.first_key = first;
      tile.k = whole_tile.k.block_rows(first, end - first);
      tile.v = whole_tile.v.block_rows(first, end - first);
      tile.visible = visible;
      head.scores.matrix.cols = end - first;
      score(group, head);
      apply(group, Stage::bias, head, head.scores.matrix);
      apply(group, Stage::row_scale, head, head.scores.matrix);
      work(block);
    }
  }

  // The output of one head on a tile, block of keys by block of keys, so that the scores stay near the core: the sums
  // so far are rescaled whenever a block holds a row's largest score yet (Milakov and Gimelshein 2018,
  // arXiv:1805.02867; Rabe and Staats 2021, arXiv:2112.05682). A block whose exponentials are all zero is passed
  // over. Returns the lowest block that is not, 0 if there is none.
  std::size_t attend_in_parts(const Unit& unit, const TileRows& rows, const TileState<T>& state, Matrix<T> output) {
    const std::size_t first_query = query_offset(rows.sequence) + rows.first;
    const Matrix<T> out = head_block(output, unit.first_head, first_query, rows.count);
    fill(out, T(0));
    std::vector<SoftmaxParts<T>> parts(rows.count);
    Head<T> head;
    std::size_t lowest_block = 0;
    for_each_part(unit, rows, state, head, 0, [&](std::size_t block) {
      bool adds = false;
      for (std::size_t i = 0; i < rows.count; ++i)
        in_visible(head.scores.matrix, i, head.tile.visible[i], [&](T* x, std::size_t count, std::size_t padded) {
          const auto [factor, row_adds] = softmax_part(x, count, padded, parts[i]);
          if (factor != 1) rescale(out.block_rows(i, 1), factor);
          adds |= row_adds;
        });
      if (!adds) return;
      lowest_block = block;
      tile_sum_over_keys<T>(head.tile.visible, 1, head.scores.matrix, head.tile.v, 1, out);
    });
    for (std::size_t i = 0; i < rows.count; ++i) {
      if (parts[i].total != 0) rescale(out.block_rows(i, 1), 1 / parts[i].total);
      if (!softmaxes.empty()) softmax_of(rows, i, unit.first_head) = parts[i];
    }
    return lowest_block;
  }

  // Its gradients: sum_j A_j dA_j is out . d_out (Dao et al. 2022, arXiv:2205.14135), whatever block the keys are of.
  void backward_in_parts(const Unit& unit, const TileRows& rows, const TileState<T>& state, std::size_t lowest_block,
                         const Gradients& gradients) {
    const std::size_t first_query = query_offset(rows.sequence) + rows.first, d = head_dim();
    const auto of_head = [&](Matrix<const T> all) {
      return all.block_rows(first_query, rows.count).block_cols(unit.first_head * d, d);
    };
    const Matrix<const T> d_out = of_head(gradients.output), out = of_head(result->matrix);
    const Plane<T> plane = make_plane<T>(rows.count, key_block);
    std::vector<T> along(rows.count);
    for (std::size_t i = 0; i < rows.count; ++i) along[i] = dot(out.row(i), d_out.row(i), d);
    Head<T> head;
    for_each_part(unit, rows, state, head, lowest_block, [&](std::size_t) {
      const Tile<T>& tile = head.tile;
      const Matrix<T> weights = head.scores.matrix;
      Matrix<T> gradient = plane.matrix;
      gradient.cols = tile.keys();
      tile_scores<T>(tile.visible, 1, d_out, tile.v, gradient);
      for (std::size_t i = 0; i < rows.count; ++i) {
        const KeyRange seen = tile.visible[i];
        in_visible(weights, i, seen, [&](T* x, std::size_t count, std::size_t padded) {
          softmax_again(x, count, padded, softmax_of(rows, i, unit.first_head));
        });
        in_visible(gradient, i, seen, [&](T* g, std::size_t count, std::size_t padded) {
          softmax_gradient(weights.row(i) + seen.begin, g, count, padded, along[i]);
        });
      }
      tile_sum_over_rows<T>(tile.visible, 1, weights, d_out, key_rows(gradients.v, tile));
      undo(unit, Stage::row_scale, head, rows, gradient, gradients);
      backward_scores(unit, head, rows, gradient, gradient, gradients);
    });
  }

  void forward(std::size_t t, Matrix<T> output) {
    const TileRows& rows = tiles[t];
    auto state = lay_out(rows);
    for (std::size_t u = 0; u < units.size(); ++u) {
      const Unit& unit = units[u];
      if (in_parts(groups[unit.group])) {
        const std::size_t lowest_block = attend_in_parts(unit, rows, *state, output);
        if (!lowest_blocks.empty()) lowest_blocks[t * units.size() + u] = lowest_block;
        continue;
      }
      UnitState<T> made = weigh(unit, rows, *state, false);
      const auto& values = groups[unit.group].terms.values;
      for (Head<T>& head : made.heads) {
        const Matrix<T> out = head_block(output, head.tile.head, query_offset(rows.sequence) + rows.first, rows.count);
        tile_sum_over_keys<T>(head.tile.visible, 1, head.effective_weights(), head.tile.v, 0, out);
        for (std::size_t v = 0; v < values.size(); ++v)
          values[v]->forward(head.tile, head.effective_weights(), out, head.value_scratch[v]);
      }
      if (!kept.empty()) state->units.push_back(std::move(made));
    }
    if (!kept.empty()) kept[t] = std::move(state);
  }

  void backward(std::size_t t, const Gradients& gradients) {
    const TileRows& rows = tiles[t];
    const auto state = kept.empty() ? lay_out(rows) : std::move(kept[t]);
    for (std::size_t u = 0; u < units.size(); ++u) {
      if (in_parts(groups[units[u].group])) {
        backward_in_parts(units[u], rows, *state, lowest_blocks[t * units.size() + u], gradients);
        continue;
      }
      UnitState<T> unit_state = kept.empty() ? weigh(units[u], rows, *state, true) : std::move(state->units[u]);
      backward(units[u], unit_state, rows, gradients);
    }
  }

  void backward(const Unit& unit, UnitState<T>& state, const TileRows& rows, const Gradients& gradients) const {
    const HeadGroup<T>& group = groups[unit.group];
    const Inputs& places = inputs[unit.group];
    const auto& terms = group.terms;
    const std::size_t query_begin = query_offset(rows.sequence) + rows.first, d = head_dim();
    std::vector<Plane<T>> planes(state.heads.size()), bias_planes(state.heads.size());
    for (std::size_t h = 0; h < state.heads.size(); ++h) {
      Head<T>& head = state.heads[h];
      const Tile<T>& tile = head.tile;
      const Matrix<const T> d_out = gradients.output.block_rows(query_begin, rows.count).block_cols(tile.head * d, d);
      planes[h] = plane(tile);
      const Matrix<T> gradient = planes[h].matrix;
      tile_scores<T>(tile.visible, 1, d_out, tile.v, gradient);
      tile_sum_over_rows<T>(tile.visible, 1, head.effective_weights(), d_out, key_rows(gradients.v, tile));
      for (std::size_t t = terms.values.size(); t-- > 0;) {
        TileGradient<T> to = into(tile, rows, gradients, places.values[t], places.values[t + 1] - places.values[t]);
        terms.values[t]->backward(tile, head.effective_weights(), d_out, gradient, head.value_scratch[t], to);
      }
      if (dropout.rate > 0) drop(tile, gradient);
      backward_normalised(group, head, gradient);
      undo(unit, Stage::row_scale, head, rows, gradient, gradients);
    }

    if (terms.mixer) {
      std::vector<Tile<T>> mixed;
      std::vector<Matrix<T>> d_content, d_bias;
      for (std::size_t h = 0; h < state.heads.size(); ++h) {
        const Tile<T>& tile = state.heads[h].tile;
        bias_planes[h] = plane(tile);
        fill(bias_planes[h].matrix, T(0));
        mixed.push_back(tile);
        d_content.push_back(planes[h].matrix);
        d_bias.push_back(bias_planes[h].matrix);
      }
      TileGradient<T> to = into(mixed[0], rows, gradients, places.mixer, terms.mixer->inputs().size());
      terms.mixer->backward(mixed, d_content, d_bias, state.mixer_scratch, to);
    }

    for (std::size_t h = 0; h < state.heads.size(); ++h) {
      const Matrix<T> gradient = planes[h].matrix;
      backward_scores(unit, state.heads[h], rows, gradient, terms.mixer ? bias_planes[h].matrix : gradient, gradients);
    }
  }
};

constexpr std::size_t default_tile_rows = 64;
// Scores of 128 x 512 in float are a quarter of a MiB: with keys and values of the block they fit a core's cache.
constexpr std::size_t default_key_block = 512;

}  // namespace

template <class T>
Variable<T> attention(const Variable<T>& q, const Variable<T>& k, const Variable<T>& v, AttentionShape shape,
                      std::vector<HeadGroup<T>> groups, AttentionDropout dropout, AttentionObserver<T>* observer) {
  assert(k.rows() == shape.offsets.back() && v.rows() == k.rows() && k.cols() == q.cols() && v.cols() == q.cols());
  assert(q.rows() == (shape.query_offsets.empty() ? shape.offsets.back() : shape.query_offsets.back()));
  assert(shape.query_rows.size() == (shape.query_offsets.empty() ? 0 : q.rows()));
  assert(shape.first_seen.empty() || shape.first_seen.size() == k.rows());
  assert(dropout.rate == 0 || dropout.sequence_rng.size() == shape.offsets.size() - 1);

  auto work = std::make_shared<Attention<T>>();
  work->shape = std::move(shape);
  work->groups = std::move(groups);
  work->dropout = std::move(dropout);
  work->observer = observer;
  work->whole_rows = observer != nullptr;
  work->parents = {q, k, v};
  for (const auto& group : work->groups) {
    auto& inputs = work->inputs.emplace_back();
    const auto append = [&](const auto& term) {
      for (auto& input : term.inputs()) work->parents.push_back(std::move(input));
    };
    const auto position = [&] { return work->parents.size() - Attention<T>::fixed_parents; };
    for (const auto& term : group.terms.scores) inputs.scores.push_back(position()), append(*term);
    inputs.scores.push_back(position());
    for (const auto& term : group.terms.values) inputs.values.push_back(position()), append(*term);
    inputs.values.push_back(position());
    inputs.mixer = position();
    if (group.terms.mixer) append(*group.terms.mixer);
  }

  const AttentionShape& s = work->shape;
  const std::size_t sequences = s.offsets.size() - 1;
  std::size_t& longest = work->longest;
  for (std::size_t b = 0; b < sequences; ++b) longest = std::max(longest, s.offsets[b + 1] - s.offsets[b]);
  work->key_block = s.key_block ? s.key_block : default_key_block;
  std::size_t usual_rows = default_tile_rows;
  if (std::ranges::all_of(work->groups, [&](const auto& group) { return work->in_parts(group); }))
    usual_rows = 2 * default_tile_rows;  // keys, which come from far, are taken up by more rows at a time
  else if (longest > keep_length)
    for (const auto& group : work->groups)  // planes of heads that are mixed are alive at once
      if (group.terms.mixer) usual_rows = std::clamp<std::size_t>(default_tile_rows / group.heads.count, 8, usual_rows);
  const std::size_t tile_rows = s.tile_rows ? s.tile_rows : usual_rows;
  for (std::size_t b = 0; b < sequences; ++b) {
    const auto& offsets = s.query_offsets.empty() ? s.offsets : s.query_offsets;
    const std::size_t count = offsets[b + 1] - offsets[b];
    for (std::size_t first = 0; first < count; first += tile_rows)
      work->tiles.push_back({b, first, std::min(tile_rows, count - first)});
  }

  for (std::size_t g = 0; g < work->groups.size(); ++g) {
    const HeadRange range = work->groups[g].heads;
    const std::size_t together = work->groups[g].terms.mixer ? range.count : 1;
    for (std::size_t first = 0; first < range.count; first += together)
      work->units.push_back({g, range.first + first, together});
  }
  const bool recorded =
      Tape<T>::current() && std::ranges::any_of(work->parents, [](const auto& p) { return p.node() != nullptr; });
  if (recorded && longest <= keep_length && !s.key_block) work->kept.resize(work->tiles.size());

  if (recorded && work->kept.empty()) {
    work->softmaxes.resize(q.rows() * s.heads);
    work->lowest_blocks.resize(work->tiles.size() * work->units.size());
  }

  Array<T> y = uninitialized<T>(q.rows(), q.cols());
  parallel_for(work->tiles.size(), [&](std::size_t t) {
    // The largest tiles of a causal sequence come last; hand them out first.
    work->forward(work->tiles.size() - 1 - t, view(y));
  });
  work->observer = nullptr;  // the backward pass may weigh tiles again

  const std::vector<Variable<T>> parents = work->parents;
  const Held<T> output = hold(std::move(y));
  if (!work->softmaxes.empty()) work->result = output;
  return record<T>("attention", output, parents, [work](Array<T>& gradient, Sink<T>& into) {
    std::vector<Matrix<T>> gradients;
    std::vector<Array<T>> unwanted;  // q, k and v always have a place to write to
    for (std::size_t p = 0; p < work->parents.size(); ++p) {
      if (into.wants(p)) {
        gradients.push_back(into.accumulator(p));
      } else if (p < Attention<T>::fixed_parents) {
        unwanted.push_back(zeros<T>(work->parents[p].rows(), work->parents[p].cols()));
        gradients.push_back(view(unwanted.back()));
      } else {
        gradients.emplace_back();
      }
    }
    const typename Attention<T>::Gradients all{view(std::as_const(gradient)), gradients[0], gradients[1], gradients[2],
                                               std::span(gradients).subspan(Attention<T>::fixed_parents)};
    for (std::size_t t = 0; t < work->tiles.size(); ++t) work->backward(t, all);
  });
}

#define LENGTHWISE_INSTANTIATE(T)                                                                            \
  template Variable<T> attention(const Variable<T>&, const Variable<T>&, const Variable<T>&, AttentionShape, \
                                 std::vector<HeadGroup<T>>, AttentionDropout, AttentionObserver<T>*);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
