// Resampling of a learned table along one axis: which of its rows a row of a table of another size is made of.
//
// Sampling points have half-pixel centres, src = (dst + 1/2) in/out - 1/2, unless corners are aligned.
// Source  Keys 1981, "Cubic convolution interpolation for digital image processing", with the constants that vision
//         models use: a = -0.75 as it is, a = -0.5 with antialiasing, where the kernel widens when shrinking, is cut at
//         the edge and normalised. So antialiasing changes values also when enlarging.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace lengthwise {

struct Resampling {
  std::string kernel = "cubic";  // cubic, linear, nearest
  bool antialias = false;
  bool align_corners = false;  // corners map to corners; without antialias, and not for nearest
};

struct Tap {
  std::size_t index;
  double weight;
};

namespace resampling_detail {

/// The cubic convolution kernel at distance x.
inline double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

inline double linear(double x) { return std::max(0.0, 1 - std::abs(x)); }

}  // namespace resampling_detail

/// The rows of `in` that row `to` of `out` is made of; weights sum to 1. Without a change of size, the row itself.
inline std::vector<Tap> resampling_taps(const Resampling& how, std::size_t in, std::size_t out, std::size_t to) {
  using namespace resampling_detail;
  if (in == out) return {{to, 1.0}};
  const double ratio = static_cast<double>(in) / static_cast<double>(out), last = static_cast<double>(in) - 1;
  const double centre = (static_cast<double>(to) + 0.5) * ratio;
  if (how.kernel == "nearest") return {{static_cast<std::size_t>(std::min(last, std::floor(centre))), 1.0}};

  const bool is_cubic = how.kernel == "cubic";
  const double reach = is_cubic ? 2 : 1;
  std::vector<Tap> taps;
  if (how.antialias) {
    const double stretch = std::max(1.0, ratio), support = reach * stretch;
    const double begin = std::max(0.0, std::trunc(centre - support + 0.5)),
                 end = std::min(last + 1, std::trunc(centre + support + 0.5));
    double sum = 0;
    for (double j = begin; j < end; ++j) {
      const double x = (j + 0.5 - centre) / stretch, weight = is_cubic ? cubic(x, -0.5) : linear(x);
      taps.push_back({static_cast<std::size_t>(j), weight});
      sum += weight;
    }
    for (Tap& tap : taps) tap.weight /= sum;
    return taps;
  }
  const double source = !how.align_corners ? centre - 0.5
                        : out > 1          ? static_cast<double>(to) * last / (static_cast<double>(out) - 1)
                                           : 0;
  for (double j = std::floor(source) - reach + 1; j <= std::floor(source) + reach;
       ++j) {  // beyond the edge, the edge again
    const double weight = is_cubic ? cubic(j - source, -0.75) : linear(j - source);
    taps.push_back({static_cast<std::size_t>(std::clamp(j, 0.0, last)), weight});
  }
  return taps;
}

}  // namespace lengthwise
