#include "experiments/model/transformer.h"
#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

// One causal sequence as a tile for every head; content and bias are [H n, n].
struct Mixed {
  std::vector<std::size_t> rows;
  std::vector<KeyRange> visible;
  std::vector<Tile<double>> tiles;
  Mixed(std::size_t heads, std::size_t n) : rows(n), visible(n) {
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    for (std::size_t i = 0; i < n; ++i) visible[i] = {0, i + 1};
    for (std::size_t h = 0; h < heads; ++h)
      tiles.push_back({.head = h, .length = n, .query_rows = rows, .visible = visible});
  }
  static std::vector<Matrix<double>> blocks(Array<double>& all, std::size_t heads) {
    std::vector<Matrix<double>> each;
    const std::size_t n = all.cols();
    for (std::size_t h = 0; h < heads; ++h) each.push_back(view(all).block_rows(h * n, n));
    return each;
  }
};

// Garbage at masked pairs, NaN even, reaches nothing.
TEST(dape, masked_pairs_are_left_alone) {
  const std::size_t heads = 2, n = 5;
  Harness<double> harness("dape", {}, {.width = 4, .heads = heads}, {counting(n)});
  const auto mixer = harness.encoding().terms({}, harness.context()).mixer;
  Array<double> content = random_array<double>(heads * n, n, 1), bias = random_array<double>(heads * n, n, 2);
  Array<double> clean = content;
  const Mixed causal(heads, n);
  Scratch<double> scratch;
  mixer->forward(causal.tiles, Mixed::blocks(clean, heads), Mixed::blocks(bias, heads), scratch);
  for (std::size_t r = 0; r < heads * n; ++r)
    for (std::size_t j = r % n + 1; j < n; ++j) content(r, j) = bias(r, j) = NAN;
  mixer->forward(causal.tiles, Mixed::blocks(content, heads), Mixed::blocks(bias, heads), scratch);
  for (std::size_t r = 0; r < heads * n; ++r)
    for (std::size_t j = 0; j <= r % n; ++j) EXPECT_EQ(content(r, j), clean(r, j));
}

ModelConfig model(const std::string& encodings, std::size_t heads = 2) {
  ModelConfig config{.shape = {.layers = 2, .width = 8, .heads = heads, .train_positions = 9}, .vocabulary = 11};
  config.encodings = encodings;
  for (const auto& name : config.encodings.names()) config.options[name] = encoding_options(name);
  return config;
}
Batch tokens() {
  Batch batch;
  for (std::size_t i = 0; i < 12; ++i) batch.tokens.push_back(i * i % 11), batch.scored.push_back(i);
  batch.offsets = {0, 7, 12};
  std::vector<double> ids = counting(7);
  for (const double p : counting(5)) ids.push_back(p);
  batch.positions.set("sequence", ids);
  return batch;
}
Array<double> logits(const std::string& encodings, double stir, bool silent) {
  ParameterStore<double> store(1);
  const Transformer<double> transformer(model(encodings), store);
  for (const auto& info : store.list()) {
    const Matrix<double> values = store.values(info);
    const bool last = info.name.find("dape.output") != std::string::npos;
    const Array<double> noise = random_array<double>(info.rows, info.cols, std::hash<std::string>()(info.name));
    accumulate(view(noise), values, stir);
    if (silent && last) fill(values, 0.0);
  }
  return Harness<double>::copied(transformer.logits(tokens(), Phase::evaluate).value());
}

// g = 0 leaves the bias it is joined with.
TEST(dape, a_silent_map_is_the_inner_encoding) {
  for (const std::string inner : {"alibi", "t5"})
    for (const std::string& both : {inner + "+dape", "dape+" + inner}) {
      EXPECT_LT(largest_difference(logits(both, 0.3, true), logits(inner, 0.3, true)), 1e-13) << both;
      EXPECT_GT(largest_difference(logits(both, 0.3, false), logits(inner, 0.3, true)), 1e-3) << both;
    }
  EXPECT_LT(largest_difference(logits("dape", 0.3, true), logits("none", 0.3, true)), 1e-13);
}

TEST(dape, gradients_with_an_inner_bias) {
  ParameterStore<double> store(1);
  const Transformer<double> transformer(model("t5+dape"), store);
  const Batch batch = tokens();
  for (const auto& info : store.list()) {
    const Array<double> noise = random_array<double>(info.rows, info.cols, info.offset);
    accumulate(view(noise), store.values(info), 0.3);
  }
  const GradientCheck check =
      check_gradients([&](const auto&) { return transformer.logits(batch, Phase::evaluate); }, {}, &store, 16);
  EXPECT_TRUE(check.passed) << check.worst;
}

// Exchanging the heads of content and bias together with the map's rows and columns exchanges the scores.
TEST(dape, heads_may_be_reordered_with_the_map) {
  const std::size_t heads = 3, n = 4;
  Harness<double> harness("dape", {}, {.width = 6, .heads = heads}, {counting(n)});
  const std::size_t order[] = {2, 0, 1};
  const auto reordered = [&](const Array<double>& x) {
    Array<double> y = x;
    for (std::size_t h = 0; h < heads; ++h) copy(view(x).block_rows(order[h] * n, n), view(y).block_rows(h * n, n));
    return y;
  };
  const auto mix = [&](Array<double> content, Array<double> bias) {
    const Mixed causal(heads, n);
    Scratch<double> scratch;
    harness.encoding()
        .terms({}, harness.context())
        .mixer->forward(causal.tiles, Mixed::blocks(content, heads), Mixed::blocks(bias, heads), scratch);
    return content;
  };
  const Array<double> content = random_array<double>(heads * n, n, 1), bias = random_array<double>(heads * n, n, 2);
  const Array<double> expected = reordered(mix(content, bias));
  const Matrix<double> hidden = harness.parameter("blocks.0.dape.hidden"),
                       output = harness.parameter("blocks.0.dape.output");
  const Matrix<double> output_bias = harness.parameter("blocks.0.dape.output_bias");
  const Array<double> in = Harness<double>::copied(hidden), out = Harness<double>::copied(output),
                      shift = Harness<double>::copied(output_bias);
  for (std::size_t h = 0; h < heads; ++h) {
    for (const std::size_t part : {std::size_t{0}, heads})
      copy(view(in).block_cols(part + order[h], 1), hidden.block_cols(part + h, 1));
    copy(view(out).block_rows(order[h], 1), output.block_rows(h, 1));
    output_bias(0, h) = shift(0, order[h]);
  }
  EXPECT_LT(largest_difference(mix(reordered(content), reordered(bias)), expected), 1e-14);
}

}  // namespace
}  // namespace lengthwise
