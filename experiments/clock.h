// Time as the program tells it.
#pragma once

#include <chrono>
#include <ctime>
#include <string>

namespace lengthwise {

/// Seconds since some fixed moment; never goes back.
inline double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Now, in UTC: "2026-01-31T12:00:00Z".
inline std::string utc_time() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace lengthwise
