// Rotary positions:  q_p, k_p turned by p w_m in every pair m of channels,  w_m = base^(-2m / r)
//
// Source      Su et al. 2021, RoFormer (arXiv:2104.09864), eq. 34. Partial: Black et al. 2022 (arXiv:2204.06745).
//             p-RoPE: Barbero et al. 2024 (arXiv:2410.06205), section 6. Scalings: encodings/rope_frequencies.h.
// Parameters  none.
// Options     base (10000), layout (half: pairs (m, m + r/2); interleaved: (2m, 2m + 1)), fraction of each head that is
//             turned (1): its first r = fraction d channels, with frequencies of width r. keep_fraction (1, the p of
//             p-RoPE): the slowest (1 - p) r/2 pairs stand still; the others keep their frequencies. scaling (none) for
//             sequences beyond L, with the options below it; all may change at evaluation.
// Deviates    yarn blends linearly in m, as all public code does; ramp = turns is the paper's blend in turns. Sequences
//             of a batch are scaled each by its own length.
// Past L      extrapolate: pairs whose wavelength exceeds L meet angles they were never trained on. scaling changes
//             that.
#include <sstream>

#include "encodings/angle_rows.h"
#include "encodings/rope_frequencies.h"

namespace lengthwise {
namespace {

std::size_t rotary_width(const Options& options, std::size_t head_dim) {
  return static_cast<std::size_t>(options.real("fraction") * static_cast<double>(head_dim) + 1e-9);
}

// "1, 1.5, 2": one divisor a pair.
std::vector<double> factors(const Options& options, const std::string& name) {
  std::vector<double> values;
  const std::string& text = options.text(name);
  std::istringstream entries(text.empty() ? "" : text + ",");  // an empty last entry is one, too
  for (std::string entry; std::getline(entries, entry, ',');) {
    const OptionSpec spec = real(name, 1).above(0);
    values.push_back(std::stod(check_value(spec, entry, join("entry ", values.size() + 1, " of rope.", name))));
  }
  return values;
}

RopeScaling scaling_of(const Options& options, std::size_t L) {
  const std::size_t original = options.count("original_length") ? options.count("original_length") : L;
  return {.method = options.text("scaling"),
          .factor = options.real("factor"),
          .original_length = static_cast<double>(original),
          .beta_fast = options.real("beta_fast"),
          .beta_slow = options.real("beta_slow"),
          .ramp_by_turns = options.text("ramp") == "turns",
          .truncate = options.flag("truncate"),
          .low_freq_factor = options.real("low_freq_factor"),
          .high_freq_factor = options.real("high_freq_factor"),
          .short_factors = factors(options, "short_factors"),
          .long_factors = factors(options, "long_factors"),
          .attention_factor = options.real("attention_factor"),
          .mscale = options.real("mscale"),
          .mscale_all_dim = options.real("mscale_all_dim")};
}

template <class T>
class Rope final : public Encoding<T> {
 public:
  explicit Rope(const EncodingSetup<T>& setup)
      : heads_(setup.shape.heads),
        width_(rotary_width(setup.options, setup.shape.head_dim())),
        base_(setup.options.real("base")),
        moving_(static_cast<std::size_t>(setup.options.real("keep_fraction") * static_cast<double>(width_ / 2) + 1e-9)),
        layout_(setup.options.text("layout") == "half" ? PairLayout::half : PairLayout::interleaved),
        scaling_(scaling_of(setup.options, setup.shape.original_length())),
        unscaled_tokens_(scaling_.method == "longrope" ? setup.options.real("unscaled_tokens") : 0) {}

  QueryKey<T> transform(const QueryKey<T>& qk, const Context& context) const override {
    const auto& turns = context.memo->get<Turns<T>>("rope", [&] { return turns_of(context); });
    const auto turn = [&](const Variable<T>& x) {
      return rotate(x, turns.table, turns.row_of_token, layout_, heads_, context.heads.first, context.heads.count);
    };
    return {turn(qk.q), turn(qk.k)};
  }

