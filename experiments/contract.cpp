#include "experiments/contract.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/gradcheck.h"
#include "core/parallel.h"
#include "experiments/encoding_layer.h"

namespace lengthwise {
namespace {

constexpr std::size_t width = 16, heads = 2;
constexpr std::size_t trained = 11;                        // L
const std::vector<std::size_t> lengths = {7, 1, trained};  // no tile of 4 rows divides them

ModelShape shape_of(bool causal) {
  return {.layers = 1, .width = width, .heads = heads, .causal = causal, .train_positions = trained};
}

std::vector<std::size_t> offsets_of(const std::vector<std::size_t>& sequence_lengths) {
  std::vector<std::size_t> offsets{0};
  for (const std::size_t n : sequence_lengths) offsets.push_back(offsets.back() + n);
  return offsets;
}

bool reads_sequence(const EncodingInfo& info) { return !info.channels.empty() && info.channels.front() == "sequence"; }

bool beyond_bound(const ContractCase& contract, const PositionScheme& scheme, const ModelShape& shape, std::size_t n,
                  Phase phase) {
  const EncodingInfo& info = encoding_info(contract.encoding);
  if (!info.max_positions || !reads_sequence(info)) return false;
  const Options options = phase == Phase::train ? fixed_by_training(info.section, contract.options) : contract.options;
  return scheme.largest(n, trained, phase) >= static_cast<double>(info.max_positions(options, shape));
}

template <class T>
class Layer : public EncodingLayer<T> {
 public:
  explicit Layer(const ContractCase& contract)
      : EncodingLayer<T>(contract.encoding, contract.scheme, shape_of(contract.causal), contract.options),
        contract_(contract) {
    this->stir();
  }

  Variable<T> operator()(const Variable<T>& x, const std::vector<std::size_t>& offsets, std::size_t tile_rows = 4,
                         double shift = 0, Phase phase = Phase::train) const {
    return this->attend(x, {.offsets = offsets, .shift = shift, .phase = phase}, tile_rows);
  }

  /// Whether sequences of n tokens reach ids beyond what the encoding declares to serve.
  bool beyond_bound(std::size_t n, Phase phase) const {
    return lengthwise::beyond_bound(contract_, this->scheme(), shape_of(contract_.causal), n, phase);
  }

