#include "core/attention.h"

#include <cmath>

#include "core/error.h"
#include "core/gemm.h"
#include "core/parallel.h"
#include "core/simd.h"

namespace lengthwise {
namespace {

template <class T>
class Softmax final : public Normaliser<T> {
 public:
  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>&) const override {
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = tile.visible[i];
      T* row = scores.row(i);
      std::fill(row, row + begin, T(0));
      std::fill(row + end, row + scores.cols, T(0));
      if (begin < end) softmax(row + begin, end - begin);
    }
  }
  // dS = A (dA - sum_j A_j dA_j)
  void backward(const Tile<T>& tile, Matrix<const T> weights, Matrix<T> gradient, Scratch<T>&) const override {
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = tile.visible[i];
      const T* a = weights.row(i);
      T* g = gradient.row(i);
      const T along = dot(a + begin, g + begin, end - begin);
      std::fill(g, g + begin, T(0));
#pragma omp simd
      for (std::size_t j = begin; j < end; ++j) g[j] = a[j] * (g[j] - along);
      std::fill(g + end, g + gradient.cols, T(0));
    }
  }
};

// A tile before it is bound to a head.
struct TileRows {
  std::size_t sequence, first, count;  // queries first .. first+count-1 of the sequence
};

template <class T>
struct Attention {
  AttentionShape shape;
  std::vector<HeadGroup<T>> groups;
  AttentionDropout dropout;
  std::vector<TileRows> tiles;
  // Of every group, where the inputs of its terms begin among the node's parents (after q, k and v).
  struct Inputs {
    std::vector<std::size_t> scores, values;
    std::size_t mixer;
  };
  std::vector<Inputs> inputs;
  std::vector<Variable<T>> parents;
  static constexpr std::size_t fixed_parents = 3;
  inline static const Softmax<T> plain_softmax{};

  std::size_t head_dim() const { return parents[0].cols() / shape.heads; }
  const Normaliser<T>& normaliser(const HeadGroup<T>& group) const {
    return group.terms.normaliser ? *group.terms.normaliser : plain_softmax;
  }

  // One head of a group on one tile.
  struct Head {
    Tile<T> tile;
    std::vector<KeyRange> visible;
    Array<T> scores, bias;    // scores become weights; bias only where a mixer wants it apart
    Array<T> dropped;         // weights after dropout, where there is dropout
    std::vector<Scratch<T>> score_scratch, value_scratch;
    Scratch<T> normaliser_scratch;
  };

  Head bind(const TileRows& rows, std::size_t head, const HeadGroup<T>& group, std::span<const std::size_t> all_rows) const {
    Head bound;
    Tile<T>& tile = bound.tile;
    tile.sequence = rows.sequence;
    tile.head = head;
    tile.begin = shape.offsets[rows.sequence];
    tile.length = shape.offsets[rows.sequence + 1] - tile.begin;
    const std::size_t query_begin = query_offset(rows.sequence) + rows.first;
    tile.query_rows = all_rows.subspan(0, rows.count);
    bound.visible.resize(rows.count);
    std::size_t keys = 0;
    for (std::size_t i = 0; i < rows.count; ++i) {
      KeyRange seen{0, shape.causal ? tile.query_rows[i] + 1 : tile.length};
      if (group.terms.window) {
        const KeyRange window = group.terms.window->visible(head, tile.query_rows[i], tile.length);
        seen = {std::max(seen.begin, window.begin), std::min(seen.end, window.end)};
        if (seen.begin >= seen.end) seen = {0, 0};
      }
      bound.visible[i] = seen;
      keys = std::max(keys, seen.end);
    }
    tile.visible = bound.visible;
    const std::size_t d = head_dim();
    tile.q = parents[0].value().block_rows(query_begin, rows.count).block_cols(head * d, d);
    tile.k = parents[1].value().block_rows(tile.begin, keys).block_cols(head * d, d);
    tile.v = parents[2].value().block_rows(tile.begin, keys).block_cols(head * d, d);
    return bound;
  }

  std::size_t query_offset(std::size_t sequence) const {
    return shape.query_offsets.empty() ? shape.offsets[sequence] : shape.query_offsets[sequence];
  }

