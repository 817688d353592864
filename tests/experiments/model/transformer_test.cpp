#include "experiments/model/transformer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "core/gradcheck.h"
#include "core/ops/activation.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"
#include "core/optimizer.h"
#include "experiments/contract.h"
#include "tests/core/arrays.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

Options encoding_options(const std::string& name, const std::map<std::string, std::string>& values = {}) {
  return Options(encoding_info(name).section, values);
}

/// Two layers of width 8 over 11 tokens, trained up to 9 tokens.
ModelConfig small(const std::string& encodings) {
  ModelConfig config{.shape = {.layers = 2, .width = 8, .heads = 2, .train_positions = 9}, .vocabulary = 11};
  config.encodings = encodings;
  for (const auto& name : config.encodings.names()) config.options[name] = encoding_options(name);
  return config;
}

template <class T>
struct Model {
  explicit Model(const ModelConfig& config, std::uint64_t seed = 1) : store(seed), transformer(config, store) {}
  /// Initial values are small and partly zero, which hides errors.
  void stir() {
    for (const auto& info : store.list()) {
      const Array<double> noise = random_array<double>(info.rows, info.cols, 5 + info.offset);
      for (std::size_t i = 0; i < info.rows; ++i)
        for (std::size_t j = 0; j < info.cols; ++j) store.values(info)(i, j) += static_cast<T>(0.4 * noise(i, j));
    }
    transformer.after_update();
  }
  Variable<T> operator[](const std::string& name) const {
    const ParameterInfo& info = *store.find(name);
    Array<T> values = uninitialized<T>(info.rows, info.cols);
    copy(const_cast<ParameterStore<T>&>(store).values(info), view(values));
    return constant(std::move(values));
  }
  ParameterStore<T> store;
  Transformer<T> transformer;
};

Batch batch_of(const std::vector<Example>& examples, std::uint64_t seed = 7, std::size_t train_positions = 9) {
  std::vector<Rng> streams;
  for (std::size_t b = 0; b < examples.size(); ++b) streams.push_back(Rng(seed).at(b));
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  return make_batch(examples, streams, *scheme, Phase::train, train_positions);
}

/// Tokens of which every row is scored.
Example all_rows(const std::vector<int>& tokens) {
  Example example{.tokens = tokens, .answer = tokens.size()};
  for (std::size_t i = 0; i < tokens.size(); ++i)
    example.scored.push_back(i), example.targets.push_back((tokens[i] + 1) % 11);
  return example;
}
Example random_tokens(std::size_t n, std::uint64_t seed = 3) {
  Rng rng(seed);
  std::vector<int> tokens(n);
  for (int& t : tokens) t = static_cast<int>(rng.below(11));
  Example made = all_rows(tokens);
  for (std::size_t i = 0; i < n; ++i) {  // what tasks hand over to encodings that read more than the order of tokens
    made.ids["digit"].push_back(static_cast<double>(i % 4));
    made.ids["coupled"].push_back(static_cast<double>(i % 5));
    made.ids["operand"].push_back(static_cast<double>(i % 3));
    made.ids["row"].push_back(static_cast<double>(i / 3));
    made.ids["column"].push_back(static_cast<double>(i % 3));
    made.ids["segment"].push_back(static_cast<double>(i % 3 == 1));
  }
  return made;
}

template <class T>
bool same_bits(Matrix<const T> a, Matrix<const T> b) {
  for (std::size_t i = 0; i < a.rows; ++i)
    if (std::memcmp(a.row(i), b.row(i), a.cols * sizeof(T)) != 0) return false;
  return a.rows == b.rows;
}

double largest_difference(Matrix<const double> a, Matrix<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) worst = std::max(worst, std::abs(a(i, j) - b(i, j)));
  return worst;
}

// ---- symmetries -----------------------------------------------------------------------------------------------------

