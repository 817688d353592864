#include "experiments/show.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "experiments/run_file.h"
#include "experiments/show_page.h"

namespace lengthwise {

std::optional<std::int64_t> largest_of_list(const std::string& list) {
  std::optional<std::int64_t> largest;
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    long long first = 0, last = 0, step = 1;
    const int read = std::sscanf(item.c_str(), "%lld..%lld:%lld", &first, &last, &step);
    if (read < 1) continue;
    const long long end = read < 2 || last < first || step < 1 ? first : last - (last - first) % step;
    largest = std::max<std::int64_t>(largest.value_or(end), end);
  }
  return largest;
}

std::size_t output_width() {
  winsize terminal{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) != 0 || terminal.ws_col == 0) return ShowOptions{}.width;
  return std::max<std::size_t>(40, terminal.ws_col);
}

std::string show_runs(const std::vector<std::string>& paths, const ShowOptions& options) {
  require(!paths.empty(), "show: no run file given; name one or more");
  std::vector<show::Run> runs;
  std::vector<std::string> protocols;
  for (const std::string& path : paths) {
    show::Run& run = runs.emplace_back(show::Run{path, read_run(path, Parts::scores), {}});
    run.config = config_values(run.file.facts.config);
    if (!options.protocol.empty()) {
      std::vector<std::string> names;
      std::string known;
      for (const Evaluation& evaluation : run.file.evaluations) {
        names.push_back(evaluation.name);
        known += " " + evaluation.name;
      }
      require(names.empty() || run.file.evaluation(options.protocol), "--protocol: '", path, "' has no evaluation '",
              options.protocol, "', only:", known, ".", did_you_mean(options.protocol, names));
      std::erase_if(run.file.evaluations, [&](const Evaluation& e) { return e.name != options.protocol; });
    }
    if (paths.size() > 1) {  // side by side only figures of one value of a second axis compare
      std::vector<Evaluation> split;
      for (const Evaluation& evaluation : run.file.evaluations)
        std::ranges::move(show::by_value(evaluation), std::back_inserter(split));
      run.file.evaluations = std::move(split);
    }
    for (const Evaluation& evaluation : run.file.evaluations)
      if (std::ranges::find(protocols, evaluation.name) == protocols.end()) protocols.push_back(evaluation.name);
  }
  show::Page page(options);
  if (runs.size() == 1) {
    std::erase_if(protocols, [&](const std::string& name) { return !runs[0].file.evaluation(name); });
    show::show_one(runs.front(), protocols, page);
  } else {
    show::show_several(runs, protocols, page);
  }
  std::string text = page.text();
  text.erase(text.find_last_not_of('\n') + 1);
  return text + '\n';
}

}  // namespace lengthwise
