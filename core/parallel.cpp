#include "core/parallel.h"

#include <sched.h>

#include <algorithm>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace lengthwise {
namespace {

std::size_t thread_count = 1;
thread_local bool inside_parallel = false;

#if defined(__SSE__)
constexpr unsigned flush_denormals = 0x8040;  // FTZ | DAZ
unsigned float_control() { return _mm_getcsr(); }
void set_float_control(unsigned value) { _mm_setcsr(value); }
#else
constexpr unsigned flush_denormals = 0;
unsigned float_control() { return 0; }
void set_float_control(unsigned) {}
#endif

// oneDNN asks OpenMP how many threads it may start. One: every product is serial, also where a team has a single
// thread.
const bool products_are_serial = (omp_set_num_threads(1), omp_set_dynamic(0), true);

}  // namespace

void set_threads(std::size_t count) { thread_count = std::max<std::size_t>(1, count); }
std::size_t threads() { return thread_count; }

std::size_t available_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&cores));
}

ParallelScope::ParallelScope() : saved_(float_control()), was_inside_(inside_parallel) {
  inside_parallel = true;
  set_float_control(saved_ | flush_denormals);
}
ParallelScope::~ParallelScope() {
  inside_parallel = was_inside_;
  set_float_control(saved_);
}
bool ParallelScope::inside() { return inside_parallel; }

}  // namespace lengthwise