TEST(transformer, is_causal_bit_for_bit_with_every_encoding_also_past_training) {
  for (const auto& [name, info] : encodings()) {
    Model<float> model(small(name));
    model.stir();
    for (const std::size_t n : {9, 40}) {
      if (n > 9 && info.past_length == PastLength::error) continue;
      const Example example = random_tokens(n);
      const Variable<float> before = model.transformer.logits(batch_of({example}), Phase::evaluate);
      for (std::size_t t = 1; t < n; ++t) {
        Example changed = example;
        changed.tokens[t] = (changed.tokens[t] + 1) % 11;
        const Variable<float> after = model.transformer.logits(batch_of({changed}), Phase::evaluate);
        ASSERT_TRUE(same_bits(before.value().block_rows(0, t), after.value().block_rows(0, t)))
            << name << ": token " << t << " of " << n;
        ASSERT_FALSE(same_bits(before.value().block_rows(t, 1), after.value().block_rows(t, 1))) << name;
      }
    }
  }
}

// Rows 5 to 8 see from row 4 on: what changes before it reaches them through row 4, which takes two layers.
TEST(transformer, what_rows_do_not_see_reaches_them_through_others_alone) {
  for (const auto& [name, info] : encodings())
    for (const bool causal : {true, false})
      for (const std::size_t layers : {1, 2}) {
        if (info.causal_only && !causal) continue;
        ModelConfig config = small(name);
        config.shape.causal = causal, config.shape.layers = layers;
        Model<double> model(config);
        model.stir();
        Example example = random_tokens(9);
        example.first_seen = {0, 0, 0, 0, 0, 4, 4, 4, 4};
        Example changed = example;
        changed.tokens[2] = (changed.tokens[2] + 1) % 11;
        const Variable<double> before = model.transformer.logits(batch_of({example}), Phase::evaluate);
        const Variable<double> after = model.transformer.logits(batch_of({changed}), Phase::evaluate);
        for (std::size_t row = 4; row < 9; ++row) {
          const double change = largest_difference(before.value().block_rows(row, 1), after.value().block_rows(row, 1));
          if (layers == 1 && row > 4)
            EXPECT_LT(change, 1e-12) << name << ", row " << row;
          else
            EXPECT_GT(change, 1e-9) << name << ", row " << row;
        }
      }
}

// The largest change of logits when tokens are put in another order and the rows of the output back.
double reordered(const ModelConfig& config, const std::vector<std::size_t>& order) {
  Model<double> model(config);
  model.stir();
  const Example example = random_tokens(order.size());
  Example other = example;
  for (std::size_t i = 0; i < order.size(); ++i) other.tokens[i] = example.tokens[order[i]];
  const Variable<double> plain = model.transformer.logits(batch_of({example}), Phase::evaluate);
  const Variable<double> moved = model.transformer.logits(batch_of({other}), Phase::evaluate);
  double worst = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    worst = std::max(worst, largest_difference(moved.value().block_rows(i, 1), plain.value().block_rows(order[i], 1)));
  return worst;
}

TEST(transformer, without_mask_and_encoding_is_a_function_of_sets) {
  const std::vector<std::size_t> shuffled = Rng(2).distinct(9, 9);
  for (const auto& [name, info] : encodings()) {
    ModelConfig config = small(name);
    EXPECT_GT(reordered(config, shuffled), 1e-3) << "causal " << name;
    config.shape.causal = false;
    if (info.causal_only) continue;
    if (info.channels.empty())
      EXPECT_LT(reordered(config, shuffled), 1e-12) << name;
    else
      EXPECT_GT(reordered(config, shuffled), 1e-4) << name;
  }
}

