// A learned row for each position: how many rows there are.
#pragma once

#include "encodings/encoding.h"

namespace lengthwise {

inline OptionSpec table_positions_option() {
  return integer("positions", 0)
      .at_most(1 << 24)
      .in("tokens")
      .says("rows of the table; 0: the tokens of the longest training sequence");
}

inline std::size_t table_rows(const Options& options, const ModelShape& shape) {
  return options.count("positions") ? options.count("positions") : shape.train_positions;
}

/// Throws InputError for a table that training sequences do not fit into.
inline void check_table_rows(const Options& options, const ModelShape& shape) {
  const std::string& name = options.section();
  require(table_rows(options, shape) >= shape.train_positions, name, ": ", name, ".positions is ",
          options.count("positions"), ", but training sequences have up to ", shape.train_positions,
          " tokens; set it to at least that, or to 0.");
}

}  // namespace lengthwise
