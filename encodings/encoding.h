// The interface of positional encodings. One file per encoding, ending in its registration line; experiments/ and the
// tests reach it by name alone.
#pragma once

#include <cmath>

#include "core/attention_term.h"
#include "core/distance_bias.h"
#include "core/ops/arithmetic.h"
#include "core/options.h"
#include "core/parameters.h"
#include "core/random.h"
#include "encodings/positions.h"

namespace lengthwise {

struct ModelShape {
  std::size_t layers = 1, width = 0, heads = 1;
  bool causal = true;
  std::size_t train_positions = 0;  // the longest sequence of training, in tokens
  /// L of formulas, where training went on from another's: that of the first. 0: the same.
  std::size_t original_positions = 0;
  std::size_t head_dim() const { return width / heads; }
  /// L, in tokens, as formulas mean it: what a model was first trained on keeps its meaning when training goes on
  /// longer.
  std::size_t original_length() const { return original_positions ? original_positions : train_positions; }
};

/// Things computed once in a forward pass and shared by its layers: angle tables, distances, biases of shared tables.
class Memo {
 public:
  template <class V, class Make>
  const V& get(const std::string& key, Make make) {
    std::any& slot = slots_[key];
    if (!slot.has_value()) slot = V(make());
    return *std::any_cast<V>(&slot);
  }

 private:
  std::map<std::string, std::any> slots_;
};

/// What every hook may read.
struct Context {
  std::size_t layer = 0;
  HeadRange heads;  // the heads this object serves
  Phase phase = Phase::train;
  bool causal = true;
  const Positions* positions = nullptr;
  std::span<const std::size_t> offsets;  // sequences of the ragged batch: B + 1
  std::size_t train_positions = 0;       // L of formulas, in tokens
  Memo* memo = nullptr;

  std::span<const double> ids(const std::string& channel) const { return positions->channel(channel); }
  std::size_t tokens() const { return offsets.back(); }
};

template <class T>
struct QueryKey {
  Variable<T> q, k;  // [tokens, H d]
};

/// What an encoding is made from.
template <class T>
struct EncodingSetup {
  const ModelShape& shape;
  std::size_t layer;
  HeadRange heads;
  const Options& options;
  ParameterStore<T>& store;
  /// "blocks.3.": the prefix for parameters that each layer owns.
  std::string layer_prefix() const { return join("blocks.", layer, "."); }
};

/// One object per layer and head group. A model calls the hooks in this order: embed (once, by the first layer's
/// object), then in every layer transform and terms.
template <class T>
class Encoding {
 public:
  virtual ~Encoding() = default;
  /// x [tokens, D]: the token embeddings.
  virtual Variable<T> embed(const Variable<T>& x, const Context&) const { return x; }
  virtual QueryKey<T> transform(const QueryKey<T>& qk, const Context&) const { return qk; }
  /// What multiplies q.k and the content terms.
  virtual T scale(std::size_t head_dim) const { return T(1 / std::sqrt(static_cast<double>(head_dim))); }
  /// x [tokens, D]: what the layer's attention reads.
  virtual Terms<T> terms(const Variable<T>&, const Context&) const { return {}; }
  /// Parameters with a range are clamped here.
  virtual void after_update() {}
};

/// A bound that no id reaches.
inline constexpr std::size_t unbounded = ~std::size_t{0};

/// What happens beyond the longest trained sequence.
enum class PastLength { extrapolate, clamp, error, interpolate, resample };

struct EncodingInfo {
  Section section;     // name, one sentence, options
  std::string source;  // authors, year, arXiv id, section
  std::string formula;
  std::string verified;  // what it was compared with: "transformers (golden), finite differences"
  PastLength past_length = PastLength::extrapolate;
  bool relative = false;  // attention is unchanged when every id moves by the same amount
  bool causal_only = false;
  bool needs_increasing_ids = false;
  bool needs_whole_ids = false;  // looks ids up in a table
  /// Knows positions through distances() alone, so that a scheme may draw distances instead.
  bool reads_distances = false;
  std::vector<std::string> channels = {"sequence"};  // read from Positions
  /// Ids must be below this, or `unbounded`. No function: unbounded whatever the options.
  std::function<std::size_t(const Options&, const ModelShape&)> max_positions = {};
  /// Throws InputError for settings that make no sense for this model.
  std::function<void(const Options&, const ModelShape&)> check = {};
  /// Whether what these options do to a token depends on how many tokens the sequence has: what decoding kept of
  /// earlier tokens is then of no use.
  std::function<bool(const Options&)> follows_length = {};
  /// The options that these values of others leave without effect: a scaling's factor without a scaling.
  std::function<std::vector<std::string>(const Options&)> idle = {};
  /// Whether these options squeeze longer sequences into the trained range: refused beside a scheme that does the same.
  std::function<bool(const Options&)> rescales = {};
};

template <class T>
using EncodingFactory = std::function<std::unique_ptr<Encoding<T>>(const EncodingSetup<T>&)>;

void register_encoding(EncodingInfo info, EncodingFactory<float> make_float, EncodingFactory<double> make_double);

/// `const bool registered = register_encoding<Rope>({...});` at the end of an encoding's file.
template <template <class> class E>
bool register_encoding(EncodingInfo info) {
  register_encoding(
      std::move(info), [](const EncodingSetup<float>& setup) { return std::make_unique<E<float>>(setup); },
      [](const EncodingSetup<double>& setup) { return std::make_unique<E<double>>(setup); });
  return true;
}

}  // namespace lengthwise
