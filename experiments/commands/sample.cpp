#include "experiments/sample.h"

#include <iostream>

#include "experiments/commands.h"
#include "experiments/experiment.h"
#include "experiments/settings.h"

namespace lengthwise {

int sample_command(const Invocation& invocation) {
  const Experiment experiment =
      make_experiment(read_config(all_sections(), invocation.arguments, invocation.overrides));
  const std::size_t length = invocation.flags.count("length");
  const std::vector<std::size_t> lengths{length ? length : experiment.train.lengths.back()};
  std::cout << sample_text(*experiment.task, lengths, invocation.flags.count("count"), experiment.train.seed);
  return done;
}

}  // namespace lengthwise