// Ids that every layer draws anew differ from those that all layers share, also where nothing is embedded; the first
// layer's stay what they are.
TEST(transformer, layers_may_draw_ids_of_their_own) {
  const auto scheme = [](const std::string& per_layer) {
    return make_scheme("randomized", Options(schemes().at("randomized").section, {{"per_layer", per_layer}}));
  };
  const auto shared = scheme("false"), own = scheme("true");
  const std::vector<Example> examples{random_tokens(6), random_tokens(9)};
  const std::vector<Rng> streams{Rng(1), Rng(2)};
  const Batch one = make_batch(examples, streams, *shared, Phase::train, 9),
              many = make_batch(examples, streams, *own, Phase::train, 9);
  EXPECT_FALSE(one.positions_of_layer);
  const auto ids = [&](std::size_t layer) {
    const Positions drawn = many.positions_of_layer(layer);
    return std::vector<double>(drawn.channel("sequence").begin(), drawn.channel("sequence").end());
  };
  EXPECT_NE(ids(0), ids(1));
  EXPECT_EQ(ids(1), ids(1));
  EXPECT_TRUE(std::ranges::equal(ids(0), many.positions.channel("sequence")));
  EXPECT_TRUE(many.positions_of_layer(1).has("digit"));
  for (const char* name : {"rope", "alibi"}) {
    Model<double> model(small(name));
    model.stir();
    Batch first_layer_alone = many;
    first_layer_alone.positions_of_layer = nullptr;
    EXPECT_GT(largest_difference(model.transformer.logits(many, Phase::train).value(),
                                 model.transformer.logits(first_layer_alone, Phase::train).value()),
              1e-6)
        << name;
  }
}

TEST(transformer, with_a_symmetric_bias_cannot_tell_left_from_right) {
  ModelConfig config = small("alibi");
  config.shape.causal = false;
  const std::vector<std::size_t> reversed{8, 7, 6, 5, 4, 3, 2, 1, 0};
  EXPECT_LT(reordered(config, reversed), 1e-12);
  config.options["alibi"] = encoding_options("alibi", {{"mode", "offset"}});
  EXPECT_GT(reordered(config, reversed), 1e-4);
}

// ---- variants -------------------------------------------------------------------------------------------------------

TEST(transformer, drops_in_training_and_never_in_evaluation) {
  ModelConfig config = small("rope");
  Model<float> plain(config);
  config.dropout = 0.5;
  Model<float> model(config);
  plain.stir(), model.stir();
  const std::vector<Example> examples{random_tokens(5), random_tokens(9)};
  const Batch batch = batch_of(examples, 1), other = batch_of(examples, 2);
  const auto logits = [&](const Model<float>& m, const Batch& b, Phase phase) {
    return m.transformer.logits(b, phase);
  };

  const Variable<float> evaluated = logits(model, batch, Phase::evaluate);
  EXPECT_TRUE(same_bits(evaluated.value(), logits(model, other, Phase::evaluate).value()));
  EXPECT_TRUE(same_bits(evaluated.value(), logits(plain, batch, Phase::train).value()));
  const Variable<float> dropped = logits(model, batch, Phase::train);
  EXPECT_FALSE(same_bits(dropped.value(), evaluated.value()));
  EXPECT_TRUE(same_bits(dropped.value(), logits(model, batch, Phase::train).value()));
  EXPECT_FALSE(same_bits(dropped.value(), logits(model, other, Phase::train).value()));

  // What is dropped of a sequence does not depend on the others.
  Batch alone = batch_of({examples[1]});
  alone.sequence_rng = {batch.sequence_rng[1]};
  EXPECT_TRUE(same_bits(dropped.value().block_rows(5, 9), logits(model, alone, Phase::train).value()));
}

ModelConfig variant(const std::string& name) {
  ModelConfig config = small("rope");
  if (name == "post_norm") config.post_norm = true;
  if (name == "rms_norm") config.rms_norm = true;
  if (name == "tied_head") config.tied_head = true, config.head_bias = true;
  if (name == "dropout") config.dropout = 0.3;
  if (name == "two_encodings") config = small("learned+t5");
  if (name == "encoder") config.shape.causal = false;
  if (name == "root_width") config.embed_scale = 0;
  if (name == "image") config.features = 3, config.shape.causal = false;
  if (name == "qk_norm") config.qk_norm = true;
  if (name == "qk_rms_norm") config.qk_norm = config.rms_norm = true;
  if (name == "loops") config.loops = 3, config.dropout = 0.3;
  if (name == "inject") config.loops = 3, config.inject = true, config.post_norm = true;
  for (const char* activation : {"swiglu", "relu", "gelu_tanh"})
    if (name == activation) config.activation = activation;
  return config;
}

