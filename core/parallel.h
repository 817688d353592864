// The program's one way to use several cores.
#pragma once

#include <omp.h>

#include <cstddef>
#include <exception>
#include <utility>

namespace lengthwise {

/// Threads that parallel_for uses from now on; 1 at first. Call it outside of parallel_for.
void set_threads(std::size_t count);
std::size_t threads();

/// Cores this process may run on.
std::size_t available_cores();

/// While it lives, the calling thread is inside parallel work (nested loops run serially) and flushes denormals to
/// zero.
class ParallelScope {
 public:
  ParallelScope();
  ~ParallelScope();
  ParallelScope(const ParallelScope&) = delete;
  ParallelScope& operator=(const ParallelScope&) = delete;
  static bool inside();

 private:
  unsigned saved_;
  bool was_inside_;
};

/// body(i) for every i of 0 .. count-1, handed out in ascending order to whichever thread is free; serial inside
/// another parallel_for. body decides nothing by thread, so results cannot depend on the number of threads. The
/// exception of the lowest i that threw is rethrown here, and no new i is begun after one.
template <class Body>
void parallel_for(std::size_t count, Body&& body) {
  if (ParallelScope::inside()) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::exception_ptr failure;
  std::size_t failed = count, next = 0;
#pragma omp parallel num_threads(static_cast <int>(threads()))
  {
    ParallelScope scope;
    for (;;) {
      std::size_t i, stop;
#pragma omp atomic capture
      i = next++;
#pragma omp atomic read
      stop = failed;
      if (i >= count || i > stop) break;
      try {
        body(i);
      } catch (...) {
#pragma omp critical(lengthwise_parallel_for)
        if (i < failed) {
          failure = std::current_exception();
#pragma omp atomic write
          failed = i;
        }
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lengthwise