  // The sequence rows that the queries of a tile ask for.
  std::vector<std::size_t> rows_of(const TileRows& tile) const {
    std::vector<std::size_t> rows(tile.count);
    for (std::size_t i = 0; i < tile.count; ++i)
      rows[i] = shape.query_rows.empty() ? tile.first + i : shape.query_rows[query_offset(tile.sequence) + tile.first + i];
    return rows;
  }

  static bool has_stage(const HeadGroup<T>& group, Stage stage) {
    return std::ranges::any_of(group.terms.scores, [&](const auto& term) { return term->stage() == stage; });
  }

  void apply(const HeadGroup<T>& group, Stage stage, Head& head, Matrix<T> to) const {
    for (std::size_t t = 0; t < group.terms.scores.size(); ++t)
      if (group.terms.scores[t]->stage() == stage) group.terms.scores[t]->forward(head.tile, to, head.score_scratch[t]);
  }

  // From q and k to the weights of some heads of a group: one head, or all of them when a mixer joins them.
  void weigh(const HeadGroup<T>& group, std::span<Head> heads, Scratch<T>& mixer_scratch) const {
    const bool inner = has_stage(group, Stage::content);
    const auto& terms = group.terms;
    for (Head& head : heads) {
      head.score_scratch.resize(terms.scores.size());
      head.value_scratch.resize(terms.values.size());
      const Tile<T>& tile = head.tile;
      head.scores = uninitialized<T>(tile.rows(), tile.keys());
      gemm<T>(Op::none, Op::transpose, inner ? T(1) : group.scale, tile.q, tile.k, 0, view(head.scores));
      if (inner) {
        apply(group, Stage::content, head, view(head.scores));
        for (T& s : head.scores.storage()) s *= group.scale;
      }
      apply(group, Stage::content_scale, head, view(head.scores));
      if (terms.mixer) head.bias = zeros<T>(tile.rows(), tile.keys());
      apply(group, Stage::bias, head, view(terms.mixer ? head.bias : head.scores));
    }
    if (terms.mixer) {
      const auto [tiles_, content, bias] = mixed(heads);
      terms.mixer->forward(tiles_, content, bias, mixer_scratch);
    }
    for (Head& head : heads) {
      apply(group, Stage::row_scale, head, view(head.scores));
      normaliser(group).forward(head.tile, view(head.scores), head.normaliser_scratch);
      if (dropout.rate > 0) {
        head.dropped = head.scores;
        drop(head.tile, view(head.dropped));
      }
    }
  }

  struct Mixed {
    std::vector<Tile<T>> tiles;
    std::vector<Matrix<T>> content, bias;
  };
  static Mixed mixed(std::span<Head> heads) {
    Mixed all;
    for (Head& head : heads) {
      all.tiles.push_back(head.tile);
      all.content.push_back(view(head.scores));
      all.bias.push_back(view(head.bias));
    }
    return all;
  }

  void drop(const Tile<T>& tile, Matrix<T> weights) const {
    const auto threshold = static_cast<std::uint64_t>(std::ldexp(dropout.rate, 64));
    const Rng rng = dropout.sequence_rng[tile.sequence].at(tile.head);
    const T kept = static_cast<T>(1 / (1 - dropout.rate));
    for (std::size_t i = 0; i < weights.rows; ++i)
      for (std::size_t j = tile.visible[i].begin; j < tile.visible[i].end; ++j)
        weights(i, j) *= rng.bits(std::uint64_t{tile.query_rows[i]} << 32 | j) < threshold ? T(0) : kept;
  }

  static Matrix<const T> effective(const Head& head, bool dropped) { return view(dropped ? head.dropped : head.scores); }