 private:
  ContractCase contract_;
};

template <class T>
Array<T> input(std::size_t tokens) {
  const Array<double> values = random_array<double>(tokens, width, 11);
  Array<T> x = uninitialized<T>(tokens, width);
  for (std::size_t i = 0; i < tokens; ++i) std::copy_n(values.row(i), width, x.row(i));
  return x;
}

template <class T>
bool same_bits(Matrix<const T> a, Matrix<const T> b) {
  for (std::size_t i = 0; i < a.rows; ++i)
    if (std::memcmp(a.row(i), b.row(i), a.cols * sizeof(T)) != 0) return false;
  return true;
}

ContractCheck at_most(std::string what, double value, double bound) {
  return {std::move(what), value <= bound, join("largest difference ", value, ", allowed ", bound)};
}

ContractCheck gradients(const ContractCase& contract) {
  Layer<double> layer(contract);
  const auto offsets = offsets_of(lengths);
  const GradientCheck check = check_gradients([&](const auto& x) { return layer(x[0], offsets); },
                                              {input<double>(offsets.back())}, &layer.store());
  return {"gradients", check.passed, join(check.compared, " compared; worst: ", check.worst)};
}

ContractCheck reached(const ContractCase& contract) {
  Layer<double> layer(contract);
  const auto offsets = offsets_of(lengths);
  std::vector<double> gradient(layer.store().flat().cols, 0.0);
  {
    Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
    const Variable<double> y = layer(constant(input<double>(offsets.back())), offsets);
    tape.backward(y, random_array<double>(y.rows(), y.cols(), 13));
  }
  for (std::size_t p = 0; p < layer.own_parameters(); ++p) {
    const ParameterInfo& info = layer.store().list()[p];
    bool any = false;
    each_value(info.in(gradient.data()), [&](double g) { any = any || g != 0; });
    if (!any) return {"reached", false, join("no gradient reaches ", info.name)};
  }
  return {"reached", true, join(layer.own_parameters(), " parameters")};
}

ContractCheck tiles(const ContractCase& contract) {
  const Layer<double> layer(contract);
  const auto offsets = offsets_of(lengths);
  const Variable<double> x = constant(input<double>(offsets.back()));
  double worst = 0;
  for (const std::size_t rows : {1, 3, 64})
    worst = std::max(worst, largest_difference(layer(x, offsets).value(), layer(x, offsets, rows).value()));
  const Variable<double> all = layer(x, offsets), last = layer.attend(x, {.offsets = offsets}, 4, true);
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
    worst = std::max(worst,
                     largest_difference(last.value().block_rows(b, 1), all.value().block_rows(offsets[b + 1] - 1, 1)));
  return at_most("tiles", worst, 1e-12);
}

ContractCheck any_threads(const ContractCase& contract) {
  const Layer<float> layer(contract);
  const auto offsets = offsets_of(lengths);
  const Variable<float> x = constant(input<float>(offsets.back()));
  const std::size_t before = threads();
  set_threads(1);
  const Variable<float> one = layer(x, offsets);
  set_threads(3);
  const Variable<float> three = layer(x, offsets);
  set_threads(before);
  return {"threads", same_bits(one.value(), three.value()), "1 against 3 threads"};
}

ContractCheck single_precision(const ContractCase& contract) {
  const auto offsets = offsets_of(lengths);
  const Layer<float> single(contract);
  const Layer<double> exact(contract);
  return at_most("float",
                 largest_difference(single(constant(input<float>(offsets.back())), offsets).value(),
                                    exact(constant(input<double>(offsets.back())), offsets).value()),
                 1e-4);
}

ContractCheck causality(const ContractCase& contract) {
  const Layer<float> layer(contract);
  const std::vector<std::size_t> offsets{0, trained};
  const Variable<float> before = layer(constant(input<float>(trained)), offsets);
  for (std::size_t t = 1; t < trained; ++t) {
    Array<float> x = input<float>(trained);
    for (std::size_t j = 0; j < width; ++j) x(t, j) += 1;
    const Variable<float> after = layer(constant(std::move(x)), offsets);
    if (!same_bits(before.value().block_rows(0, t), after.value().block_rows(0, t)))
      return {"causality", false, join("changing token ", t, " changes an output before it")};
  }
  return {"causality", true, join(trained - 1, " tokens changed in turn")};
}

ContractCheck alone(const ContractCase& contract) {
  const Layer<double> layer(contract);
  const auto offsets = offsets_of(lengths);
  const Array<double> x = input<double>(offsets.back());
  const Variable<double> together = layer(constant(x), offsets);
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    Array<double> own = uninitialized<double>(lengths[b], width);
    copy(view(x).block_rows(offsets[b], lengths[b]), view(own));
    const Variable<double> result = layer(constant(std::move(own)), {0, lengths[b]});
    if (!same_bits(result.value(), together.value().block_rows(offsets[b], lengths[b])))
      return {"alone", false, join("the sequence of ", lengths[b], " tokens differs")};
  }
  return {"alone", true, join(lengths.size(), " sequences")};
}

ContractCheck shift(const ContractCase& contract) {
  const EncodingInfo& info = encoding_info(contract.encoding);
  const Layer<double> layer(contract);
  const auto offsets = offsets_of({7, 1});  // short enough for moved ids to stay below L, where a table may end
  const Variable<double> x = constant(input<double>(offsets.back()));
  // Far enough to pass what changes at L, or short enough to stay below it, where a table may end.
  const double by = info.max_positions ? 3 : 3 * trained;
  const double moved = largest_difference(layer(x, offsets).value(), layer(x, offsets, 4, by).value());
  if (info.relative) return at_most("shift", moved, 1e-10);
  return {"shift", info.channels.empty() || moved > 1e-6, join("not relative, and changes by ", moved)};
}

ContractCheck any_length(const ContractCase& contract) {
  Layer<double> layer(contract);
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, trained, trained + 1, 4 * trained}) {
    std::vector<double> gradient(layer.store().flat().cols, 0.0);
    const std::vector<std::size_t> offsets{0, n};
    const Phase phase = n > trained ? Phase::evaluate : Phase::train;
    try {
      Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
      const Variable<double> x = leaf(input<double>(n)), y = layer(x, offsets, 4, 0, phase);
      tape.backward(y, random_array<double>(n, width, 13));
      const Array<double> dx = x.gradient();
      bool finite = std::isfinite(largest_difference(y.value(), y.value()));
      const auto look = [&](double v) { finite = finite && std::isfinite(v); };
      each_value(view(dx), look);
      std::ranges::for_each(gradient, look);
      if (!finite) return {"lengths", false, join("not finite at ", n, " tokens")};
    } catch (const InputError& error) {
      // Grids and digits have bounds of their own, which the tokens here do not show.
      const EncodingInfo& info = encoding_info(contract.encoding);
      const bool own_bound =
          n > trained && !reads_sequence(info) &&
          (info.past_length == PastLength::error ||
           (info.max_positions && info.max_positions(contract.options, shape_of(contract.causal)) < n));
      if (!layer.beyond_bound(n, phase) && !own_bound) return {"lengths", false, join(n, " tokens: ", error.what())};
      continue;
    }
    if (layer.beyond_bound(n, phase) && contract.scheme == "sequential")
      return {"lengths", false, join(n, " tokens are served, beyond the declared bound")};
  }
  return {"lengths", true, "1, 2, L, L + 1, 4 L tokens"};
}

}  // namespace

