// The sections of a config that belong to no module: what every run has.
#pragma once

#include <vector>

#include "core/options.h"

namespace lengthwise {

/// run, model, encoding, positions, train and evaluate, and the task's name.
std::vector<Section> settings();

/// Everything a config may hold: settings(), then the section of every registered module.
/// Throws std::logic_error when two of them share a name.
std::vector<Section> all_sections();

}  // namespace lengthwise
