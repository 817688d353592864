// How sure a measured figure is, within one run. Between runs the seed is the unit, which is for the analysis of a
// sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "core/random.h"

namespace lengthwise {

/// A figure with its 95 % interval. NaN stands for "not known".
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN(), low = value, high = value;
};

/// A proportion with the Wilson score interval. Source: Wilson 1927; Brown, Cai, DasGupta 2001, equation 4. No trials:
/// NaN.
Estimate wilson(std::size_t successes, std::size_t trials);

/// Σ sums / Σ tokens, the mean weighted by tokens; NaN without tokens. One entry a sequence in both.
double token_mean(std::span<const double> sums, std::span<const double> tokens);

/// token_mean with the percentile bootstrap over sequences (Efron 1979): the tokens of one sequence are correlated, so
/// whole sequences are drawn. The same numbers for the same `rng`. Sequences without tokens do not count; with fewer
/// than two others the interval is NaN. Where all sequences agree (all right, say) it has no width, whatever their
/// number: read Wilson's interval of the exact matches beside it.
Estimate token_bootstrap(std::span<const double> sums, std::span<const double> tokens, Rng rng,
                         std::size_t resamples = 1000);

/// How far a model generalizes: the longest length up to which the accuracy stays at or above a threshold.
struct Horizon {
  std::int64_t length = 0;
  bool censored = false;  // the last length still passes: the truth is this or longer
};

/// `lengths` ascending, one accuracy each; a NaN does not pass. Nothing where the first length fails.
std::optional<Horizon> horizon(std::span<const std::int64_t> lengths, std::span<const double> accuracy,
                               double threshold);

}  // namespace lengthwise
