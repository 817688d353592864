// Linear biases:  S_hij += -a_h (p_i - p_j),  a_h = 2^(-8 (h + 1) / H)
//
// Source      Press, Smith, Lewis 2021 (arXiv:2108.12409), section 3.
// Parameters  none; with learned_slopes alibi.slopes (H, 1), one for all layers, the fixed slopes at first. A group of
//             heads that starts at head FIRST has its own, alibi.slopes.FIRST, and H is their number.
// Options     mode: bidirectional attention needs a choice, as the paper's is causal. symmetric (default): -a_h |d|,
//             which cannot tell left from right; offset: -a_h (|d| - 1/2 [d > 0]) as in Ruoss et al. 2023
//             (arXiv:2305.16843); asymmetric_heads: the first half of the heads sees only the past, the second only the
//             future, each with the slopes of H/2 heads.
//             max_exponent (8): the slopes end at 2^-max_exponent. slopes: all of them, instead. learned_slopes
//             (false): the paper found that such models extrapolate worse.
// Past L      extrapolate: a head with slope a sees about 1/a tokens, whatever n.
//
// Slopes of H heads that are no power of two: those of the largest power of two below, then every second one of twice
// as many.
#include <charconv>

#include "core/ops/linear.h"
#include "encodings/distances.h"

namespace lengthwise {
namespace {

std::vector<double> slopes(std::size_t heads, double max_exponent) {
  std::size_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> all;
  for (std::size_t h = 1; h <= power; ++h)
    all.push_back(std::exp2(-max_exponent * static_cast<double>(h) / static_cast<double>(power)));
  for (std::size_t h = 1; all.size() < heads; h += 2)
    all.push_back(std::exp2(-max_exponent * static_cast<double>(h) / static_cast<double>(2 * power)));
  return all;
}

// Of option `slopes`, one a head; empty when it is not set.
std::vector<double> given_slopes(const Options& options) {
  const std::string& text = options.text("slopes");
  std::vector<double> given;
  for (const char *from = text.data(), *const end = from + text.size(); !text.empty(); ++from) {
    while (*from == ' ') ++from;
    double slope = -1;
    const auto [stop, error] = std::from_chars(from, end, slope);
    const bool ends = stop == end || *stop == ',';
    require(error == std::errc{} && ends && slope >= 0 && std::isfinite(slope), "alibi: alibi.slopes is '", text,
            "'; number ", given.size() + 1,
            " cannot be read as a finite slope of at least 0. Separate slopes by commas: 0.5,0.125.");
    given.push_back(slope);
    if (stop == end) break;
    from = stop;
  }
  return given;
}

std::vector<double> initial_slopes(const Options& options, std::size_t heads) {
  const auto given = given_slopes(options);
  require(given.empty() || given.size() == heads, "alibi: alibi.slopes has ", given.size(), " numbers for ", heads,
          " heads; give one for each head that it acts on.");
  if (!given.empty()) return given;
  const bool halves = options.text("mode") == "asymmetric_heads";
  std::vector<double> all = slopes(halves ? heads / 2 : heads, options.real("max_exponent"));
  if (halves) all.insert(all.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(heads / 2));
  return all;
}

// The first half of the heads looks back, the second ahead.
class TwoSides final : public Window {
 public:
  explicit TwoSides(HeadRange heads) : heads_(heads) {}
  KeyRange visible(std::size_t head, std::size_t query_row, std::size_t length) const override {
    return head < heads_.first + heads_.count / 2 ? KeyRange{0, query_row + 1} : KeyRange{query_row, length};
  }

 private:
  HeadRange heads_;
};

template <class T>
class Alibi final : public Encoding<T> {
 public:
  explicit Alibi(const EncodingSetup<T>& setup) : offset_(setup.options.text("mode") == "offset") {
    const std::vector<double> initial = initial_slopes(setup.options, setup.heads.count);
    if (setup.options.flag("learned_slopes")) {
      const bool all = setup.heads.count == setup.shape.heads;
      learned_ = setup.store.shared(all ? "alibi.slopes" : join("alibi.slopes.", setup.heads.first), initial.size(), 1,
                                    [&](Rng&, Matrix<double> values) { std::ranges::copy(initial, values.data); });
    } else {
      Array<T> values = uninitialized<T>(initial.size(), 1);
      for (std::size_t h = 0; h < initial.size(); ++h) values(h, 0) = static_cast<T>(initial[h]);
      fixed_ = constant(std::move(values));
    }
    if (setup.options.text("mode") == "asymmetric_heads") window_ = std::make_shared<TwoSides>(setup.heads);
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const Distances& found = distances(context);
    const auto& table =
        context.memo->get<Variable<T>>(join("alibi/", context.heads.first, "+", context.heads.count), [&] {
          Array<T> fall = uninitialized<T>(found.values.size(), 1);
          for (std::size_t c = 0; c < found.values.size(); ++c) {
            const double d = found.values[c], left = offset_ && d > 0 ? 0.5 : 0;
            fall(c, 0) = static_cast<T>(left - std::abs(d));
          }
          return linear(learned_ ? learned_.variable() : fixed_, constant(std::move(fall)));  // [heads, distances]
        });
    return {.scores = {distance_bias(table, found.columns, context.heads.first)}, .window = window_};
  }

 private:
  bool offset_;
  Variable<T> fixed_;  // [heads, 1]
  Parameter<T> learned_;
  std::shared_ptr<const Window> window_;
};

const bool registered = register_encoding<Alibi>({
    .section = {"alibi",
                "A bias that falls linearly with distance, at a fixed slope per head (Press et al. 2021)",
                {choice("mode", "symmetric", {"symmetric", "offset", "asymmetric_heads"})
                     .says("bidirectional: -a |d|; -a (|d| - 1/2) on the past side; half of the heads for each side"),
                 real("max_exponent", 8).above(0).at_most(64).says("the smallest slope is 2 to minus this"),
                 text("slopes", "").says("one slope a head, separated by commas, in place of those of max_exponent"),
                 flag("learned_slopes", false).says("train the slopes, from the fixed ones on")}},
    .source = "Press, Smith, Lewis 2021, arXiv:2108.12409, section 3",
    .formula = "S_hij += -a_h (p_i - p_j), a_h = 2^(-8 (h+1) / H)",
    .verified = "ofirpress, gpt-neox, x-transformers, BLOOM, DeepMind (golden)",
    .relative = true,
    .reads_distances = true,
    .check =
        [](const Options& options, const ModelShape& shape) {
          given_slopes(options);
          const std::string& mode = options.text("mode");
          require(!shape.causal || mode == "symmetric", "alibi: alibi.mode = ", mode,
                  " tells left from right, which a causal model does already; set alibi.mode = symmetric or "
                  "model.attention = bidirectional.");
          require(mode != "asymmetric_heads" || shape.heads % 2 == 0,
                  "alibi: alibi.mode = asymmetric_heads needs an even number of heads; model.heads is ", shape.heads,
                  ".");
        },
});

}  // namespace
}  // namespace lengthwise