  // Calls work(group index, heads) for the heads of every group: one by one, or together when a mixer joins them.
  template <class Work>
  void for_heads(const TileRows& rows, std::span<const std::size_t> query_rows, Work work) const {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const HeadRange range = groups[g].heads;
      const std::size_t together = groups[g].terms.mixer ? range.count : 1;
      for (std::size_t first = range.first; first < range.first + range.count; first += together) {
        std::vector<Head> heads;
        for (std::size_t h = 0; h < together; ++h) heads.push_back(bind(rows, first + h, groups[g], query_rows));
        for (const Head& head : heads)
          require(head.visible == heads[0].visible, "attention: heads ", first, " and ", head.tile.head,
                  " have different windows, but are mixed with each other; mixed heads must see the same keys. Use an encoding "
                  "without a window, or one that does not mix heads.");
        work(g, std::span<Head>(heads));
      }
    }
  }

  Matrix<T> head_block(Matrix<T> all, const Tile<T>& tile, std::size_t first_row, std::size_t rows) const {
    return all.block_rows(first_row, rows).block_cols(tile.head * head_dim(), head_dim());
  }

  void forward(const TileRows& rows, Matrix<T> output) const {
    const std::vector<std::size_t> query_rows = rows_of(rows);
    for_heads(rows, query_rows, [&](std::size_t g, std::span<Head> heads) {
      Scratch<T> mixer_scratch;
      weigh(groups[g], heads, mixer_scratch);
      for (Head& head : heads) {
        const Matrix<T> out = head_block(output, head.tile, query_offset(rows.sequence) + rows.first, rows.count);
        const Matrix<const T> weights = effective(head, dropout.rate > 0);
        gemm<T>(Op::none, Op::none, 1, weights, head.tile.v, 0, out);
        for (std::size_t t = 0; t < groups[g].terms.values.size(); ++t)
          groups[g].terms.values[t]->forward(head.tile, weights, out, head.value_scratch[t]);
      }
    });
  }

  void backward(const TileRows& rows, Matrix<const T> output_gradient, Matrix<T> dq, Matrix<T> dk, Matrix<T> dv,
                std::span<const Matrix<T>> input_gradients) const {
    const std::vector<std::size_t> query_rows = rows_of(rows);
    const std::size_t query_begin = query_offset(rows.sequence) + rows.first;
    for_heads(rows, query_rows, [&](std::size_t g, std::span<Head> heads) {
      const HeadGroup<T>& group = groups[g];
      const auto& terms = group.terms;
      Scratch<T> mixer_scratch;
      weigh(group, heads, mixer_scratch);

      std::vector<Array<T>> gradients(heads.size()), bias_gradients(heads.size());
      const auto into = [&](const Tile<T>& tile, std::size_t first_input, std::size_t count) {
        return TileGradient<T>{head_block(dq, tile, query_begin, rows.count), head_block(dk, tile, tile.begin, tile.keys()),
                               head_block(dv, tile, tile.begin, tile.keys()), input_gradients.subspan(first_input, count)};
      };
      const auto undo = [&](Stage stage, Head& head, Matrix<T> gradient) {
        for (std::size_t t = terms.scores.size(); t-- > 0;) {
          if (terms.scores[t]->stage() != stage) continue;
          TileGradient<T> to = into(head.tile, inputs[g].scores[t], inputs[g].scores[t + 1] - inputs[g].scores[t]);
          terms.scores[t]->backward(head.tile, gradient, head.score_scratch[t], to);
        }
      };

      for (std::size_t h = 0; h < heads.size(); ++h) {
        Head& head = heads[h];
        const Tile<T>& tile = head.tile;
        const std::size_t d = head_dim();
        const Matrix<const T> d_out = output_gradient.block_rows(query_begin, rows.count).block_cols(tile.head * d, d);
        const Matrix<const T> weights = effective(head, dropout.rate > 0);
        gradients[h] = uninitialized<T>(tile.rows(), tile.keys());
        const Matrix<T> gradient = view(gradients[h]);
        gemm<T>(Op::none, Op::transpose, 1, d_out, tile.v, 0, gradient);
        gemm<T>(Op::transpose, Op::none, 1, weights, d_out, 1, head_block(dv, tile, tile.begin, tile.keys()));
        for (std::size_t t = terms.values.size(); t-- > 0;) {
          TileGradient<T> to = into(tile, inputs[g].values[t], inputs[g].values[t + 1] - inputs[g].values[t]);
          terms.values[t]->backward(tile, weights, d_out, gradient, head.value_scratch[t], to);
        }
        if (dropout.rate > 0) drop(tile, gradient);
        normaliser(group).backward(tile, view(std::as_const(head.scores)), gradient, head.normaliser_scratch);
        undo(Stage::row_scale, head, gradient);
      }

      if (terms.mixer) {
        std::vector<Tile<T>> tiles_;
        std::vector<Matrix<T>> d_content, d_bias;
        for (std::size_t h = 0; h < heads.size(); ++h) {
          bias_gradients[h] = zeros<T>(heads[h].tile.rows(), heads[h].tile.keys());
          tiles_.push_back(heads[h].tile);
          d_content.push_back(view(gradients[h]));
          d_bias.push_back(view(bias_gradients[h]));
        }
        TileGradient<T> to = into(heads[0].tile, inputs[g].mixer, terms.mixer->inputs().size());
        terms.mixer->backward(tiles_, d_content, d_bias, mixer_scratch, to);
      }

      const bool inner = has_stage(group, Stage::content);
      for (std::size_t h = 0; h < heads.size(); ++h) {
        Head& head = heads[h];
        const Tile<T>& tile = head.tile;
        const Matrix<T> gradient = view(gradients[h]);
        undo(Stage::bias, head, terms.mixer ? view(bias_gradients[h]) : gradient);
        undo(Stage::content_scale, head, gradient);
        if (inner) {
          for (T& s : gradients[h].storage()) s *= group.scale;
          undo(Stage::content, head, gradient);
        }
        const T factor = inner ? T(1) : group.scale;
        gemm<T>(Op::none, Op::none, factor, gradient, tile.k, 1, head_block(dq, tile, query_begin, rows.count));
        gemm<T>(Op::transpose, Op::none, factor, gradient, tile.q, 1, head_block(dk, tile, tile.begin, tile.keys()));
      }
    });
  }
};