std::string describe(const ContractCase& contract) {
  const Options defaults(encoding_info(contract.encoding).section);
  std::string changed;
  for (const auto& [name, value] : contract.options.values())
    if (value != defaults.text(name)) changed += join(changed.empty() ? " (" : ", ", name, " = ", value);
  return join(contract.encoding, changed.empty() ? "" : changed + ")", ", ", contract.scheme, ", ",
              contract.causal ? "causal" : "bidirectional");
}

std::vector<ContractCase> contract_cases(const std::string& encoding) {
  const EncodingInfo& info = encoding_info(encoding);
  std::vector<Options> settings{Options(info.section)};
  for (const OptionSpec& option : info.section.options) {
    std::vector<std::string> others = option.choices;
    if (option.type == OptionSpec::Type::flag) others = {option.fallback == "true" ? "false" : "true"};
    for (const std::string& value : others)
      if (value != option.fallback)
        settings.emplace_back(info.section, std::map<std::string, std::string>{{option.name, value}});
  }
  std::vector<ContractCase> cases;
  for (const auto& [scheme, unused] : schemes()) {
    const auto made = make_scheme(scheme, Options(schemes().at(scheme).section));
    if (info.needs_whole_ids && !made->whole()) continue;
    if (info.needs_increasing_ids && !made->increasing()) continue;
    for (const bool causal : {true, false}) {
      if (info.causal_only && !causal) continue;
      for (const Options& options : settings) {
        try {
          if (info.check) info.check(options, shape_of(causal));
        } catch (const InputError&) {
          continue;
        }
        if (schemes().at(scheme).rescales && info.rescales && info.rescales(options)) continue;
        const ContractCase contract{encoding, scheme, causal, options};
        if (!beyond_bound(contract, *made, shape_of(causal), trained, Phase::train)) cases.push_back(contract);
        if (scheme != "sequential") break;  // the defaults, which come first
      }
    }
  }
  return cases;
}

std::vector<ContractCheck> check_contract(const ContractCase& contract) {
  std::vector<ContractCheck> checks{gradients(contract),        tiles(contract), any_threads(contract),
                                    single_precision(contract), alone(contract), shift(contract),
                                    any_length(contract)};
  // Other schemes may number every token beyond where a parameter acts (FIRE's threshold).
  if (contract.scheme == "sequential") checks.push_back(reached(contract));
  if (contract.causal) checks.push_back(causality(contract));
  return checks;
}

}  // namespace lengthwise
