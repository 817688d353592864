// Lengths too short for a task's statement: refused, or what the authors' code fills in.
#pragma once

#include "experiments/tasks/symbols.h"

namespace lengthwise {

/// The option `compat`; `filler` says what its value `peer` gives.
inline OptionSpec compat_option(const std::string& filler) {
  return choice("compat", "none", {"none", "peer"})
      .says("lengths that are too short for the task. none: refused; peer: as the authors' code, " + filler);
}

inline bool as_peer(const Options& options) { return options.text("compat") == "peer"; }

/// require_length(), from 1 on where the task does as the authors' code.
inline void require_length(const std::string& task, std::size_t n, std::size_t least, const char* why, bool peer) {
  if (peer)
    require_length(task, n, 1, "a token");
  else
    require_length(task, n, least, join(why, "; ", task, ".compat = peer has shorter ones").c_str());
}

}  // namespace lengthwise