// Half the wasted work of a causal tile grows with its rows, the cost of small products shrinks.
std::size_t default_tile_rows(std::size_t longest) { return longest <= 96 ? 32 : 64; }

}  // namespace

template <class T>
Variable<T> attention(const Variable<T>& q, const Variable<T>& k, const Variable<T>& v, AttentionShape shape,
                      std::vector<HeadGroup<T>> groups, AttentionDropout dropout) {
  assert(k.rows() == shape.offsets.back() && v.rows() == k.rows() && k.cols() == q.cols() && v.cols() == q.cols());
  assert(q.rows() == (shape.query_offsets.empty() ? shape.offsets.back() : shape.query_offsets.back()));
  assert(shape.query_rows.size() == (shape.query_offsets.empty() ? 0 : q.rows()));
  assert(dropout.rate == 0 || dropout.sequence_rng.size() == shape.offsets.size() - 1);

  auto work = std::make_shared<Attention<T>>();
  work->shape = std::move(shape);
  work->groups = std::move(groups);
  work->dropout = std::move(dropout);
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
  std::size_t longest = 0;
  for (std::size_t b = 0; b < sequences; ++b) longest = std::max(longest, s.offsets[b + 1] - s.offsets[b]);
  const std::size_t tile_rows = s.tile_rows ? s.tile_rows : default_tile_rows(longest);
  for (std::size_t b = 0; b < sequences; ++b) {
    const auto& offsets = s.query_offsets.empty() ? s.offsets : s.query_offsets;
    const std::size_t count = offsets[b + 1] - offsets[b];
    for (std::size_t first = 0; first < count; first += tile_rows)
      work->tiles.push_back({b, first, std::min(tile_rows, count - first)});
  }

  Array<T> y = uninitialized<T>(q.rows(), q.cols());
  parallel_for(work->tiles.size(), [&](std::size_t t) {
    // The largest tiles of a causal sequence come last; hand them out first.
    work->forward(work->tiles[work->tiles.size() - 1 - t], view(y));
  });

  const std::vector<Variable<T>> parents = work->parents;
  return record<T>("attention", std::move(y), parents, [work](Array<T>& gradient, Sink<T>& into) {
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
    for (const TileRows& tile : work->tiles)
      work->backward(tile, view(std::as_const(gradient)), gradients[0], gradients[1], gradients[2],
                     std::span(gradients).subspan(Attention<T>::fixed_parents));
  });
}

#define LENGTHWISE_INSTANTIATE(T)                                                                               \
  template Variable<T> attention(const Variable<T>&, const Variable<T>&, const Variable<T>&, AttentionShape,    \
                                 std::vector<HeadGroup<T>>, AttentionDropout);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
