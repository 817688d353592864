// Counts what goes through operator new, which pool_test.cpp replaces for this program.
#pragma once

#include <cstddef>

namespace lengthwise {

struct Allocations {
  std::size_t large = 0;       // calls for 4 KiB or more
  std::size_t peak_bytes = 0;  // most memory in use at once, beyond what was in use at the start
};

/// Begins to count anew, for all threads.
void start_counting_allocations();
Allocations counted_allocations();

}  // namespace lengthwise