/// For "image" with features, and asked once.
Example variant_example(const std::string& name, std::size_t n) {
  Example made = random_tokens(n);
  if (name != "image") return made;
  const Array<double> features = random_array<double>(n, 3, n);
  each_value(view(features), [&](double v) { made.features.push_back(static_cast<float>(v)); });
  made.pooled = true;
  made.scored = {n - 1}, made.targets = {4}, made.answer = 1;
  return made;
}

class Variants : public testing::TestWithParam<std::string> {};

TEST_P(Variants, HaveTheRightGradients) {
  Model<double> model(variant(GetParam()));
  model.stir();
  const Batch batch = batch_of({variant_example(GetParam(), 5), variant_example(GetParam(), 9)});
  const GradientCheck check =
      check_gradients([&](const auto&) { return model.transformer.logits(batch, Phase::train); }, {}, &model.store, 5);
  EXPECT_TRUE(check.passed) << check.worst;
  EXPECT_GT(check.compared, model.store.list().size());
}

// With attention switched off, a model is short enough to be written again.
TEST_P(Variants, AreWhatTheirNamesSay) {
  const ModelConfig config = variant(GetParam());
  Model<double> model(config);
  model.stir();
  for (const char* off : {"blocks.0.attention.projection.weight", "blocks.1.attention.projection.weight"})
    fill(model.store.values(*model.store.find(off)), 0.0);
  const Example example = variant_example(GetParam(), 9);
  const auto norm = [&](const std::string& name, const Variable<double>& x) {
    return config.rms_norm ? rms_norm(x, model[name + ".gain"])
                           : layer_norm(x, model[name + ".gain"], model[name + ".bias"]);
  };
  const auto dense = [&](const std::string& name, const Variable<double>& x) {
    return linear(x, model[name + ".weight"], model[name + ".bias"]);
  };

  Variable<double> x = embedding(model["token.table"], {example.tokens.begin(), example.tokens.end()},
                                 GetParam() == "root_width" ? std::sqrt(8.0) : 1.0);
  if (GetParam() == "two_encodings") x = add(x, model["learned.table"]);
  if (config.features) {
    Array<double> features = zeros<double>(9, 3);
    for (std::size_t e = 0; e < example.features.size(); ++e) features(e / 3, e % 3) = example.features[e];
    x = add(x, linear(constant(std::move(features)), model["features.weight"]));
  }
  const Variable<double> embedded = x;
  for (std::size_t at = 0; at < 2 * config.loops; ++at) {
    const std::string block = join("blocks.", at % 2, ".");
    if (config.inject && (at == 2 || at == 4)) x = add(x, embedded);
    Array<double> bias = zeros<double>(9, 8);
    for (std::size_t i = 0; i < 9; ++i)
      accumulate(model[block + "attention.projection.bias"].value(), view(bias).block_rows(i, 1));
    x = add(x, constant(std::move(bias)));
    if (config.post_norm) x = norm(block + "attention.norm", x);
    const Variable<double> up = dense(block + "mlp.up", config.post_norm ? x : norm(block + "mlp.norm", x));
    const Variable<double> hidden = config.activation == "swiglu"
                                        ? swiglu(dense(block + "mlp.gate", norm(block + "mlp.norm", x)), up)
                                    : config.activation == "relu"      ? relu(up)
                                    : config.activation == "gelu_tanh" ? gelu_tanh(up)
                                                                       : gelu(up);
    x = add(x, dense(block + "mlp.down", hidden));
    if (config.post_norm) x = norm(block + "mlp.norm", x);
  }
  if (!config.post_norm) x = norm("final.norm", x);
  if (example.pooled) {
    Array<double> mean = zeros<double>(1, 8);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t c = 0; c < 8; ++c) mean(0, c) += x.value()(i, c) / 9;
    x = constant(std::move(mean));
  }
  const Variable<double> expected = linear(x, model[config.tied_head ? "token.table" : "head.weight"],
                                           config.head_bias ? model["head.bias"] : Variable<double>());
  EXPECT_LT(
      largest_difference(model.transformer.logits(batch_of({example}), Phase::evaluate).value(), expected.value()),
      1e-12);
}
INSTANTIATE_TEST_SUITE_P(Models, Variants,
                         testing::Values("plain", "post_norm", "rms_norm", "swiglu", "relu", "gelu_tanh", "tied_head",
                                         "dropout", "two_encodings", "encoder", "root_width", "qk_norm", "qk_rms_norm",
                                         "loops", "inject", "image"),
                         [](const auto& one) { return one.param; });