 private:
  // Tokens share a table row when they have one id, in sequences that are scaled alike.
  Turns<T> turns_of(const Context& context) const {
    const auto ids = context.ids("sequence");
    DistinctRows<std::pair<std::size_t, double>> rows;  // (which frequencies, id)
    std::vector<RopeFrequencies> frequencies{frequencies_for(RopeScaling{}, 0)};
    std::map<double, std::size_t> of_length;
    for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b) {
      const auto n = static_cast<double>(context.offsets[b + 1] - context.offsets[b]);
      const double scaled_for = scaling_.depends_on_length() ? std::max(n, scaling_.original_length) : 0;
      const auto [at, fresh] = of_length.try_emplace(scaled_for, frequencies.size());
      if (fresh) frequencies.push_back(frequencies_for(scaling_, scaled_for));
      // The first tokens of LongRoPE keep their plain frequencies, but share the temperature.
      const double temperature = frequencies[at->second].attention_factor;
      std::size_t plain = 0;
      if (unscaled_tokens_ > 0) {
        plain = frequencies.size();
        frequencies.push_back({frequencies[0].w, temperature});
      }
      for (std::size_t i = context.offsets[b]; i < context.offsets[b + 1]; ++i) {
        const double id = context.positions->placed(i) ? ids[i] : 0;
        rows.add({id < unscaled_tokens_ ? plain : at->second, id});
      }
    }
    const auto& keys = rows.keys();
    return {angle_table<T>(keys.size(), width_ / 2,
                           [&](std::size_t r, std::size_t m) {
                             const auto& [which, id] = keys[r];
                             return Polar{id * frequencies[which].w[m], frequencies[which].attention_factor};
                           }),
            rows.row_of_token()};
  }

  RopeFrequencies frequencies_for(const RopeScaling& scaling, double n) const {
    RopeFrequencies found = rope_frequencies(width_, base_, scaling, n);
    std::fill(found.w.begin() + static_cast<std::ptrdiff_t>(moving_), found.w.end(), 0.0);
    return found;
  }

