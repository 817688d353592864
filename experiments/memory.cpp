#include "experiments/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace lengthwise {
namespace {

namespace fs = std::filesystem;

// The lowest limit of a control group and those it is in; `group` as /proc/self/cgroup names it.
double group_limit(const fs::path& root, const std::string& group, const char* file) {
  double lowest = INFINITY;
  for (fs::path folder = root / fs::path(group).relative_path();; folder = folder.parent_path()) {
    double limit = 0;
    if (std::ifstream(folder / file) >> limit) lowest = std::min(lowest, limit);  // "max" is no number
    if (folder == root || !folder.has_relative_path()) return lowest;
  }
}

}  // namespace

double usable_memory() {
  double least = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    least = std::min(least, static_cast<double>(space.rlim_cur));
  std::ifstream groups("/proc/self/cgroup");  // lines like 0::/user.slice or 4:memory:/user.slice
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, group_limit("/sys/fs/cgroup", group, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, group_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

double least_memory(const ModelConfig& model, std::size_t tokens, bool training, std::size_t number) {
  const auto width = static_cast<double>(model.shape.width), layers = static_cast<double>(model.shape.layers);
  const double weights =
      static_cast<double>(model.vocabulary) * width + layers * (4 + 2 * model.mlp_ratio) * width * width;
  // The input of a block, its queries, keys and values; training keeps these of every block, and the MLP's hidden rows.
  const double rows = training ? layers * static_cast<double>(model.loops) * (4 + model.mlp_ratio) : 4;
  return static_cast<double>(number) * ((training ? 4 : 1) * weights + static_cast<double>(tokens) * width * rows);
}

}  // namespace lengthwise
