#include "experiments/run.h"

#include <filesystem>
#include <iostream>

#include "experiments/commands.h"
#include "experiments/settings.h"
#include "experiments/show.h"

namespace lengthwise {

int run_command(const Invocation& invocation) {
  for (const std::string& argument : invocation.arguments)
    require(!tasks().count(argument) || std::filesystem::exists(argument), "'", argument,
            "' is a task and no config file; write --task.name=", argument, ".");
  const Experiment experiment =
      make_experiment(read_config(all_sections(), invocation.arguments, invocation.overrides));
  if (invocation.flags.flag("print-path")) {
    std::cout << experiment.path() << "\n";
    return done;
  }
  const int code = run_experiment(experiment, invocation.command_line);
  if (code == done)
    std::cout << show_runs({experiment.path()}, {.width = output_width()}) << "\n" << experiment.path() << "\n";
  return code;
}

}  // namespace lengthwise
