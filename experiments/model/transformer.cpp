#include "experiments/model/transformer.h"

#include <algorithm>
#include <cmath>

#include "core/ops/activation.h"
#include "core/ops/arithmetic.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"
#include "core/ops/weighted_rows.h"

namespace lengthwise {

namespace {

template <class T>
struct Linear {
  Parameter<T> weight, bias;
  Variable<T> operator()(const Variable<T>& x, const Variable<T>& onto = {}) const {
    return linear(x, weight.variable(), bias ? bias.variable() : Variable<T>(), onto);
  }
};

template <class T>
struct Norm {
  Parameter<T> gain, bias;
  Variable<T> operator()(const Variable<T>& x) const {
    return bias ? layer_norm(x, gain.variable(), bias.variable()) : rms_norm(x, gain.variable());
  }
};

// A matrix [out, in] of a block. `ending`: the last of a branch. The residual stream adds up all branches, and so they
// start smaller where the source says so.
//   normal   Radford et al. 2019 (GPT-2): init_std, over the root of the number of branches for those that end one
//   xavier   Glorot, Bengio 2010: uniform, variance 2 / (in + out)
//   kaiming  He et al. 2015 (arXiv:1502.01852): variance 2 / in
//   lecun    LeCun et al. 1998: variance 1 / in
//   small    Nguyen, Salazar 2019 (arXiv:1910.05895): variance 2 / (5 width); ending: deviation
//            2 / (layers sqrt(width)), as GPT-NeoX-20B (arXiv:2204.06745) joins the two
Initializer initial_matrix(const ModelConfig& config, std::size_t out, std::size_t in, bool ending) {
  const auto inputs = static_cast<double>(in), outputs = static_cast<double>(out),
             width = static_cast<double>(config.shape.width),
             applied = static_cast<double>(config.shape.layers * config.loops);
  if (config.init == "xavier") {
    const double bound = std::sqrt(6 / (inputs + outputs));
    return initial_uniform(-bound, bound);
  }
  if (config.init == "kaiming") return initial_normal(std::sqrt(2 / inputs));
  if (config.init == "lecun") return initial_normal(std::sqrt(1 / inputs));
  if (config.init == "small")
    return initial_normal(ending ? 2 / (applied * std::sqrt(width)) : std::sqrt(2 / (5 * width)));
  return initial_normal(ending ? config.init_std / std::sqrt(2 * applied) : config.init_std);
}

// Streams of one dropout site: a row of the batch each, or only of its scored rows.
std::vector<Rng> row_streams(const Batch& batch, std::size_t layer, std::string_view site, bool scored_only) {
  std::vector<Rng> streams;
  streams.reserve(batch.tokens.size());
  for (std::size_t b = 0; b < batch.sequences(); ++b) {
    const Rng at_site = batch.sequence_rng[b].at("dropout").at(layer).at(site);
    if (scored_only)
      for (std::size_t r = batch.scored_offsets[b]; r < batch.scored_offsets[b + 1]; ++r)
        streams.push_back(at_site.at(batch.scored[r] - batch.offsets[b]));
    else
      for (std::size_t i = 0; i < batch.offsets[b + 1] - batch.offsets[b]; ++i) streams.push_back(at_site.at(i));
  }
  return streams;
}

// The features of a batch's rows, [tokens, features].
template <class T>
Variable<T> feature_rows(const Batch& batch, std::size_t features) {
  Array<T> rows = uninitialized<T>(batch.tokens.size(), features);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    std::copy_n(batch.features.data() + i * features, features, rows.row(i));
  return constant(std::move(rows));
}

// The mean of each sequence's rows: [tokens, D] -> [B, D].
template <class T>
Variable<T> mean_rows(const Variable<T>& x, const Batch& batch) {
  auto weights = std::make_shared<RowWeights<T>>();
  for (std::size_t b = 0; b < batch.sequences(); ++b) {
    const std::size_t begin = batch.offsets[b], end = batch.offsets[b + 1];
    for (std::size_t i = begin; i < end; ++i) weights->add(i, 1 / static_cast<T>(end - begin));
    weights->end_row();
  }
  return weighted_rows(x, std::shared_ptr<const RowWeights<T>>(std::move(weights)));
}

// Puts rows after the first `known` of a store, and returns all of them. The store outlives what is returned.
template <class T>
Variable<T> with_known(Array<T>& store, std::size_t known, const Variable<T>& rows) {
  copy(rows.value(), view(store).block_rows(known, rows.rows()));
  auto value = std::make_shared<Value<T>>();
  value->matrix = view(std::as_const(store)).block_rows(0, known + rows.rows());
  return {std::move(value), nullptr};
}

}  // namespace

// The heads that share an encoding, or several that act together.
template <class T>
struct EncodedHeads {
  HeadRange heads;
  struct Named {
    std::string name;
    std::unique_ptr<Encoding<T>> encoding;
  };
  std::vector<Named> encodings;
};

namespace {

template <class T>
EncodedHeads<T> encoded_heads(const ModelConfig& config, std::size_t layer, std::size_t group,
                              ParameterStore<T>& store) {
  const auto& groups = config.encodings.layer(layer);
  const std::size_t count = config.shape.heads / groups.size();
  EncodedHeads<T> made{{group * count, count}, {}};
  for (const std::string& name : groups[group])
    made.encodings.push_back(
        {name, make_encoding<T>(name, {config.shape, layer, made.heads, config.options.at(name), store})});
  return made;
}

// What the encodings of some heads bring to their attention, in one. Throws InputError where only one of them could.
template <class T>
HeadGroup<T> joined(const EncodedHeads<T>& heads, std::size_t head_dim, const Variable<T>& x, const Context& context) {
  const T usual = static_cast<T>(1 / std::sqrt(static_cast<double>(head_dim)));
  HeadGroup<T> made{heads.heads, usual, {}};
  for (const auto& [name, encoding] : heads.encodings) {
    const T scale = encoding->scale(head_dim);
    require(scale == usual || made.scale == usual || made.scale == scale, "encoding.name: ", name,
            " scales scores in another way than the encoding before it; they cannot be joined by +.");
    if (scale != usual) made.scale = scale;
    Terms<T> terms = encoding->terms(x, context);
    for (auto& term : terms.scores) made.terms.scores.push_back(std::move(term));
    for (auto& term : terms.values) made.terms.values.push_back(std::move(term));
    const auto take_only = [&name = name](auto& mine, auto& given, const char* what) {
      if (!given) return;
      require(!mine, "encoding.name: ", name, " brings a second ", what,
              " for the same heads; they cannot be joined by +.");
      mine = std::move(given);
    };
    take_only(made.terms.mixer, terms.mixer, "head mixer");
    take_only(made.terms.normaliser, terms.normaliser, "normaliser");
    take_only(made.terms.window, terms.window, "window");
    require(!made.terms.mixer || !made.terms.window, "encoding.name: ", name,
            " is joined by + with an encoding of which one mixes heads and the other gives heads windows; mixed heads "
            "must see the same keys.");
  }
  return made;
}

// What cannot be joined shows when a lone token meets the encodings of each head group.
void check_joined(const ModelConfig& config) {
  Positions positions;
  for (const std::string& name : config.encodings.names())
    for (const std::string& channel : encoding_info(name).channels) positions.set(channel, {0});
  const std::vector<std::size_t> offsets{0, 1};
  Memo memo;
  ParameterStore<float> store(0);
  for (std::size_t l = 0; l < config.encodings.parts(); ++l)
    for (std::size_t g = 0; g < config.encodings.layer(l).size(); ++g) {
      if (config.encodings.layer(l)[g].size() < 2) continue;
      const EncodedHeads<float> heads = encoded_heads(config, l, g, store);
      joined(heads, config.shape.head_dim(), constant(zeros<float>(1, config.shape.width)),
             {.layer = l,
              .heads = heads.heads,
              .phase = Phase::evaluate,
              .causal = config.shape.causal,
              .positions = &positions,
              .offsets = offsets,
              .train_positions = config.shape.original_length(),
              .memo = &memo});
    }
}

}  // namespace

template <class T>
struct Transformer<T>::Layer {
  Norm<T> attention_norm, mlp_norm;
  Parameter<T> q_gain, k_gain;  // with qk_norm
  Linear<T> qkv, projection, up, gate, down;
  std::vector<EncodedHeads<T>> groups;
};

void check_model(const ModelConfig& config) {
  const ModelShape& shape = config.shape;
  require(shape.layers > 0 && shape.heads > 0 && shape.width > 0 && shape.width % shape.heads == 0, "model.width is ",
          shape.width, " and model.heads ", shape.heads, "; the heads must divide the width.");
  require(std::llround(config.mlp_ratio * static_cast<double>(shape.width)) >= 1,
          "model.mlp_ratio = ", config.mlp_ratio, " of a width of ", shape.width,
          " leaves the MLP without hidden features; raise it.");
  require(!config.qk_norm || config.rms_norm || shape.head_dim() > 1,
          "model.qk_norm with model.norm = layernorm makes every head of one channel 0; set model.norm = rmsnorm, or "
          "fewer heads.");
  require(config.encodings.parts() <= shape.layers, "encoding.name names encodings for ", config.encodings.parts(),
          " layers in turn, and model.layers is ", shape.layers, "; name at most one part a layer.");
  for (std::size_t l = 0; l < config.encodings.parts(); ++l)
    require(shape.heads % config.encodings.layer(l).size() == 0, "model.heads is ", shape.heads,
            " and encoding.name asks for ", config.encodings.layer(l).size(),
            " head groups of equal size; they must divide the heads.");
  for (const std::string& name : config.encodings.names()) {
    const EncodingInfo& info = encoding_info(name);
    require(shape.causal || !info.causal_only, "encoding.name = ", name,
            " is defined for causal attention only; set model.attention = causal or choose another encoding.");
    if (info.check) info.check(config.options.at(name), shape);
  }
  check_joined(config);
}

template <class T>
Transformer<T>::Transformer(const ModelConfig& config, ParameterStore<T>& store) : config_(config), store_(store) {
  check_model(config);
  const ModelShape& shape = config.shape;
  const std::size_t d = shape.width;
  const auto hidden = static_cast<std::size_t>(std::llround(config.mlp_ratio * static_cast<double>(d)));
  const Initializer normal = initial_normal(config.init_std);
  const auto norm = [&](const std::string& name) {
    Norm<T> made{store.create(name + ".gain", 1, d, initial_value(1)), {}};
    if (!config.rms_norm) made.bias = store.create(name + ".bias", 1, d, initial_value(0));
    return made;
  };
  const auto dense = [&](const std::string& name, std::size_t out, std::size_t in, bool ending = false) {
    const bool stacked = name.ends_with("qkv");  // three matrices
    const Initializer init = initial_matrix(config, stacked ? out / 3 : out, in, ending);
    return Linear<T>{store.create(name + ".weight", out, in, init, Decay::weights),
                     store.create(name + ".bias", 1, out, initial_value(0))};
  };

  token_table_ = store.create("token.table", config.vocabulary, d, normal);
  if (config.features > 0)  // features of deviation 1 have projections of deviation 1
    feature_weight_ = store.create("features.weight", d, config.features,
                                   initial_normal(1 / std::sqrt(static_cast<double>(config.features))), Decay::weights);
  for (std::size_t l = 0; l < shape.layers; ++l) {
    Layer layer;
    const std::string prefix = join("blocks.", l, ".");
    layer.attention_norm = norm(prefix + "attention.norm");
    layer.qkv = dense(prefix + "attention.qkv", 3 * d, d);
    if (config.qk_norm) {
      layer.q_gain = store.create(prefix + "attention.q_norm.gain", 1, shape.head_dim(), initial_value(1));
      layer.k_gain = store.create(prefix + "attention.k_norm.gain", 1, shape.head_dim(), initial_value(1));
    }
    layer.projection = dense(prefix + "attention.projection", d, d, true);
    layer.mlp_norm = norm(prefix + "mlp.norm");
    layer.up = dense(prefix + "mlp.up", hidden, d);
    if (config.activation == "swiglu") layer.gate = dense(prefix + "mlp.gate", hidden, d);
    layer.down = dense(prefix + "mlp.down", d, hidden, true);
    for (std::size_t g = 0; g < config.encodings.layer(l).size(); ++g)
      layer.groups.push_back(encoded_heads(config, l, g, store));
    layers_.push_back(std::move(layer));
  }
  if (!config.post_norm) {
    const Norm<T> last = norm("final.norm");
    final_gain_ = last.gain, final_bias_ = last.bias;
  }
  if (!config.tied_head) head_weight_ = store.create("head.weight", config.vocabulary, d, normal, Decay::weights);
  if (config.head_bias) head_bias_ = store.create("head.bias", 1, config.vocabulary, initial_value(0));
  pool_trim();  // of the smaller blocks that the store has outgrown
}

template <class T>
Transformer<T>::~Transformer() = default;

template <class T>
typename Transformer<T>::Placed Transformer<T>::first(const std::string& name) const {
  for (const auto& layer : layers_)
    for (const auto& group : layer.groups)
      for (const auto& named : group.encodings)
        if (named.name == name) return {named.encoding.get(), group.heads};
  throw std::logic_error("no layer has the encoding " + name);
}

template <class T>
DecodingCache<T>::DecodingCache(const ModelConfig& config, std::size_t room) {
  const std::size_t width = config.shape.width;
  for (std::size_t at = 0; at < config.shape.layers * config.loops; ++at) {
    inputs.push_back(uninitialized<T>(room, width));
    qkv.push_back(uninitialized<T>(room, 3 * width));
  }
}

template <class T>
Variable<T> Transformer<T>::logits(const Batch& batch, Phase phase, std::span<AttentionObserver<T>* const> observers,
                                   DecodingCache<T>* cache) const {
  assert(!cache || (batch.sequences() == 1 && config_.shape.causal && phase == Phase::evaluate));
  // The rows that go through the model: all, or those the cache does not hold.
  const std::size_t known = cache ? cache->tokens : 0;
  std::vector<std::size_t> fresh, scored = batch.scored;
  for (std::size_t row = known; known > 0 && row < batch.tokens.size(); ++row) fresh.push_back(row);
  for (std::size_t& row : scored) row -= known;
  const std::size_t d = config_.shape.width;
  const double rate = phase == Phase::train ? config_.dropout : 0;
  Memo memo, memo_of_layer;
  Positions positions_of_layer;
  Context context{.phase = phase,
                  .causal = config_.shape.causal,
                  .positions = &batch.positions,
                  .offsets = batch.offsets,
                  .train_positions = config_.shape.original_length(),
                  .memo = &memo};
  // Blocks are counted as they are applied: block `at % layers` of round `at / layers`.
  const std::size_t applied = layers_.size() * config_.loops;
  // Nothing reads the last block's other rows: there, only scored rows ask and go through the MLP.
  const bool narrow = !batch.pooled && scored.size() < batch.tokens.size() - known;
  const auto narrowed = [&](std::size_t at) { return narrow && at + 1 == applied; };
  const auto drop = [&](const Variable<T>& in, std::size_t at, std::string_view site, bool scored_only) {
    return rate > 0 ? dropout(in, rate, row_streams(batch, at, site, scored_only)) : in;
  };
  // The end of a residual branch, added to the stream: in one product, unless dropout comes between.
  const auto join_stream = [&](const Variable<T>& stream, const Linear<T>& last, const Variable<T>& in, std::size_t at,
                               std::string_view site) {
    return rate > 0 ? add(stream, drop(last(in), at, site, narrowed(at))) : last(in, stream);
  };

  const double embed_scale = config_.embed_scale > 0 ? config_.embed_scale : std::sqrt(static_cast<double>(d));
  Variable<T> x = embedding(token_table_.variable(), batch.tokens, static_cast<T>(embed_scale));
  // The bias of the projection is the embedding of the token that such rows have.
  if (feature_weight_) x = add(x, linear(feature_rows<T>(batch, config_.features), feature_weight_.variable()));
  for (const std::string& name : config_.encodings.names()) {
    const auto [encoding, heads] = first(name);
    context.heads = heads;
    x = encoding->embed(x, context);
  }
  x = drop(x, 0, "embedding", false);
  if (known > 0) x = select_rows(x, fresh);

  const auto head_norm = [&](const Variable<T>& in, const Parameter<T>& gain) {
    if (!config_.qk_norm) return in;
    return config_.rms_norm ? rms_norm(in, gain.variable()) : layer_norm(in, gain.variable(), Variable<T>());
  };
  const auto attend = [&](const Layer& layer, std::size_t at, const Variable<T>& in, const Variable<T>& stream) {
    const Variable<T> read = cache ? with_known(cache->inputs[at], known, in) : in;
    const Variable<T> qkv = cache ? with_known(cache->qkv[at], known, layer.qkv(in)) : layer.qkv(in);
    QueryKey<T> qk{head_norm(columns(qkv, 0, d), layer.q_gain), head_norm(columns(qkv, d, d), layer.k_gain)};
    context.layer = at % layers_.size();
    std::vector<HeadGroup<T>> groups;
    if (batch.positions_of_layer) {
      positions_of_layer = batch.positions_of_layer(context.layer), memo_of_layer = Memo();
      context.positions = &positions_of_layer, context.memo = &memo_of_layer;
    }
    for (const auto& group : layer.groups) {
      context.heads = group.heads;
      for (const auto& named : group.encodings) qk = named.encoding->transform(qk, context);
      groups.push_back(joined(group, config_.shape.head_dim(), read, context));
    }
    AttentionDropout weights{rate, {}};
    if (rate > 0)
      for (const Rng& rng : batch.sequence_rng)
        weights.sequence_rng.push_back(rng.at("dropout").at(at).at("attention"));
    AttentionShape shape{.heads = config_.shape.heads,
                         .causal = config_.shape.causal,
                         .offsets = batch.offsets,
                         .first_seen = batch.first_seen};
    if (narrowed(at)) {
      qk.q = select_rows(qk.q, batch.scored);
      shape.query_offsets = batch.scored_offsets;
      for (std::size_t b = 0; b < batch.sequences(); ++b)
        for (std::size_t r = batch.scored_offsets[b]; r < batch.scored_offsets[b + 1]; ++r)
          shape.query_rows.push_back(batch.scored[r] - batch.offsets[b]);
    } else if (known > 0) {
      qk.q = select_rows(qk.q, fresh);
      shape.query_offsets = {0, fresh.size()};
      shape.query_rows = fresh;
    }
    return join_stream(stream, layer.projection,
                       attention(qk.q, qk.k, columns(qkv, 2 * d, d), shape, std::move(groups), std::move(weights),
                                 observers.empty() ? nullptr : observers[at]),
                       at, "projection");
  };
  const auto activated = [&](const Layer& layer, const Variable<T>& in) {
    const std::string& name = config_.activation;
    if (name == "gelu") return gelu(linear(in, layer.up.weight.variable()), layer.up.bias.variable());
    const Variable<T> up = layer.up(in);
    return name == "swiglu" ? swiglu(layer.gate(in), up) : name == "relu" ? relu(up) : gelu_tanh(up);
  };

  const Variable<T> embedded = config_.inject ? x : Variable<T>();
  for (std::size_t at = 0; at < applied; ++at) {
    const Layer& layer = layers_[at % layers_.size()];
    if (config_.inject && at > 0 && at % layers_.size() == 0) x = add(x, embedded);
    const Variable<T> stream = narrowed(at) ? select_rows(x, scored) : x;
    x = attend(layer, at, config_.post_norm ? x : layer.attention_norm(x), stream);
    if (config_.post_norm) x = layer.attention_norm(x);
    x = join_stream(x, layer.down, activated(layer, config_.post_norm ? x : layer.mlp_norm(x)), at, "mlp");
    if (config_.post_norm) x = layer.mlp_norm(x);
  }
  if (cache) cache->tokens = batch.tokens.size();
  if (final_gain_) x = Norm<T>{final_gain_, final_bias_}(x);
  if (batch.pooled) x = mean_rows(x, batch);
  return linear(x, config_.tied_head ? token_table_.variable() : head_weight_.variable(),
                head_bias_ ? head_bias_.variable() : Variable<T>());
}

template <class T>
void Transformer<T>::after_update() {
  for (auto& layer : layers_)
    for (auto& group : layer.groups)
      for (auto& [name, encoding] : group.encodings) encoding->after_update();
}

template struct DecodingCache<float>;
template struct DecodingCache<double>;
template class Transformer<float>;
template class Transformer<double>;

}  // namespace lengthwise
