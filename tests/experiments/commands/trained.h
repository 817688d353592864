// A small run for tests of what the program does with one.
#pragma once

#include "experiments/run_file.h"
#include "tests/experiments/files.h"

namespace lengthwise {

/// Trained by the program, in a folder of its own.
class Trained {
 public:
  explicit Trained(const std::string& options) {
    const Outcome run = shell(join("'", PROGRAM, "' run --run.name=run --run.output='", folder_ / "out",
                                   "' --model.width=16 --model.heads=2 ", options));
    EXPECT_EQ(run.code, 0) << run.output;
  }

  std::string path() const { return folder_ / "out/run.h5"; }
  Outcome program(const std::string& command, const std::string& words) const {
    return shell(join("'", PROGRAM, "' ", command, " '", path(), "' ", words));
  }
  /// What `lengthwise evaluate` writes with these changes; `shown`: what it says.
  RunFile evaluated(const std::string& changes, std::string* shown = nullptr) const {
    const auto [code, output] = program("evaluate", changes);
    EXPECT_EQ(code, 0) << changes << "\n" << output;
    if (shown) *shown = output;
    const std::size_t end = output.find_last_not_of('\n'), begin = output.rfind('\n', end) + 1;
    return read_run(output.substr(begin, end + 1 - begin));
  }

 private:
  Folder folder_;
};

}  // namespace lengthwise