// Rows of 1 KiB and multiples of it are padded, in memory alone.
TEST(transformer, wide_models_have_the_right_gradients) {
  ModelConfig config = small("rope");
  config.shape.width = 256, config.shape.layers = 1;
  Model<double> model(config);
  model.stir();
  ASSERT_NE(model.store.find("blocks.0.mlp.down.weight")->stride, 1024u);
  const Batch batch = batch_of({random_tokens(5), random_tokens(9)});
  const auto outputs = [&](const auto&) { return scale(model.transformer.logits(batch, Phase::train), 0.01); };
  const GradientCheck check = check_gradients(outputs, {}, &model.store, 2);
  EXPECT_TRUE(check.passed) << check.worst;
  Model<float> in_float(config);
  for (const auto& info : model.store.list()) {
    const Matrix<const double> from = model.store.values(info);
    const Matrix<float> to = in_float.store.values(*in_float.store.find(info.name));
    for (std::size_t i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, to.row(i));
  }
  const TransposedWeights<float> weights(in_float.store);
  const auto expected = model.transformer.logits(batch, Phase::train);
  double largest = 0;
  each_value(expected.value(), [&](double v) { largest = std::max(largest, std::abs(v)); });
  expect_close(in_float.transformer.logits(batch, Phase::train).value(), expected.value(), 1e-4 * largest);
}

// One block without its MLP, its attention written as the dense L x L it is.
TEST(transformer, qk_norm_is_a_norm_of_every_head) {
  for (const bool rms : {false, true}) {
    ModelConfig config = small("none");
    config.shape.layers = 1, config.qk_norm = true, config.rms_norm = rms;
    Model<double> model(config);
    model.stir();
    for (const char* off : {"blocks.0.mlp.down.weight", "blocks.0.mlp.down.bias"})
      fill(model.store.values(*model.store.find(off)), 0.0);
    const auto norm = [&](const Variable<double>& x, const std::string& name) {
      return rms ? rms_norm(x, model[name + ".gain"])
                 : layer_norm(x, model[name + ".gain"],
                              model.store.find(name + ".bias") ? model[name + ".bias"] : Variable<double>());
    };
    const auto dense = [&](const std::string& name, const Variable<double>& x) {
      return linear(x, model[name + ".weight"], model[name + ".bias"]);
    };
    const Example example = random_tokens(9);
    const Variable<double> x = embedding(model["token.table"], {example.tokens.begin(), example.tokens.end()}, 1.0);
    const Variable<double> qkv = dense("blocks.0.attention.qkv", norm(x, "blocks.0.attention.norm"));
    Array<double> out = zeros<double>(9, 8);
    for (std::size_t h = 0; h < 2; ++h) {
      const Variable<double> q = norm(columns(qkv, 4 * h, 4), "blocks.0.attention.q_norm"),
                             k = norm(columns(qkv, 8 + 4 * h, 4), "blocks.0.attention.k_norm"), scores = linear(q, k);
      for (std::size_t i = 0; i < 9; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j <= i; ++j) sum += std::exp(scores.value()(i, j) / 2);
        for (std::size_t j = 0; j <= i; ++j)
          for (std::size_t c = 0; c < 4; ++c)
            out(i, 4 * h + c) += std::exp(scores.value()(i, j) / 2) / sum * qkv.value()(j, 16 + 4 * h + c);
      }
    }
    const Variable<double> attended = add(x, dense("blocks.0.attention.projection", constant(std::move(out))));
    const Variable<double> expected = linear(norm(attended, "final.norm"), model["head.weight"]);
    EXPECT_LT(
        largest_difference(model.transformer.logits(batch_of({example}), Phase::evaluate).value(), expected.value()),
        1e-12);
  }
}

