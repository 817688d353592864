// What the benchmark programs share: flags, repeated timing, a JSON line.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace lengthwise {

/// --name value pairs over defaults; leaves the program with code 2 for an unknown name.
class Flags {
 public:
  Flags(int count, char** words, std::map<std::string, std::string> defaults) : values_(std::move(defaults)) {
    for (int i = 1; i < count; i += 2) {
      const std::string word = words[i], name = word.substr(0, 2) == "--" ? word.substr(2) : "";
      if (!values_.count(name) || i + 1 == count) {
        std::fprintf(stderr, "%s: unknown flag or no value: %s\nflags and defaults:", words[0], words[i]);
        for (const auto& [known, value] : values_) std::fprintf(stderr, " --%s %s", known.c_str(), value.c_str());
        std::fprintf(stderr, "\n");
        std::exit(2);
      }
      values_[name] = words[i + 1];
    }
  }
  const std::string& text(const std::string& name) const { return values_.at(name); }
  std::size_t count(const std::string& name) const { return static_cast<std::size_t>(std::atoll(text(name).c_str())); }
  double real(const std::string& name) const { return std::atof(text(name).c_str()); }

 private:
  std::map<std::string, std::string> values_;
};

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Timing {
  double milliseconds = 0, least = 0;  // median and minimum of one call
  double per_second = 0;               // units done
  std::size_t repeats = 0;
  double share = 0;  // of the limit: the median over the calls
};

/// Calls work() -> units done, a few times to warm up, no longer than for a second, and then for about `seconds`, at
/// least three times; once when `seconds` is 0. limit() -> units a second, measured before and after each call: what a
/// call is a share of, while the machine is as fast or slow as it is just then.
template <class Work, class Limit>
Timing timed(double seconds, int warm_up, Work work, Limit limit) {
  const double warm = now() + 1;
  for (int i = 0; i < warm_up && (i == 0 || now() < warm); ++i) work();
  std::vector<double> times, shares;
  double total = 0, units = 0, before = limit();
  for (const double end = now() + seconds; now() < end || times.size() < (seconds > 0 ? 3 : 1);) {
    const double begin = now(), done = static_cast<double>(work()), spent = now() - begin, after = limit();
    shares.push_back(done / spent / ((before + after) / 2));
    times.push_back(1e3 * spent);
    units += done, total += spent, before = after;
  }
  std::ranges::sort(times);
  std::ranges::sort(shares);
  return {times[times.size() / 2], times[0], units / total, times.size(), shares[shares.size() / 2]};
}
template <class Work>
Timing timed(double seconds, int warm_up, Work work) {
  return timed(seconds, warm_up, work, [] { return 1.0; });
}

/// The keys torch_peer.py prints too. `more`: further members, as JSON.
inline void report(const Flags& flags, const Timing& timing, const std::string& more = "") {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"impl\": \"lengthwise\", \"size\": \"%s\", \"encoding\": \"%s\", \"threads\": %s, \"repeats\": %zu, \"ms\": "
      "%.4f, \"ms_min\": %.4f, \"per_second\": %.1f, \"rss_mib\": %.1f%s%s}\n",
      flags.text("size").c_str(), flags.text("encoding").c_str(), flags.text("threads").c_str(), timing.repeats,
      timing.milliseconds, timing.least, timing.per_second, static_cast<double>(usage.ru_maxrss) / 1024,
      more.empty() ? "" : ", ", more.c_str());
}

}  // namespace lengthwise
