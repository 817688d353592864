#include "encodings/distances.h"

#include <algorithm>

namespace lengthwise {
namespace {

// The step shared by all sequences, if ids rise in equal steps. Sequences of one token fit any step.
std::optional<double> common_step(std::span<const double> ids, std::span<const std::size_t> offsets) {
  std::optional<double> step;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
    for (std::size_t i = offsets[b] + 1; i < offsets[b + 1]; ++i) {
      if (!step) step = ids[offsets[b] + 1] - ids[offsets[b]];
      // Ids are multiples of the step, formed by a product: compare with the product, not with sums of differences.
      const double expected = ids[offsets[b]] + *step * static_cast<double>(i - offsets[b]);
      if (std::abs(ids[i] - expected) > 1e-12 * std::max(1.0, std::abs(expected))) return std::nullopt;
    }
  return step.value_or(1.0);
}

Distances find(const Context& context, std::span<const double> ids) {
  const auto offsets = context.offsets;
  auto columns = std::make_shared<DistanceColumns>();
  Distances found;
  std::size_t longest = 1;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) longest = std::max(longest, offsets[b + 1] - offsets[b]);

  const auto& drawn = context.positions->distance_of_rows;
  if (!drawn.empty()) {
    columns->kind = DistanceColumns::Kind::pairs;
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
      columns->first.push_back(found.values.size());
      const std::size_t n = offsets[b + 1] - offsets[b];
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) found.values.push_back(j <= i ? drawn[b][i - j] : -drawn[b][j - i]);
    }
  } else if (const auto step = common_step(ids, offsets)) {
    columns->kind = DistanceColumns::Kind::rows;
    columns->zero = context.causal ? 0 : longest - 1;
    for (std::size_t c = 0; c < columns->zero + longest; ++c)
      found.values.push_back(*step * (static_cast<double>(c) - static_cast<double>(columns->zero)));
  } else if (std::ranges::all_of(ids, [](double p) { return p == std::floor(p) && std::abs(p) < 1e9; })) {
    columns->kind = DistanceColumns::Kind::ids;
    double past = 0, future = 0;
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
      double low = INFINITY, high = -INFINITY;
      for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i) {
        if (context.causal) {
          past = std::max(past, ids[i] - std::min(low, ids[i]));
          future = std::max(future, std::max(high, ids[i]) - ids[i]);
        }
        low = std::min(low, ids[i]), high = std::max(high, ids[i]);
      }
      if (!context.causal && high > low) past = future = std::max(past, high - low);
    }
    columns->zero = static_cast<std::size_t>(future);
    for (double d = -future; d <= past; ++d) found.values.push_back(d);
    columns->ids.reserve(ids.size());
    for (const double p : ids) columns->ids.push_back(static_cast<std::int64_t>(p));
  } else {
    columns->kind = DistanceColumns::Kind::pairs;
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
      columns->first.push_back(found.values.size());
      for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i)
        for (std::size_t j = offsets[b]; j < offsets[b + 1]; ++j) found.values.push_back(ids[i] - ids[j]);
    }
  }
  found.columns = std::move(columns);
  return found;
}

}  // namespace

const Distances& distances(const Context& context, const std::string& channel) {
  return context.memo->get<Distances>("distances/" + channel, [&] { return find(context, context.ids(channel)); });
}

}  // namespace lengthwise