// More rounds of trained blocks: the same parameters, and the number of rounds of training gives its own bits.
TEST(transformer, loops_change_no_parameter) {
  ModelConfig config = small("learned+t5");
  Model<float> once(config);
  config.loops = 4;
  Model<float> four(config);
  copy(once.store.flat(), four.store.flat());
  ASSERT_EQ(once.store.list().size(), four.store.list().size());
  const Batch batch = batch_of({random_tokens(9)});
  EXPECT_FALSE(same_bits(once.transformer.logits(batch, Phase::evaluate).value(),
                         four.transformer.logits(batch, Phase::evaluate).value()));
}

TEST(transformer, models_of_one_seed_start_alike_whatever_the_encoding) {
  Model<float> none(small("none")), other(small("learned+t5"));
  std::size_t shared = 0;
  for (const auto& info : none.store.list()) {
    ASSERT_TRUE(other.store.find(info.name)) << info.name;
    EXPECT_TRUE(same_bits<float>(none.store.values(info), other.store.values(*other.store.find(info.name))))
        << info.name;
    ++shared;
  }
  EXPECT_EQ(other.store.list().size(), shared + 2);
}

TEST(transformer, initial_deviations) {
  // With d = 64: of a matrix d x d, of the MLP's 4d x d, and of the two that end a branch, d x d and d x 4d.
  struct Expected {
    const char* init;
    double qkv, up, projection, down;
  };
  for (const Expected& expected :
       {Expected{"normal", 0.02, 0.02, 0.01, 0.01},
        {"xavier", std::sqrt(2.0 / 128), std::sqrt(2.0 / 320), std::sqrt(2.0 / 128), std::sqrt(2.0 / 320)},
        {"kaiming", std::sqrt(2.0 / 64), std::sqrt(2.0 / 64), std::sqrt(2.0 / 64), std::sqrt(2.0 / 256)},
        {"lecun", 1.0 / 8, 1.0 / 8, 1.0 / 8, 1.0 / 16},
        {"small", std::sqrt(2.0 / 320), std::sqrt(2.0 / 320), 1.0 / 8, 1.0 / 8}}) {
    SCOPED_TRACE(expected.init);
    ModelConfig config = small("none");
    config.shape.width = 64, config.init = expected.init;
    Model<double> model(config);
    const auto deviation = [&](const std::string& name) {
      const Matrix<const double> w = model[name].value();
      double square = 0;
      for (std::size_t i = 0; i < w.rows; ++i)
        for (std::size_t j = 0; j < w.cols; ++j) square += w(i, j) * w(i, j);
      return std::sqrt(square / static_cast<double>(w.size()));
    };
    EXPECT_NEAR(deviation("blocks.1.attention.qkv.weight"), expected.qkv, 0.05 * expected.qkv);
    EXPECT_NEAR(deviation("blocks.1.mlp.up.weight"), expected.up, 0.05 * expected.up);
    EXPECT_NEAR(deviation("blocks.0.attention.projection.weight"), expected.projection, 0.05 * expected.projection);
    EXPECT_NEAR(deviation("blocks.1.mlp.down.weight"), expected.down, 0.05 * expected.down);
    EXPECT_NEAR(deviation("token.table"), 0.02, 0.002);
    EXPECT_EQ(deviation("blocks.0.attention.qkv.bias"), 0);
  }
}

