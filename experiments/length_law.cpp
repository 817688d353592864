#include "experiments/length_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lengthwise {

std::size_t LengthLaw::pick(const std::vector<std::size_t>& lengths, std::size_t step, Rng rng) const {
  if (!up_to.empty()) {
    const auto found = std::ranges::upper_bound(up_to, rng.uniform());
    return lengths[std::min(static_cast<std::size_t>(found - up_to.begin()), lengths.size() - 1)];
  }
  const std::size_t joined = stair_steps ? std::min(lengths.size(), 1 + step / stair_steps) : lengths.size();
  return lengths[newest ? joined - 1 : rng.below(joined)];
}

std::vector<double> exponential_shares(const std::vector<std::size_t>& lengths, double tau) {
  const std::size_t likeliest = tau < 1 ? lengths.front() : lengths.back();  // its term is 1, so that none overflows
  std::vector<double> up_to;
  for (const std::size_t n : lengths)
    up_to.push_back(std::pow(tau, static_cast<double>(n) - static_cast<double>(likeliest)));
  std::partial_sum(up_to.begin(), up_to.end(), up_to.begin());
  for (double& share : up_to) share /= up_to.back();
  return up_to;
}

}  // namespace lengthwise
