// What was typed: a command, its arguments and flags, and options of the config. And how a program ends.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/options.h"

namespace lengthwise {

/// The exit codes of the program.
enum ExitCode : int { done = 0, failed = 1, bad_input = 2, interrupted = 75 };  // 75: start it again and it goes on

/// One call of a command.
struct Invocation {
  std::string command_line;            // as typed, for the run file
  std::vector<std::string> arguments;  // what is no flag and no option: files and names
  std::vector<std::string> overrides;  // "--section.key=value", for read_config
  Options flags;                       // the command's own, checked
};

/// One row of the table of commands.
struct Command {
  std::string name = {};
  std::string usage = {};  // what follows the name: "RUN.h5..."
  std::string sentence;
  std::size_t least_arguments = 0, most_arguments = 0;
  bool takes_overrides = false;
  std::vector<OptionSpec> flags = {};                 // "--count 5"; a flag option stands alone: "--all"
  std::function<int(const Invocation&)> action = {};  // returns an ExitCode
};

constexpr std::size_t any_number = static_cast<std::size_t>(-1);

/// Splits the arguments of `command` (those after its name). Options are never abbreviated; "--" ends them.
/// Throws InputError for unknown or repeated flags, for a bad value, and for too few or too many arguments.
Invocation parse_command_line(const Command& command, const std::vector<Section>& sections,
                              const std::vector<std::string>& words);

/// Runs the program: `words` as typed, without its name. Answers --help and --version itself. Reports what a command
/// throws as one line on standard error. Returns the exit code.
int run_program(const std::vector<Command>& commands, const std::vector<Section>& sections,
                const std::vector<std::string>& words);

}  // namespace lengthwise
