// The commands, one file each. What they take stands in the table in main.cpp; each returns an ExitCode.
#pragma once

#include "experiments/command_line.h"

namespace lengthwise {

int run_command(const Invocation& invocation);       // commands/run.cpp
int evaluate_command(const Invocation& invocation);  // commands/evaluate.cpp
int generate_command(const Invocation& invocation);  // commands/generate.cpp
int show_command(const Invocation& invocation);      // commands/show.cpp
int sample_command(const Invocation& invocation);    // commands/sample.cpp
int check_command(const Invocation& invocation);     // commands/check.cpp
int list_command(const Invocation& invocation);      // list.cpp
int describe_command(const Invocation& invocation);  // list.cpp

}  // namespace lengthwise
