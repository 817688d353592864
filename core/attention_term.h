// What an encoding may do inside attention. A tile is some query rows of one sequence and all the keys they see, so
// that nothing is ever L x L and every term sees whole rows.
//
// The order of a head's work on a tile is fixed by stages, not by the order of a list:
//   content        S = q k^T, plus what a paper adds inside 1/sqrt(d): Shaw, Transformer-XL, DeBERTa, TUPE, CoPE
//   content_scale  after S *= scale: factors on the content logit alone (SSMax, log-n with scope = content)
//   bias           ALiBi, T5, KERPLE, FIRE, forget gates, ...
//   mixer          sees content and bias of all heads of its group (DAPE)
//   row_scale      factors on the whole logit (SSMax with scope = all)
//   normaliser     softmax unless an encoding brings its own (stick-breaking); masked weights become exactly 0
//   value terms    out = A v + f(A) (Shaw's value vectors)
// Masking is by key ranges, never by adding infinities: a term may leave anything finite at masked entries and must not
// read them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/variable.h"

namespace lengthwise {

struct HeadRange {
  std::size_t first = 0, count = 0;
};

/// Keys begin .. end-1 of a sequence.
struct KeyRange {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// Some query rows of one sequence and one head, with all the keys that any of them sees.
template <class T>
struct Tile {
  std::size_t sequence = 0;                 // in the batch
  std::size_t head = 0;                     // in the model
  std::size_t begin = 0;                    // batch row of the sequence's first token: token j of it is row begin + j
  std::size_t length = 0;                   // n, the tokens of the sequence
  std::span<const std::size_t> query_rows;  // which token of the sequence each row asks for; ascending
  std::span<const KeyRange> visible;        // the keys each row sees
  Matrix<const T> q, k, v;                  // [rows, d], [keys, d], [keys, d]
  // The sequence's token that k and v begin with. 0, except for terms that are pairwise: these also meet tiles with
  // some of the keys, whose columns, visible's among them, count from first_key.
  std::size_t first_key = 0;

  std::size_t rows() const { return query_rows.size(); }
  std::size_t keys() const { return k.rows; }
};

/// Memory of one term on one tile; what forward puts there, backward finds again.
template <class T>
class Scratch {
 public:
  /// Uninitialised when it is asked for the first time or in another shape.
  Matrix<T> matrix(std::size_t slot, std::size_t rows, std::size_t cols) {
    if (slots_.size() <= slot) slots_.resize(slot + 1);
    Array<T>& at = slots_[slot];
    if (at.rows() != rows || at.cols() != cols) at = uninitialized<T>(rows, cols);
    return view(at);
  }

 private:
  std::vector<Array<T>> slots_;
};

/// Where backward passes add their gradients.
template <class T>
struct TileGradient {
  Matrix<T> q, k, v;                  // of the tile's q, k, v
  std::span<const Matrix<T>> inputs;  // of the term's inputs, whole; empty matrices where nothing is wanted
};

enum class Stage { content, content_scale, bias, row_scale };

template <class T>
class ScoreTerm {
 public:
  virtual ~ScoreTerm() = default;
  virtual Stage stage() const { return Stage::bias; }
  /// Whether forward does to an entry what its query and its key decide, whatever other keys the tile holds; it must
  /// then heed Tile::first_key.
  virtual bool pairwise() const { return false; }
  /// Learned or computed matrices that gradients flow to, in the order of TileGradient::inputs.
  virtual std::vector<Variable<T>> inputs() const { return {}; }
  /// Changes scores [rows, keys] at visible entries.
  virtual void forward(const Tile<T>&, Matrix<T> scores, Scratch<T>&) const = 0;
  /// gradient [rows, keys] is of the scores after this term; a term that multiplies turns it into that of the scores
  /// before. It is 0 at masked entries and stays so.
  virtual void backward(const Tile<T>&, Matrix<T> gradient, Scratch<T>&, TileGradient<T>&) const = 0;
};

/// Adds to the output something that depends on the attention weights.
template <class T>
class ValueTerm {
 public:
  virtual ~ValueTerm() = default;
  virtual std::vector<Variable<T>> inputs() const { return {}; }
  /// weights [rows, keys] -> adds to output [rows, d].
  virtual void forward(const Tile<T>&, Matrix<const T> weights, Matrix<T> output, Scratch<T>&) const = 0;
  /// output_gradient [rows, d] -> adds to weights_gradient [rows, keys] and to the inputs' gradients.
  virtual void backward(const Tile<T>&, Matrix<const T> weights, Matrix<const T> output_gradient,
                        Matrix<T> weights_gradient, Scratch<T>&, TileGradient<T>&) const = 0;
};

/// Turns content and bias of all heads of a group into their scores. The group's heads must see the same keys: a window
/// that differs between them is refused (InputError), since terms leave masked entries as they are.
template <class T>
class HeadMixer {
 public:
  virtual ~HeadMixer() = default;
  virtual std::vector<Variable<T>> inputs() const { return {}; }
  /// One tile, content and bias matrix a head. Leaves the scores in content.
  virtual void forward(std::span<const Tile<T>>, std::span<const Matrix<T>> content, std::span<const Matrix<T>> bias,
                       Scratch<T>&) const = 0;
  /// In: the scores' gradients in d_content. Out: those of content and bias.
  virtual void backward(std::span<const Tile<T>>, std::span<const Matrix<T>> d_content,
                        std::span<const Matrix<T>> d_bias, Scratch<T>&, TileGradient<T>&) const = 0;
};

/// Scores to weights, in place. Masked weights must become exactly 0.
template <class T>
class Normaliser {
 public:
  virtual ~Normaliser() = default;
  virtual void forward(const Tile<T>&, Matrix<T> scores, Scratch<T>&) const = 0;
  /// gradient: of the weights in, of the scores out.
  virtual void backward(const Tile<T>&, Matrix<const T> weights, Matrix<T> gradient, Scratch<T>&) const = 0;
};

/// Narrows the keys a query sees beyond causality (sliding windows, one per head).
class Window {
 public:
  virtual ~Window() = default;
  virtual KeyRange visible(std::size_t head, std::size_t query_row, std::size_t length) const = 0;
};

/// Everything an encoding contributes to the attention of one layer.
template <class T>
struct Terms {
  std::vector<std::shared_ptr<const ScoreTerm<T>>> scores;
  std::vector<std::shared_ptr<const ValueTerm<T>>> values;
  std::shared_ptr<const HeadMixer<T>> mixer;
  std::shared_ptr<const Normaliser<T>> normaliser;
  std::shared_ptr<const Window> window;
};

}  // namespace lengthwise
