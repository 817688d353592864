#include "experiments/sample.h"

#include <filesystem>
#include <iostream>

#include "experiments/commands.h"
#include "experiments/experiment.h"
#include "experiments/settings.h"

namespace lengthwise {

int sample_command(const Invocation& invocation) {
  std::vector<std::string> files, overrides = invocation.overrides;
  std::vector<std::string> names;
  for (const auto& [name, info] : tasks()) names.push_back(name);
  for (const std::string& argument : invocation.arguments) {
    const bool file = std::filesystem::exists(argument);
    require(file || tasks().count(argument) || argument.find_first_of("./=") != argument.npos, "'", argument,
            "' is neither a task nor a config file.", did_you_mean(argument, names));
    if (!file && tasks().count(argument))
      overrides.push_back("--task.name=" + argument);
    else
      files.push_back(argument);
  }
  Config config = read_config(all_sections(), files, overrides);
  const std::size_t length = invocation.flags.count("length");
  if (length) {  // the lengths of training do not matter
    for (const char* section : {"train", "evaluate"}) config.set(section, "lengths", join(length));
    config.set("train", "length_law", "list");
  }
  const Experiment experiment = make_experiment(std::move(config), Purpose::look);
  const std::vector<std::size_t> lengths{length ? length : experiment.train.lengths.back()};
  std::cout << sample_text(*experiment.task, lengths, invocation.flags.count("count"), experiment.train.seed);
  return done;
}

}  // namespace lengthwise
