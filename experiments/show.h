// Run files as text: one run in full, or several side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lengthwise {

struct ShowOptions {
  std::string protocol = {};  // only this one; all when empty
  bool markdown = false;
  std::size_t width = 100;  // characters a line of a table may take
};

/// The columns of the terminal that standard output goes to, at least 40; elsewhere ShowOptions' own.
std::size_t output_width();

/// One path: its facts, and for each protocol every figure with its interval by length, as of the last evaluation.
/// Several: for each protocol a table of runs x lengths with the task's main metric, the runs told apart by what
/// differs in their configs. Figures of different tasks, protocols or (for text) scored tokens never share a table;
/// runs that failed or have no evaluation are listed as such. Throws InputError for a file that cannot be read and for
/// an unknown protocol.
std::string show_runs(const std::vector<std::string>& paths, const ShowOptions& options);

/// The largest number of a list option's text ("1..40", "10,20", "10..205:10" gives 200); nothing when there is none.
std::optional<std::int64_t> largest_of_list(const std::string& list);

}  // namespace lengthwise