TEST(transformer, models_that_make_no_sense_are_refused) {
  const auto refusal = [](const ModelConfig& config) -> std::string {
    try {
      check_model(config);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  ModelConfig config = small("none");
  config.shape.heads = 3;
  EXPECT_THAT(refusal(config), HasSubstr("model.width is 8 and model.heads 3"));
  config = small("none");
  config.shape.heads = 8, config.qk_norm = true;
  EXPECT_THAT(refusal(config), HasSubstr("model.norm = rmsnorm"));
  config = small("sinusoidal");
  config.shape.width = 5, config.shape.heads = 1;
  EXPECT_THAT(refusal(config), HasSubstr("model.width is 5"));
  config = small("rope");
  config.options["rope"] = encoding_options("rope", {{"fraction", "0.75"}});
  EXPECT_THAT(refusal(config), HasSubstr("rope.fraction"));
  for (const char* name : {"xpos", "cope", "fox", "stick_breaking", "hard_alibi"}) {
    config = small(name);
    config.shape.causal = false;
    EXPECT_THAT(refusal(config), HasSubstr(join("encoding.name = ", name, " is defined for causal attention only")));
  }
}

TEST(transformer, what_cannot_be_joined_is_refused_with_the_config) {
  const auto refusal = [](ModelConfig config) -> std::string {
    try {
      check_model(config);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  EXPECT_THAT(refusal(small("hard_alibi+dape")), HasSubstr("dape is joined by + with an encoding"));
  EXPECT_THAT(refusal(small("dape+hard_alibi")), HasSubstr("mixed heads must see the same keys"));
  EXPECT_THAT(refusal(small("rope;tupe+deberta")), HasSubstr("deberta scales scores in another way"));
  ModelConfig config = small("xpos+hard_alibi");
  EXPECT_EQ(refusal(config), "nothing was refused");
  config.options["xpos"] = encoding_options("xpos", {{"block", "4"}});  // a window in evaluation
  EXPECT_THAT(refusal(config), HasSubstr("hard_alibi brings a second window"));
  config = small("alibi+dape");
  config.shape.causal = false;
  config.options["alibi"] = encoding_options("alibi", {{"mode", "asymmetric_heads"}});
  EXPECT_THAT(refusal(config), HasSubstr("dape is joined by +"));
  for (const char* fine :
       {"hard_alibi/dape", "alibi+dape", "abacus+fire+dape", "rope+ssmax", "tupe+t5", "t5;hard_alibi",
        "learned+sincos2d+swin_bias", "alibi+dape/kerple+dape", "cope/cope+alibi", "fox/fox+rope"}) {
    EXPECT_EQ(refusal(small(fine)), "nothing was refused") << fine;
    EXPECT_NO_THROW(Model<float>{small(fine)}) << fine;
  }
}

// ---- parameters of encodings
// ------------------------------------------------------------------------------------------

TEST(transformer, learnable_encodings_are_learned_and_stay_finite_at_a_high_rate) {
  Model<float> plain(small("none"));
  std::size_t learnable = 0;
  for (const auto& [name, info] : encodings())
    for (const ContractCase& contract : contract_cases(name)) {
      if (contract.scheme != "sequential" || !contract.causal) continue;
      SCOPED_TRACE(describe(contract));
      ModelConfig config = small(name);
      config.options[name] = contract.options;
      Model<float> model(config);
      const Array<float> initial = [&] {
        Array<float> all = uninitialized<float>(1, model.store.flat().cols);
        copy(model.store.flat(), view(all));
        return all;
      }();
      const Batch batch = batch_of({random_tokens(5), random_tokens(9)});
      AdamW<float> optimizer(model.store, {});
      for (std::size_t step = 0; step < 200; ++step) {
        std::vector<float> gradient(model.store.flat().cols);
        const Matrix<float> row{gradient.data(), 1, gradient.size(), gradient.size()};
        Tape<float> tape(row);
        tape.backward(cross_entropy(model.transformer.logits(batch, Phase::train), batch.targets, 1.0f));
        optimizer.update(row, 1.0 / 14, 0.1);
        model.transformer.after_update();
      }
      for (const auto& own : model.store.list()) {
        if (plain.store.find(own.name)) continue;
        // min(P, p) is p in sequences that end before P = L.
        if (own.name.ends_with("fire.threshold") && contract.options.text("limit") == "min") continue;
        ++learnable;
        double change = 0, moment = 0;
        for (std::size_t i = own.offset; i < own.offset + own.rows * own.stride; ++i) {
          ASSERT_TRUE(std::isfinite(model.store.flat().data[i])) << own.name;
          change += std::abs(model.store.flat().data[i] - initial(0, i));
          moment += optimizer.second_moment().data[i];
        }
        EXPECT_GT(change, 0.01) << own.name;
        EXPECT_GT(moment, 0) << own.name;
      }
    }
  EXPECT_GE(learnable, 3u);  // learned, t5, sinusoidal with a factor
}

}  // namespace
}  // namespace lengthwise
