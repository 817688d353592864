#include "experiments/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace lengthwise {
namespace {

/// The value below which the share `q` of the sorted values lies, interpolated linearly (numpy's default).
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Estimate wilson(std::size_t successes, std::size_t trials) {
  assert(successes <= trials);
  if (trials == 0) return {};
  const double z = 1.959963984540054;  // the normal distribution's 97.5 % point
  const double n = static_cast<double>(trials), p = static_cast<double>(successes) / n;
  const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  // At 0 and 1 the bound is the proportion itself; rounding would put it beside.
  return {p, successes == 0 ? 0 : centre - half, successes == trials ? 1 : centre + half};
}

double token_mean(std::span<const double> sums, std::span<const double> tokens) {
  assert(sums.size() == tokens.size());
  const double total = std::accumulate(tokens.begin(), tokens.end(), 0.0);
  return total > 0 ? std::accumulate(sums.begin(), sums.end(), 0.0) / total : std::numeric_limits<double>::quiet_NaN();
}

Estimate token_bootstrap(std::span<const double> sums, std::span<const double> tokens, Rng rng, std::size_t resamples) {
  const double mean = token_mean(sums, tokens);
  std::vector<std::size_t> sequences;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] > 0) sequences.push_back(i);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (sequences.size() < 2 || resamples == 0) return {mean, nan, nan};

  std::vector<double> means;
  for (std::size_t r = 0; r < resamples; ++r) {
    Rng draws = rng.at(r);
    double sum = 0, count = 0;
    for (std::size_t k = 0; k < sequences.size(); ++k) {
      const std::size_t i = sequences[draws.below(sequences.size())];
      sum += sums[i], count += tokens[i];
    }
    means.push_back(sum / count);
  }
  std::ranges::sort(means);
  return {mean, quantile(means, 0.025), quantile(means, 0.975)};
}

std::optional<Horizon> horizon(std::span<const std::int64_t> lengths, std::span<const double> accuracy,
                               double threshold) {
  assert(lengths.size() == accuracy.size());
  std::size_t passed = 0;
  while (passed < lengths.size() && accuracy[passed] >= threshold) ++passed;
  if (passed == 0) return {};
  return Horizon{lengths[passed - 1], passed == lengths.size()};
}

}  // namespace lengthwise
