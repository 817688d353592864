#include "experiments/properties.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <sstream>

#include "core/ops/cross_entropy.h"
#include "experiments/encoding_layer.h"
#include "experiments/model/transformer.h"
#include "experiments/settings.h"
#include "experiments/table.h"

namespace lengthwise {
namespace {

constexpr std::size_t trained = 64;  // L
constexpr std::size_t far_away = 100'000;
constexpr std::size_t tokens = 24;  // of the sequences that are compared; whole rows of the example grid

Options defaults(const std::string& encoding) { return Options(encoding_info(encoding).section); }

ModelShape small(bool causal) {
  return {.layers = 1, .width = 16, .heads = 2, .causal = causal, .train_positions = trained};
}

bool allows(const std::string& encoding, const ModelShape& shape) {
  const EncodingInfo& info = encoding_info(encoding);
  if (info.causal_only && !shape.causal) return false;
  try {
    if (info.check) info.check(defaults(encoding), shape);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

template <class T>
EncodingLayer<T> layer(const std::string& encoding, bool causal) {
  return {encoding, "sequential", small(causal), defaults(encoding)};
}

Array<double> reordered(Matrix<const double> x, const std::vector<std::size_t>& order) {
  Array<double> y = uninitialized<double>(x.rows, x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) copy(x.block_rows(order[i], 1), view(y).block_rows(i, 1));
  return y;
}

double effect_of_shift(const std::string& encoding, bool causal) {
  auto attend = layer<double>(encoding, causal);
  attend.stir();
  const Variable<double> x = constant(random_array<double>(tokens, 16, 1));
  // Far enough to pass what changes at L, or short enough to stay below it, where a table may end.
  const double by = encoding_info(encoding).max_positions ? 3 : 3 * trained;
  return largest_difference(attend.attend(x, {{0, tokens}}).value(), attend.attend(x, {{0, tokens}, by}).value());
}

double effect_of_order(const std::string& encoding, const std::vector<std::size_t>& order) {
  auto attend = layer<double>(encoding, false);
  attend.stir();
  const Array<double> x = random_array<double>(tokens, 16, 1);
  const Variable<double> y = attend.attend(constant(x), {{0, tokens}});
  const Variable<double> of_reordered = attend.attend(constant(reordered(view(x), order)), {{0, tokens}});
  return largest_difference(of_reordered.value(), view(reordered(y.value(), order)));
}

bool leaves_earlier_outputs_alone(const std::string& encoding) {
  auto attend = layer<double>(encoding, true);
  attend.stir();
  Array<double> x = random_array<double>(tokens, 16, 1);
  const Variable<double> before = attend.attend(constant(x), {{0, tokens}});
  for (std::size_t j = 0; j < 16; ++j) x(tokens - 1, j) += 1;
  const Variable<double> after = attend.attend(constant(std::move(x)), {{0, tokens}});
  for (std::size_t i = 0; i + 1 < tokens; ++i)
    if (std::memcmp(before.value().row(i), after.value().row(i), 16 * sizeof(double)) != 0) return false;
  return true;
}

// What the bias terms of a layer that reads x add to the last row of n tokens, [heads, n]; nothing when there are none.
Array<double> last_bias_row(const EncodingLayer<double>& attend, const ModelShape& shape, Array<double> x) {
  const std::size_t n = x.rows();
  return attend.with({{0, n}, 0, Phase::evaluate}, [&](const Encoding<double>& encoding, const Context& context) {
    Array<double> row = zeros<double>(shape.heads, n);
    const Array<double> nothing = zeros<double>(n, shape.width);
    const std::vector<std::size_t> query{n - 1};
    const std::vector<KeyRange> visible{{0, n}};
    const auto terms = encoding.terms(constant(std::move(x)), context).scores;
    for (std::size_t h = 0; h < shape.heads; ++h)
      for (const auto& term : terms) {
        if (term->stage() != Stage::bias) continue;
        const auto of_head = view(nothing).block_cols(h * shape.head_dim(), shape.head_dim());
        Tile<double> tile{.head = h, .length = n, .query_rows = query, .visible = visible};
        tile.q = of_head.block_rows(n - 1, 1), tile.k = of_head, tile.v = of_head;
        Scratch<double> scratch;
        term->forward(tile, view(row).block_rows(h, 1), scratch);
      }
    return row;
  });
}

std::vector<std::vector<double>> bias_by_distance(const std::string& encoding, bool causal) {
  if (encoding_info(encoding).channels != std::vector<std::string>{"sequence"}) return {};
  ModelShape shape = default_model();
  shape.causal = causal;
  const EncodingLayer<double> attend(encoding, "sequential", shape, defaults(encoding));
  for (std::size_t n : {4 * trained, trained, std::size_t{4}}) try {  // as far as it serves
      const Array<double> row = last_bias_row(attend, shape, zeros<double>(n, shape.width));
      const Array<double> other = last_bias_row(attend, shape, random_array<double>(n, shape.width, 1));
      if (largest_difference(view(row), view(other)) > 0) return {};  // it depends on the content
      std::vector<std::vector<double>> bias(shape.heads);
      bool something = false;
      for (std::size_t h = 0; h < shape.heads; ++h)
        for (std::size_t d = 0; d < n; ++d) {
          bias[h].push_back(row(h, n - 1 - d));
          something = something || bias[h].back() != 0;
        }
      return something ? bias : std::vector<std::vector<double>>{};
    } catch (const InputError&) {
      continue;
    }
  return {};
}

double far_output(const std::string& encoding, bool causal) {
  auto attend = layer<float>(encoding, causal);
  attend.stir();
  const Variable<float> y =
      attend.attend(constant(random_array<float>(far_away, 16, 1)), {{0, far_away}, 0, Phase::evaluate}, 1, true);
  double largest = 0;
  for (std::size_t j = 0; j < y.cols(); ++j) {
    const double v = std::abs(static_cast<double>(y.value()(0, j)));
    largest = std::isfinite(v) ? std::max(largest, v) : INFINITY;
  }
  return largest;
}

// Training steps on 8 sequences of 64 random tokens, the two models in turn; the fastest of each.
double cost_over_none(const std::string& encoding, bool causal) {
  constexpr std::size_t sequences = 8, vocabulary = 32;
  struct Model {
    ParameterStore<float> store{1};
    std::unique_ptr<Transformer<float>> transformer;
    double seconds = INFINITY;
  };
  std::vector<Example> examples(sequences);
  Rng rng(1);
  for (Example& example : examples) {
    for (std::size_t i = 0; i < trained; ++i) {
      example.tokens.push_back(static_cast<int>(rng.below(vocabulary)));
      example.scored.push_back(i);
      example.targets.push_back(static_cast<int>(rng.below(vocabulary)));
    }
    example.ids = example_hints({0, trained}, 8);  // a square
  }
  const std::vector<Rng> streams(sequences, rng);
  const Batch batch =
      make_batch(examples, streams, *make_scheme("sequential", Options(schemes().at("sequential").section)),
                 Phase::train, trained);
  Model none, own;
  for (auto& [name, model] : {std::pair<std::string, Model&>{"none", none}, {encoding, own}}) {
    ModelConfig config{.shape = default_model(), .vocabulary = vocabulary, .encodings = {name}};
    config.shape.causal = causal;
    config.options[name] = defaults(name);
    model.transformer = std::make_unique<Transformer<float>>(config, model.store);
  }
  for (int round = 0; round < 40; ++round)  // minima, of steps of some milliseconds
    for (Model* model : {&none, &own}) {
      const auto start = std::chrono::steady_clock::now();
      std::vector<float> gradient(model->store.flat().cols);
      Tape<float> tape({gradient.data(), 1, gradient.size(), gradient.size()});
      tape.backward(cross_entropy(model->transformer->logits(batch, Phase::train), batch.targets,
                                  1 / static_cast<float>(batch.targets.size())));
      model->seconds =
          std::min(model->seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  return own.seconds / none.seconds;
}

std::string digits(double x, int count = 2) {
  std::ostringstream text;
  text.precision(count);
  text << x;
  return text.str();
}

// Rounding errors of sums in double stay below.
bool nothing(double effect) { return effect < 1e-10; }

std::string changes(double effect, const std::string& no, const std::string& yes) {
  return nothing(effect) ? no : join(yes, " (by up to ", digits(effect), ")");
}

// A line a head, at most four; the bars of a head go from its smallest to its largest value.
std::string bias_plot(const std::vector<std::vector<double>>& bias) {
  constexpr std::size_t width = 64;
  const std::size_t farthest = bias[0].size() - 1, shown = std::min<std::size_t>(bias.size(), 4),
                    columns = std::min(width, farthest + 1);
  std::vector<std::vector<std::string>> rows{
      {"head", join("distance 0 to ", farthest, ", before training"), "smallest", "largest"}};
  for (std::size_t s = 0; s < shown; ++s) {
    const std::size_t h = s * bias.size() / shown;
    std::vector<double> points;
    for (std::size_t c = 0; c < columns; ++c)
      points.push_back(bias[h][columns == 1 ? 0 : c * farthest / (columns - 1)]);
    const auto [low, high] = std::ranges::minmax(bias[h]);
    rows.push_back({join(h), bars(points, low, high)[0], digits(low, 3), digits(high, 3)});
  }
  return aligned(rows, "  ");
}

}  // namespace

ModelShape default_model() {
  for (const Section& section : settings())
    if (section.name == "model") {
      const Options model(section);
      return {.layers = model.count("layers"),
              .width = model.count("width"),
              .heads = model.count("heads"),
              .causal = true,
              .train_positions = trained};
    }
  throw std::logic_error("no section [model]");
}

std::size_t parameter_count(const std::string& encoding) {
  ModelShape shape = default_model();
  shape.causal = allows(encoding, shape);
  ParameterStore<float> store(1);
  const Options options = defaults(encoding);
  for (std::size_t l = 0; l < shape.layers; ++l)
    make_encoding<float>(encoding, {shape, l, {0, shape.heads}, options, store});
  return store.count();
}

std::string where_it_acts(const std::string& encoding) {
  const bool causal = allows(encoding, small(true));
  auto attend = layer<double>(encoding, causal);
  attend.stir();
  const Array<double> x = random_array<double>(4, 16, 1);
  return attend.with({{0, 4}}, [&](const Encoding<double>& acting, const Context& context) {
    std::vector<std::string> places;
    const auto add_place = [&](bool acts, const char* place) {
      if (acts && std::ranges::find(places, place) == places.end()) places.push_back(place);
    };
    const auto changed = [&](const Variable<double>& y) { return largest_difference(y.value(), view(x)) > 0; };
    const Variable<double> in = constant(x);
    add_place(changed(acting.embed(in, context)), "embeddings");
    const QueryKey<double> turned = acting.transform({in, in}, context);
    add_place(changed(turned.q) || changed(turned.k), "queries and keys");
    const Terms<double> terms = acting.terms(in, context);
    for (const auto& term : terms.scores) {
      add_place(term->stage() == Stage::content, "content scores");
      add_place(term->stage() == Stage::bias, "bias");
      add_place(term->stage() == Stage::content_scale || term->stage() == Stage::row_scale, "scale");
    }
    add_place(acting.scale(8) != 1 / std::sqrt(8.0), "scale");
    add_place(!terms.values.empty(), "values");
    add_place(terms.mixer != nullptr, "scores across heads");
    add_place(terms.normaliser != nullptr, "normaliser");
    add_place(terms.window != nullptr, "window");
    return places.empty() ? "nothing" : listed(places);
  });
}

std::string past_length_word(PastLength policy) {
  switch (policy) {
    case PastLength::extrapolate:
      return "extrapolate";
    case PastLength::clamp:
      return "clamp";
    case PastLength::error:
      return "error";
    case PastLength::interpolate:
      return "interpolate";
    case PastLength::resample:
      return "resample";
  }
  throw std::logic_error("unknown policy");
}

Properties measure_properties(const std::string& encoding) {
  Properties found;
  found.causal = allows(encoding, small(true));
  const auto measure = [&](const char* what, auto& value, auto&& work) {
    try {
      value = work();
    } catch (const InputError& refusal) {
      found.refused[what] = refusal.what();
    }
  };
  measure("shift", found.shift, [&] { return effect_of_shift(encoding, found.causal); });
  if (allows(encoding, small(false))) {
    std::vector<std::size_t> shuffled(tokens), reversed(tokens);
    for (std::size_t i = 0; i < tokens; ++i)
      shuffled[i] = 7 * i % tokens, reversed[i] = tokens - 1 - i;  // 7 and 24 are coprime
    measure("permutation", found.permutation, [&] { return effect_of_order(encoding, shuffled); });
    measure("reflection", found.reflection, [&] { return effect_of_order(encoding, reversed); });
  }
  if (found.causal) measure("causality", found.causality, [&] { return leaves_earlier_outputs_alone(encoding); });
  measure("bias", found.bias, [&] { return bias_by_distance(encoding, found.causal); });
  measure("far", found.far, [&] { return far_output(encoding, found.causal); });
  measure("cost", found.cost, [&] { return cost_over_none(encoding, found.causal); });
  return found;
}

std::string property_report(const std::string& encoding) {
  const Properties found = measure_properties(encoding);
  const ModelShape model = default_model();
  std::vector<std::vector<std::string>> rows;
  const auto line = [&](const std::string& label, const std::string& what, const auto& value, auto&& words,
                        const char* otherwise = "") {
    const auto refusal = found.refused.find(what);
    rows.push_back({label, refusal != found.refused.end() ? "refused: " + refusal->second
                           : value                        ? words(*value)
                                                          : otherwise});
  };
  const char *const causal_only = "not measured: for causal attention only",
                    *const bidirectional_only = "not measured: for bidirectional attention only";
  std::optional<std::size_t> parameters;
  std::optional<std::string> places;
  try {
    parameters = parameter_count(encoding), places = where_it_acts(encoding);
  } catch (const InputError&) {
  }
  line(
      "parameters", "", parameters,
      [&](std::size_t count) {
        return join(count, " (", model.layers, " layers, width ", model.width, ", ", model.heads, " heads, trained on ",
                    trained, " tokens)");
      },
      "unknown: it refuses the default model");
  line(
      "acts on", "", places, [](const std::string& text) { return text; }, "unknown");
  line("all ids moved", "shift", found.shift,
       [](double d) { return changes(d, "attention stays the same", "attention changes"); });
  line(
      "tokens permuted", "permutation", found.permutation,
      [](double d) {
        return changes(d, "without a mask, outputs follow: order is not seen",
                       "without a mask, outputs change: order is seen");
      },
      causal_only);
  line(
      "tokens reversed", "reflection", found.reflection,
      [](double d) {
        return changes(d, "without a mask, outputs follow: left and right are alike",
                       "without a mask, outputs change: left and right differ");
      },
      causal_only);
  line(
      "a later token changed", "causality", found.causality,
      [](bool kept) { return std::string(kept ? "earlier outputs stay, bit for bit" : "EARLIER OUTPUTS CHANGE"); },
      bidirectional_only);
  line(join("token ", far_away), "far", found.far, [](double d) {
    return std::isfinite(d) ? join("finite, largest |output| ", digits(d), " in single precision")
                            : std::string("NOT FINITE");
  });
  line("a training step", "cost", found.cost, [](double d) {
    return join("about ", digits(d), " x one without positions (8 sequences of ", trained, " tokens)");
  });
  std::string text = "Measured, with default options\n" + aligned(rows, "  ");
  if (!found.bias.empty()) text += "\nBias of a key by its distance\n" + bias_plot(found.bias);
  return text;
}

}  // namespace lengthwise
