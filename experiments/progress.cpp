#include "experiments/progress.h"

#include <unistd.h>

#include <cstdio>

#include "core/error.h"
#include "experiments/clock.h"

namespace lengthwise {
namespace {

std::string duration(double seconds) {
  char text[32];
  if (seconds < 90)
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  else if (seconds < 5400)
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  else
    std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
  return text;
}

}  // namespace

Progress::Progress(std::string name, std::size_t steps, std::size_t done)
    : name_(std::move(name)),
      steps_(steps),
      first_(done),
      began_(monotonic_seconds()),
      printed_(began_),
      terminal_(isatty(STDERR_FILENO)) {}

void Progress::step(std::size_t done, double loss, double token_accuracy) {
  if (!due(0.5)) return;
  const double time = monotonic_seconds();
  const double rate = static_cast<double>(done - first_) / (time - began_);
  char text[160];
  std::snprintf(text, sizeof text, "step %zu of %zu  loss %.4f  token accuracy %.3f  %.1f steps/s  %s left", done,
                steps_, loss, token_accuracy, rate, duration(static_cast<double>(steps_ - done) / rate).c_str());
  print(text);
}

void Progress::note(const std::string& what) {
  if (monotonic_seconds() - began_ >= 1 && due(0)) print(what);
}

bool Progress::due(double terminal_seconds) {
  const double time = monotonic_seconds();
  if (time - printed_ < (terminal_ ? terminal_seconds : 10)) return false;
  printed_ = time;
  return true;
}

void Progress::finish() {
  if (dirty_) std::fputs("\r\033[K", stderr);
  dirty_ = false;
}

void Progress::print(const std::string& line) {
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s: %s", name_.c_str(), line.c_str());
    std::fflush(stderr);
    dirty_ = true;
  } else {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), line.c_str());
  }
}

}  // namespace lengthwise
