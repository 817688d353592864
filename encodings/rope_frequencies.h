// How fast each rotary pair turns: w_m = base^(-2m / r), and what is done to w for sequences longer than the trained L.
//
// Source  linear        Chen et al. 2023 (arXiv:2306.15595), eq. 4
//         ntk           bloc97 2023, in Peng et al. 2023 (arXiv:2309.00071), definition 1
//         dynamic_ntk   emozilla 2023, in the same paper, section 3.3
//         ntk_by_parts  bloc97 2023, as jquesnelle/yarn has it: blends linear, ntk and no scaling
//         yarn          Peng et al. 2023 (arXiv:2309.00071), section 3; dynamic_yarn: with s = n / L
//         llama3        Llama Team 2024 (arXiv:2407.21783), as llama-models has it
//         longrope      Ding et al. 2024 (arXiv:2402.13753), section 3
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace lengthwise {

struct RopeScaling {
  std::string method = "none";  // or one of the above
  double factor = 0;            // s, or the a of dynamic_ntk; 0: s = n / L beyond L and else 1, and a = 1
  double original_length = 0;   // L, in tokens
  // yarn: pairs that turn more often than this within L stay, those that turn less often are slowed by s.
  double beta_fast = 32, beta_slow = 1;
  bool ramp_by_turns = false;  // yarn: between them, blend by the number of turns (the paper) or by m (all public code)
  bool truncate = true;        // yarn by m: round the ends of the ramp outwards to whole pairs
  double low_freq_factor = 1, high_freq_factor = 4;  // llama3: as beta_slow and beta_fast, blended by turns
  std::vector<double> short_factors, long_factors;   // longrope: divisors of w for n <= L and n > L; empty: all 1
  double attention_factor = 0;                       // multiplies q and k; 0: what the method's source says
  /// yarn: attention_factor = t(mscale) / t(mscale_all_dim), t(c) = 0.1 c ln s + 1
  double mscale = 1, mscale_all_dim = 0;

  /// Whether w depends on the length n of the sequence.
  bool depends_on_length() const {
    return method != "none" &&
           (factor == 0 || method == "dynamic_ntk" || method == "dynamic_yarn" || method == "longrope");
  }
};

struct RopeFrequencies {
  std::vector<double> w;        // radians a position, one a pair
  double attention_factor = 1;  // q and k are both multiplied by it
};

namespace rope_detail {

inline std::vector<double> plain(std::size_t width, double base) {
  std::vector<double> w(width / 2);
  for (std::size_t m = 0; m < w.size(); ++m)
    w[m] = std::pow(base, -2 * static_cast<double>(m) / static_cast<double>(width));
  return w;
}

// The last pair slows down by exactly s, the first not at all.
inline double ntk_base(double base, double s, std::size_t width) {
  const auto r = static_cast<double>(width);
  return base * std::pow(s, r / (r - 2));
}

/// 0 where pair m turns at least `fast` times within L, 1 where it turns at most `slow` times, linear in m between.
class PairRamp {
 public:
  PairRamp(double fast, double slow, std::size_t width, double base, double L, bool truncate) {
    const auto pair_of = [&](double turns) {
      return static_cast<double>(width) * std::log(L / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
    };
    low_ = std::max(0.0, truncate ? std::floor(pair_of(fast)) : pair_of(fast));
    // Public code caps this at r - 1, though there are only r / 2 pairs. At least low: below 2 pi positions even the
    // first pair turns less than once, and the ramp would run backwards.
    high_ =
        std::max(low_, std::min(static_cast<double>(width) - 1, truncate ? std::ceil(pair_of(slow)) : pair_of(slow)));
    if (low_ == high_) high_ += 0.001;
  }
  double operator()(std::size_t m) const {
    return std::clamp((static_cast<double>(m) - low_) / (high_ - low_), 0.0, 1.0);
  }

 private:
  double low_, high_;
};

/// The same, linear in the number of turns.
inline double turn_ramp(double w, double L, double fast, double slow) {
  return std::clamp((fast - L * w / (2 * std::numbers::pi)) / (fast - slow), 0.0, 1.0);
}

inline double blend(double at_0, double at_1, double ramp) { return (1 - ramp) * at_0 + ramp * at_1; }

}  // namespace rope_detail

/// For sequences of n tokens, `width` r channels of each head turning. With s = 1 and no attention_factor of its own,
/// every method but longrope gives the plain frequencies.
inline RopeFrequencies rope_frequencies(std::size_t width, double base, const RopeScaling& scaling, double n) {
  using namespace rope_detail;
  const std::string& method = scaling.method;
  RopeFrequencies found{plain(width, base)};
  if (method == "none") return found;

  std::vector<double>& w = found.w;
  const double L = scaling.original_length;
  const double stretch = std::max(1.0, n / L);
  const double s = scaling.factor == 0 || method == "dynamic_yarn" ? stretch : scaling.factor;
  if (method == "linear") {
    for (double& x : w) x /= s;
  } else if (method == "ntk") {
    w = plain(width, ntk_base(base, s, width));
  } else if (method == "dynamic_ntk") {
    const double a = scaling.factor == 0 ? 1 : scaling.factor;
    w = plain(width, ntk_base(base, a * stretch - (a - 1), width));
  } else if (method == "ntk_by_parts") {
    // The constants were found by experiment; the release advises against changing them.
    const PairRamp ntk_to_linear(1.25, 0.75, width, base, L, true), plain_to_blend(16, 2, width, base, L, true);
    const std::vector<double> ntk = plain(width, ntk_base(base, s, width));
    for (std::size_t m = 0; m < w.size(); ++m)
      w[m] = blend(w[m], blend(ntk[m], w[m] / s, ntk_to_linear(m)), plain_to_blend(m));
  } else if (method == "yarn" || method == "dynamic_yarn") {
    const PairRamp ramp(scaling.beta_fast, scaling.beta_slow, width, base, L, scaling.truncate);
    for (std::size_t m = 0; m < w.size(); ++m)
      w[m] = blend(w[m], w[m] / s,
                   scaling.ramp_by_turns ? turn_ramp(w[m], L, scaling.beta_fast, scaling.beta_slow) : ramp(m));
    const auto t = [s](double c) { return 0.1 * c * std::log(std::max(1.0, s)) + 1; };
    found.attention_factor = t(scaling.mscale) / t(scaling.mscale_all_dim);
  } else if (method == "llama3") {
    for (double& x : w) x = blend(x, x / s, turn_ramp(x, L, scaling.high_freq_factor, scaling.low_freq_factor));
  } else if (method == "longrope") {
    const std::vector<double>& factors = n > L ? scaling.long_factors : scaling.short_factors;
    for (std::size_t m = 0; m < w.size() && !factors.empty(); ++m) w[m] /= factors[m];
    found.attention_factor = s > 1 ? std::sqrt(1 + std::log(s) / std::log(L)) : 1;
  }
  if (scaling.attention_factor > 0) found.attention_factor = scaling.attention_factor;
  return found;
}

}  // namespace lengthwise
