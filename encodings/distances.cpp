#include "encodings/distances.h"

#include <algorithm>

namespace lengthwise {
namespace {

// Distances of a table, and pairs of one: 32 MiB and 512 MiB.
constexpr double most_columns = 1 << 22, most_pairs = 1 << 26;

struct Steps {
  std::vector<double> of_sequence;
  bool common = true;
};

// The steps of ids that rise in equal ones. Sequences of one token fit any step.
std::optional<Steps> equal_steps(std::span<const double> ids, std::span<const std::size_t> offsets) {
  Steps found;
  std::optional<double> shared;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const auto own = ids.subspan(offsets[b], offsets[b + 1] - offsets[b]);
    const double step = own.size() > 1 ? own[1] - own[0] : shared.value_or(1);
    found.of_sequence.push_back(step);
    // Ids are multiples of the step, formed by a product: compare with the product, not with sums of differences.
    const auto fits = [&](double by) {
      for (std::size_t i = 1; i < own.size(); ++i) {
        const double expected = own[0] + by * static_cast<double>(i);
        if (std::abs(own[i] - expected) > 1e-12 * std::max(1.0, std::abs(expected))) return false;
      }
      return true;
    };
    if (!fits(step)) return std::nullopt;
    if (own.size() < 2) continue;
    found.common = found.common && (!shared || fits(*shared));
    if (!shared) shared = step;
  }
  if (shared && found.common) std::ranges::fill(found.of_sequence, *shared);
  return found;
}

// Appends what distances of -(n - 1) .. n - 1 rows stand for, or of 0 .. n - 1 in causal attention. Returns the column
// of distance 0.
template <class OfRows>
std::size_t append_rows(Distances& to, std::size_t n, bool causal, OfRows of_rows) {
  const std::size_t begin = to.values.size(), behind = causal || n == 0 ? 0 : n - 1;
  for (std::size_t k = behind; k > 0; --k) to.values.push_back(-of_rows(k));
  for (std::size_t k = 0; k < n; ++k) to.values.push_back(of_rows(k));
  return begin + behind;
}

Distances find(const Context& context, std::span<const double> ids) {
  const auto offsets = context.offsets;
  const std::size_t sequences = offsets.size() - 1;
  const auto length = [&](std::size_t b) { return offsets[b + 1] - offsets[b]; };
  auto columns = std::make_shared<DistanceColumns>();
  Distances found;
  double past = 0, future = 0;
  const auto find_reach = [&] {
    for (std::size_t b = 0; b < sequences; ++b) {
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
    return past + future < most_columns;
  };

  const auto& drawn = context.positions->distance_of_rows;
  const auto steps = equal_steps(ids, offsets);
  if (!drawn.empty()) {
    for (std::size_t b = 0; b < sequences; ++b)
      columns->first.push_back(
          append_rows(found, length(b), context.causal, [&](std::size_t k) { return drawn[b][k]; }));
  } else if (steps && steps->common) {
    std::size_t longest = 1;
    for (std::size_t b = 0; b < sequences; ++b) longest = std::max(longest, length(b));
    const double step = steps->of_sequence.empty() ? 1 : steps->of_sequence[0];
    columns->zero =
        append_rows(found, longest, context.causal, [&](std::size_t k) { return step * static_cast<double>(k); });
  } else if (std::ranges::all_of(ids, [](double p) { return p == std::floor(p); }) && find_reach()) {
    columns->kind = DistanceColumns::Kind::ids;
    columns->zero = static_cast<std::size_t>(future);
    for (double d = -future; d <= past; ++d) found.values.push_back(d);
    columns->ids.reserve(ids.size());
    for (const double p : ids) columns->ids.push_back(static_cast<std::int64_t>(p));
  } else if (steps) {
    for (std::size_t b = 0; b < sequences; ++b)
      columns->first.push_back(append_rows(found, length(b), context.causal, [&](std::size_t k) {
        return steps->of_sequence[b] * static_cast<double>(k);
      }));
  } else {
    columns->kind = DistanceColumns::Kind::pairs;
    for (std::size_t b = 0; b < sequences; ++b) {
      columns->first.push_back(found.values.size());
      require(
          static_cast<double>(found.values.size()) + static_cast<double>(length(b)) * static_cast<double>(length(b)) <
              most_pairs,
          "distances of ids that are no whole numbers take a table of every pair of tokens, which is too large for ",
          length(b),
          " of them. Use whole-numbered ids (randomized.values = whole), ids in equal steps "
          "(randomized.eval_ids = even or identity), or shorter sequences.");
      for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i)
        for (std::size_t j = offsets[b]; j < offsets[b + 1]; ++j) found.values.push_back(ids[i] - ids[j]);
    }
  }
  columns->left_out = context.positions->without_position;
  found.columns = std::move(columns);
  return found;
}

}  // namespace

const Distances& distances(const Context& context, const std::string& channel) {
  return context.memo->get<Distances>("distances/" + channel, [&] { return find(context, context.ids(channel)); });
}

}  // namespace lengthwise
