// What the decoder says of the next token is what a full pass over the tokens so far says.
#include "experiments/decode.h"

#include <gtest/gtest.h>

#include "core/gradcheck.h"

namespace lengthwise {
namespace {

constexpr std::size_t vocabulary = 11;

ModelConfig small(const std::string& encodings, const std::map<std::string, std::string>& values = {}) {
  ModelConfig config{.shape = {.layers = 2, .width = 16, .heads = 2, .train_positions = 14}, .vocabulary = vocabulary};
  config.encodings = encodings;
  for (const auto& name : config.encodings.names()) config.options[name] = Options(encoding_info(name).section, values);
  return config;
}

struct Setting {
  ModelConfig config;
  std::string scheme = "sequential";
  std::map<std::string, std::string> scheme_options = {};
  std::size_t code = 0;  // rows behind it see none before it
};

Batch batch_of(const Setting& setting, const PositionScheme& scheme, std::size_t n) {
  Example example;
  Rng rng(3);
  for (std::size_t i = 0; i < n; ++i) {
    example.tokens.push_back(static_cast<int>(rng.below(vocabulary)));
    example.scored.push_back(i), example.targets.push_back(0);
    if (setting.code) example.first_seen.push_back(i > setting.code ? setting.code : 0);
    example.ids["digit"].push_back(static_cast<double>(i % 4));
    example.ids["coupled"].push_back(static_cast<double>(i % 5));
    example.ids["operand"].push_back(static_cast<double>(i % 3));
    example.ids["row"].push_back(static_cast<double>(i / 3));
    example.ids["column"].push_back(static_cast<double>(i % 3));
    example.ids["segment"].push_back(static_cast<double>(i % 3 == 1));
  }
  const std::vector<Example> examples{example};
  const std::vector<Rng> streams{Rng(7)};
  return make_batch(examples, streams, scheme, Phase::evaluate, setting.config.shape.train_positions);
}

// The full pass over all tokens, or where `prefixes` says so, over each prefix.
void expect_equal(const Setting& setting, bool prefixes = false) {
  ParameterStore<double> store(1);
  Transformer<double> model(setting.config, store);
  const Array<double> noise = random_array<double>(1, store.flat().cols, 5);
  for (std::size_t i = 0; i < store.flat().cols; ++i) store.flat().data[i] += 0.3 * noise(0, i);
  model.after_update();
  const auto scheme =
      make_scheme(setting.scheme, Options(schemes().at(setting.scheme).section, setting.scheme_options));
  constexpr std::size_t n = 12, given = 4;
  const Batch whole = batch_of(setting, *scheme, n);
  const Variable<double> full = model.logits(whole, Phase::evaluate);
  Decoder<double> decoder(model, whole, given);
  for (std::size_t t = given; t <= n; ++t) {
    const Variable<double> next = decoder.next();
    Variable<double> expected = full;
    if (prefixes) expected = model.logits(batch_of(setting, *scheme, t), Phase::evaluate);
    for (std::size_t c = 0; c < vocabulary; ++c)
      ASSERT_NEAR(next.value()(0, c), expected.value()(t - 1, c), 1e-10) << "token " << t << ", output " << c;
    if (t < n) decoder.append(static_cast<int>(whole.tokens[t]));
  }
}

TEST(Decode, EveryEncodingEqualsTheFullPass) {
  for (const auto& [name, info] : encodings()) {
    SCOPED_TRACE(name);
    const Options options(info.section);
    expect_equal({small(name)}, info.follows_length && info.follows_length(options));
  }
}

TEST(Decode, RowsThatSeeNoBeginning) {
  for (const std::size_t code : {2, 6})
    for (const char* name : {"none", "rope", "t5", "cope", "fox", "stick_breaking", "shaw"}) {
      SCOPED_TRACE(name);
      expect_equal({.config = small(name), .code = code});
    }
}

TEST(Decode, EverySchemeDrawsOnce) {
  for (const auto& [name, info] : schemes()) {
    SCOPED_TRACE(name);
    expect_equal({small("rope+alibi"), name});
  }
  expect_equal({small("t5"), "randomized", {{"per_layer", "true"}}});
}

TEST(Decode, EveryModelOption) {
  ModelConfig config = small("alibi/none");
  config.qk_norm = true, config.loops = 2, config.inject = true, config.activation = "swiglu", config.tied_head = true;
  expect_equal({config});
  config.post_norm = config.rms_norm = true;
  expect_equal({config});
}

// What follows the length is not what it was for earlier tokens.
TEST(Decode, OptionsThatFollowTheLengthAreComputedAnew) {
  const auto stretched = [](const std::string& name, const std::map<std::string, std::string>& values) {
    Setting setting{small(name, values)};
    setting.config.shape.train_positions = 6;
    return setting;
  };
  expect_equal(stretched("rope", {{"scaling", "dynamic_ntk"}}), true);
  expect_equal(stretched("rope", {{"scaling", "linear"}}), true);
  expect_equal(stretched("learned", {{"past", "resample"}}), true);
}

TEST(Decode, RefusesWhatItCannotDo) {
  Setting setting{small("none")};
  ParameterStore<double> store(1);
  const Transformer<double> model(setting.config, store);
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  Decoder<double> decoder(model, batch_of(setting, *scheme, 3), 2);
  decoder.append(1);
  EXPECT_EQ(decoder.tokens(), 3u);
  EXPECT_THROW(decoder.append(1), std::logic_error);
  EXPECT_THROW(Decoder<double>(model, batch_of(setting, *scheme, 3), 4), std::logic_error);
  setting.config.shape.causal = false;
  ParameterStore<double> other(1);
  const Transformer<double> encoder(setting.config, other);
  EXPECT_THROW(Decoder<double>(encoder, batch_of(setting, *scheme, 3), 2), std::logic_error);
}

TEST(Decode, PicksTokens) {
  Array<double> logits = zeros<double>(1, 4);
  logits(0, 1) = logits(0, 2) = 2, logits(0, 3) = 1;
  EXPECT_EQ(pick_token<double>(view(std::as_const(logits)), {}, Rng(1)), 1);  // the first of equal ones
  std::vector<int> count(4);
  for (std::uint64_t i = 0; i < 4000; ++i)
    ++count[static_cast<std::size_t>(
        pick_token<double>(view(std::as_const(logits)), {.temperature = 0.5, .top = 3}, Rng(2).at(i)))];
  EXPECT_EQ(count[0], 0);
  EXPECT_NEAR(count[3] / 4000.0, 1 / (1 + 2 * std::exp(2.0)), 0.015);
  EXPECT_NEAR(count[1] / 4000.0, count[2] / 4000.0, 0.05);
}

}  // namespace
}  // namespace lengthwise
