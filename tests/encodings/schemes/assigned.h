// A position scheme as a batch meets it: made by name, given lengths, a phase and the task's hints.
#pragma once

#include "tests/encodings/harness.h"

namespace lengthwise {

struct Assigned {
  std::map<std::string, std::vector<double>> hints = {};
  Phase phase = Phase::train;
  std::uint64_t seed = 1;  // of every stream

  Positions operator()(const std::string& scheme, const OptionValues& options,
                       const std::vector<std::size_t>& lengths) const {
    std::vector<std::size_t> offsets{0};
    std::vector<Rng> streams;
    for (const std::size_t n : lengths) {
      streams.push_back(Rng(seed).at(offsets.size()));
      offsets.push_back(offsets.back() + n);
    }
    Positions positions;
    for (const auto& [channel, ids] : hints) positions.set(channel, ids);
    const SchemeInput input{
        .phase = phase, .offsets = offsets, .hints = &hints, .sequence_rng = streams, .batch_rng = Rng(seed)};
    scheme_of(scheme, options)->assign(input, positions);
    return positions;
  }

  static std::unique_ptr<PositionScheme> scheme_of(const std::string& scheme, const OptionValues& options = {}) {
    return make_scheme(scheme, Options(schemes().at(scheme).section, options));
  }
};

inline std::vector<double> ids_of(const Positions& positions, const std::string& channel = "sequence") {
  const auto ids = positions.channel(channel);
  return {ids.begin(), ids.end()};
}

inline std::vector<double> part(const std::vector<double>& ids, std::size_t begin, std::size_t end) {
  return {ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace lengthwise