  std::size_t heads_, width_;
  double base_;
  std::size_t moving_;  // pairs that turn
  PairLayout layout_;
  RopeScaling scaling_;
  double unscaled_tokens_;
};

void check_scaling(const Options& options, const ModelShape& shape, std::size_t width) {
  const std::string& method = options.text("scaling");
  const double factor = options.real("factor");
  require(factor == 0 || factor >= 1, "rope: rope.factor is ", factor,
          "; it stretches the trained range, so it must be at least 1, or 0 for the ratio of the sequence's length to "
          "the trained one.");
  require(method == "none" || options.count("original_length") > 0 || shape.original_length() > 1,
          "rope: rope.scaling = ", method, " needs the trained length; set rope.original_length.");
  require(width > 2 || method == "none" || method == "linear" || method == "longrope", "rope: rope.scaling = ", method,
          " needs more than one pair of channels that turn, but only ", width, " channels of a head turn.");
  require(options.real("beta_fast") > options.real("beta_slow"), "rope: rope.beta_fast is ", options.real("beta_fast"),
          " and rope.beta_slow ", options.real("beta_slow"),
          "; the first must be larger: it counts the turns of the faster pairs.");
  require(options.real("high_freq_factor") > options.real("low_freq_factor"), "rope: rope.high_freq_factor is ",
          options.real("high_freq_factor"), " and rope.low_freq_factor ", options.real("low_freq_factor"),
          "; the first must be larger.");
  for (const char* name : {"short_factors", "long_factors"}) {
    const std::size_t given = factors(options, name).size();
    require(given == 0 || given == width / 2, "rope: rope.", name, " has ", given, " numbers; it needs one a pair, ",
            width / 2, ".");
  }
  require(method != "longrope" || !options.text("long_factors").empty(),
          "rope: rope.scaling = longrope needs its searched factors: set rope.long_factors to ", width / 2,
          " numbers.");
}

// What the scaling in use, and its ramp, do not read.
std::vector<std::string> idle_options(const Options& options) {
  const std::string& method = options.text("scaling");
  const bool any = method != "none", yarn = method == "yarn" || method == "dynamic_yarn";
  const bool llama = method == "llama3", longrope = method == "longrope";
  const std::vector<std::pair<const char*, bool>> read{{"factor", any && method != "dynamic_yarn"},
                                                       {"original_length", any},
                                                       {"attention_factor", any},
                                                       {"beta_fast", yarn},
                                                       {"beta_slow", yarn},
                                                       {"ramp", yarn},
                                                       {"truncate", yarn && options.text("ramp") == "pairs"},
                                                       {"mscale", yarn},
                                                       {"mscale_all_dim", yarn},
                                                       {"low_freq_factor", llama},
                                                       {"high_freq_factor", llama},
                                                       {"short_factors", longrope},
                                                       {"long_factors", longrope},
                                                       {"unscaled_tokens", longrope}};
  std::vector<std::string> idle;
  for (const auto& [name, is_read] : read)
    if (!is_read) idle.emplace_back(name);
  return idle;
}

const bool registered = register_encoding<Rope>({
    .section =
        {"rope",
         "Rotary positions: queries and keys turned by their position (Su et al. 2021)",
         {real("base", 10000).above(1).says("the slowest pair turns once in 2 pi times about this many positions"),
          choice("layout", "half", {"half", "interleaved"})
              .says("which channels form a pair: (m, m + r/2) or (2m, 2m + 1)"),
          real("fraction", 1)
              .at_least(0)
              .at_most(1)
              .says("share of each head's channels that is turned, from the first on"),
          real("keep_fraction", 1)
              .at_least(0)
              .at_most(1)
              .says("share of the pairs that turn, the fastest first; the p of p-RoPE"),
          choice("scaling", "none",
                 {"none", "linear", "ntk", "dynamic_ntk", "ntk_by_parts", "yarn", "dynamic_yarn", "llama3", "longrope"})
              .changeable()
              .says("how frequencies change for sequences longer than the trained L"),
          real("factor", 0)
              .at_least(0)
              .changeable()
              .says("how far the trained range is stretched; 0: n / L for longer sequences, else 1"),
          integer("original_length", 0)
              .changeable()
              .in("tokens")
              .says("the L of scaling; 0: the longest training sequence"),
          real("beta_fast", 32)
              .above(0)
              .changeable()
              .says("yarn: pairs that turn more often than this within L are left alone"),
          real("beta_slow", 1)
              .above(0)
              .changeable()
              .says("yarn: pairs that turn less often than this within L are slowed by the whole factor"),
          choice("ramp", "pairs", {"pairs", "turns"})
              .changeable()
              .says("yarn: blend between them by the pair's number (public code) or its turns (paper)"),
          flag("truncate", true).changeable().says("yarn with ramp = pairs: round the ends of the ramp to whole pairs"),
          real("low_freq_factor", 1).above(0).changeable().says("llama3: as beta_slow"),
          real("high_freq_factor", 4).above(0).changeable().says("llama3: as beta_fast"),
          text("short_factors", "")
              .changeable()
              .says("longrope: divisors of the frequencies up to L, one a pair, with commas; empty: 1"),
          text("long_factors", "").changeable().says("longrope: the same for sequences longer than L"),
          integer("unscaled_tokens", 0)
              .changeable()
              .in("tokens")
              .says("longrope: the first positions that keep their plain frequencies"),
          real("attention_factor", 0)
              .at_least(0)
              .changeable()
              .says("multiplies queries and keys; 0: as the scaling's source says"),
          real("mscale", 1)
              .at_least(0)
              .changeable()
              .says("yarn: attention factor t(mscale) / t(mscale_all_dim), t(c) = 0.1 c ln s + 1"),
          real("mscale_all_dim", 0).at_least(0).changeable().says("yarn: see mscale")}},
    .source = "Su et al. 2021, arXiv:2104.09864, eq. 34; partial: Black et al. 2022, arXiv:2204.06745; p-RoPE: Barbero "
              "et al. 2024, arXiv:2410.06205",
    .formula = "(x1, x2) -> (x1 cos p w_m - x2 sin p w_m, x2 cos p w_m + x1 sin p w_m), w_m = base^(-2m/r)",
    .verified = "transformers, llama-models, yarn, LongRoPE (golden)",
    .relative = true,
    .check =
        [](const Options& options, const ModelShape& shape) {
          const std::size_t width = rotary_width(options, shape.head_dim());
          require(width % 2 == 0, "rope: rope.fraction = ", options.real("fraction"), " of a head of ",
                  shape.head_dim(), " channels is ", width, "; channels turn in pairs, so it must be even.");
          require(width > 0 || options.real("fraction") == 0, "rope: rope.fraction = ", options.real("fraction"),
                  " of a head of ", shape.head_dim(),
                  " channels is less than one pair, and nothing would turn. Set it to ",
                  2 / static_cast<double>(shape.head_dim()), " or more, or take encoding.name = none.");
          require(width == 0 || options.real("keep_fraction") * static_cast<double>(width / 2) >= 1 ||
                      options.real("keep_fraction") == 0,
                  "rope: rope.keep_fraction = ", options.real("keep_fraction"), " of ", width / 2,
                  " pairs is less than one, and nothing would turn. Set it to ", 2 / static_cast<double>(width),
                  " or more, or take encoding.name = none.");
          check_scaling(options, shape, width);
        },
    .follows_length = [](const Options& options) { return scaling_of(options, 1).depends_on_length(); },
    .idle = idle_options,
    .rescales = [](const Options& options) { return options.text("scaling") != "none"; },
});

}  // namespace
}  // namespace lengthwise
