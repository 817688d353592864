// A finished run as tests want it, with figures that are easy to check by eye.
#pragma once

#include <cmath>
#include <string>

#include "experiments/run_file.h"

namespace lengthwise {

inline const char* sample_config =
    "# resolved\n[run]\nname = copy-rope\nseed = 3\nthreads = 2\n[task]\nname = copy_repeat\n[model]\nlayers = 2\n"
    "[encoding]\nname = rope\n[positions]\nscheme = sequential\n[train]\nlengths = 1..40\nsteps = 200  # few\n";

/// Exact match is 1 up to length 40 and falls by half with every further 20.
inline RunFile sample_run() {
  RunFile run;
  run.facts.status = "complete";
  run.facts.program_version = "0.1.0";
  run.facts.name = "copy-rope";
  run.facts.config = sample_config;
  run.facts.seed = 3;
  run.facts.shards = 8;
  run.facts.threads = 2;
  run.facts.host = "é";
  run.facts.seconds = 61.25;
  run.facts.train_positions = 82;
  run.facts.parameter_count = 412345;
  run.train = {{100, 1.5, 0.5, 1e-3, 2, 40000, 30}, {200, 0.0123, 0.99, 1e-4, 0.5, 80000, 61}};
  run.validation = {{200, 0.01, 0.995, 0.95}};
  Evaluation& e = run.evaluations.emplace_back();
  e.name = "teacher_forced";
  e.protocol = "one teacher-forced pass; every answer token scored";
  e.position_policy = "sequential ids, never clamped";
  e.settings["window"] = std::int64_t{0};
  e.steps = {100, 200};
  for (std::int64_t n = 20; n <= 100; n += 20) e.lengths.push_back(n), e.tokens.push_back(2 * n + 2);
  for (const double scale : {0.5, 1.0}) {
    auto& row = e.scores.emplace_back();
    for (const std::int64_t n : e.lengths) {
      const double p = scale * std::exp2(-std::max(0.0, static_cast<double>(n - 40) / 20));
      const auto right = static_cast<std::size_t>(std::lround(p * 512));
      LengthScore& s = row.emplace_back();
      s.examples = 512;
      s.scored_tokens = 512 * n;
      s.exact_match = wilson(right, 512);
      s.token_accuracy = {(1 + p) / 2, (1 + p) / 2 - 0.01, (1 + p) / 2};
      s.loss = {1.1 - p, 1.05 - p, 1.15 - p};
      s.chance = 0.1;
    }
  }
  for (std::size_t l = 0; l < e.lengths.size(); ++l) {
    auto& row = e.examples.emplace_back();
    for (int i = 0; i < 4; ++i) row.push_back({i < 3, e.lengths[l] - (i == 3), e.lengths[l], 0.5 * i});
  }
  run.model = {{{"layer.0.query", 4, 4}, std::vector<float>(16, 0.5f)},
               {{"t5.table", 2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6}},
               {{"t5.uses", 1, 3}, std::vector<std::int64_t>{7, 0, 9}}};
  e.by_position.add_dimension("bucket", std::vector<std::int64_t>{0, 1});
  e.by_position.add_variable("loss", {"bucket"}, std::vector<double>{2, 1}, "nats");
  Group& entropy = run.others["extra"];
  entropy.add_dimension("head", std::vector<std::int64_t>{0, 1});
  entropy.add_variable("entropy", {"head"}, std::vector<double>{3, 4}, "nats");
  return run;
}

/// sample_run with another value of one option of its config.
inline RunFile sample_run(const std::string& from, const std::string& to) {
  RunFile run = sample_run();
  std::string& config = run.facts.config;
  config.replace(config.find(from), from.size(), to);
  return run;
}

}  // namespace lengthwise
