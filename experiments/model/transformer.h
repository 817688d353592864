// A transformer over ragged batches, decoder (causal) or encoder (bidirectional).
#pragma once

#include <memory>

#include "core/attention.h"
#include "encodings/registry.h"
#include "experiments/model/batch.h"

namespace lengthwise {

struct ModelConfig {
  ModelShape shape;
  std::size_t vocabulary = 0;
  std::size_t features = 0;  // of a row besides its token; see Task::features()
  double mlp_ratio = 4;      // hidden width of the MLP over the model's
  bool post_norm = false;    // x = norm(x + f(x)) instead of x = x + f(norm(x))
  bool rms_norm = false;
  std::string activation = "gelu";  // gelu, gelu_tanh, relu, swiglu
  double dropout = 0;               // of the embeddings, of every branch's output and of attention weights
  bool tied_head = false;           // the head's matrix is the token table
  bool head_bias = false;
  // Henry et al. 2020 (arXiv:2010.04245), in the form of Dehghani et al. 2023 (arXiv:2302.05442): before the encoding
  // sees them, q and k of each head are normalised as rms_norm says, with a gain of head_dim that the heads of a layer
  // share and without a bias. Scores are still scaled.
  bool qk_norm = false;
  // Fan et al. 2024 (arXiv:2409.15647): all blocks are applied this many times, and each round but the first may start
  // by adding the embeddings again. An encoding is told its block, whatever the round; dropout differs between rounds.
  std::size_t loops = 1;
  bool inject = false;
  std::string init = "normal";  // normal, xavier, kaiming, lecun, small: how the matrices of blocks start
  double init_std = 0.02;       // of embeddings, of the head and, with init = normal, of matrices
  double embed_scale = 1;       // multiplies token embeddings; 0 means sqrt(width), as Vaswani et al. 2017
  EncodingPlan encodings;
  std::map<std::string, Options> options;  // of each encoding
};

/// Throws InputError for a model that makes no sense: heads that do not divide the width, an encoding's own conditions,
/// a causal encoding in a bidirectional model.
void check_model(const ModelConfig& config);

/// What decoding keeps of the tokens of one sequence that it has read: for every block as applied, the rows its
/// attention read and their q, k and v, before any norm or encoding touched them. An encoding sees all of them again at
/// every token, so that what it does may depend on how many there are.
template <class T>
struct DecodingCache {
  /// `room`: tokens the sequence may grow to.
  DecodingCache(const ModelConfig& config, std::size_t room);

  std::size_t tokens = 0;  // read so far
  std::vector<Array<T>> inputs, qkv;
};

template <class T>
class Transformer {
 public:
  /// Creates its parameters in the store. The names do not depend on the encoding, so that models with equal seeds
  /// share their initial values.
  Transformer(const ModelConfig& config, ParameterStore<T>& store);
  ~Transformer();

  /// [scored rows, vocabulary]; pooled: of the mean of each sequence's normalised rows, [B, vocabulary]. `observers`:
  /// one for each block as it is applied, loops included; or none. `cache`: the batch is one sequence, of which the
  /// cache holds the first tokens; only the others, the scored rows among them, go through the model, and into the
  /// cache.
  Variable<T> logits(const Batch& batch, Phase phase, std::span<AttentionObserver<T>* const> observers = {},
                     DecodingCache<T>* cache = nullptr) const;
  /// Clamps parameters that have a range; after every update.
  void after_update();

  const ModelConfig& config() const { return config_; }
  ParameterStore<T>& store() const { return store_; }

 private:
  struct Layer;
  struct Placed {
    const Encoding<T>* encoding;
    HeadRange heads;
  };
  /// The object of this encoding in the first layer that has it.
  Placed first(const std::string& name) const;

  ModelConfig config_;
  ParameterStore<T>& store_;
  Parameter<T> token_table_, feature_weight_, head_weight_, head_bias_, final_gain_, final_bias_;
  std::vector<Layer> layers_;
};

}  // namespace lengthwise
