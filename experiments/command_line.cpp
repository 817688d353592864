#include "experiments/command_line.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <new>

#include "experiments/config.h"
#include "experiments/table.h"
#include "experiments/version.h"

namespace po = boost::program_options;

namespace lengthwise {
namespace {

constexpr const char* about =
    "lengthwise: length generalization of transformers, one positional encoding after another";

/// Every word quoted where a shell would need it, so that the line can be typed again.
std::string typed(const std::vector<std::string>& words) {
  std::string line = "lengthwise";
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]{}~#!`") == word.npos;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    line += " " + (plain ? word : quoted + "'");
  }
  return line;
}

const OptionSpec* find_flag(const Command& command, const std::string& name) {
  const auto found = std::find_if(command.flags.begin(), command.flags.end(),
                                  [&](const OptionSpec& flag) { return flag.name == name; });
  return found == command.flags.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_unknown(const Command& command, const std::vector<Section>& sections,
                                 const std::string& typed_name) {
  const std::string option = typed_name.substr(0, typed_name.find('='));
  const std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  std::vector<std::string> known = {"--help"};
  for (const OptionSpec& flag : command.flags) known.push_back("--" + flag.name);
  const std::string hint = did_you_mean("--" + name, known);
  if (hint.empty() && command.takes_overrides) {
    find_option(sections, name, "");  // throws, with a hint
    throw InputError(join("unknown option ", option, ". Did you mean --", name, "?"));
  }
  throw InputError(join("unknown option ", option, ".", hint, " See lengthwise ", command.name, " --help."));
}

po::options_description known_options(const Command& command, const std::vector<Section>& sections) {
  po::options_description known;
  const auto with_value = [] { return po::value<std::string>(); };
  const auto alone = [] { return po::value<std::string>()->zero_tokens(); };
  for (const OptionSpec& flag : command.flags)
    known.add_options()(flag.name.c_str(), flag.type == OptionSpec::Type::flag ? alone() : with_value());
  if (!command.takes_overrides) return known;
  for (const Section& section : sections)
    for (const OptionSpec& option : section.options)
      known.add_options()((section.name + "." + option.name).c_str(), with_value());
  return known;
}

// "--run.name=" as "--run.name" and an empty word, which is how Boost takes an empty value.
std::vector<std::string> with_empty_values(std::vector<std::string> words, const po::options_description& known) {
  const auto end = [&] { return std::find(words.begin(), words.end(), "--"); };
  for (auto word = words.begin(); word != end(); ++word) {
    if (!word->starts_with("--") || word->find('=') != word->size() - 1) continue;
    const po::option_description* option = known.find_nothrow(word->substr(2, word->size() - 3), false);
    if (!option || option->semantic()->max_tokens() == 0) continue;
    word->pop_back();
    word = words.insert(word + 1, "");
  }
  return words;
}

void check_argument_count(const Command& command, std::size_t count) {
  const std::string usage = join(" Usage: lengthwise ", command.name, command.usage.empty() ? "" : " ", command.usage);
  require(count >= command.least_arguments, command.name, " needs ",
          command.least_arguments == 1 ? "an argument." : join(command.least_arguments, " arguments."), usage);
  require(count <= command.most_arguments, command.name, " takes ",
          command.most_arguments == 0 ? join("no arguments") : join("at most ", command.most_arguments), ", not ",
          count, ".", usage);
}

std::string program_help(const std::vector<Command>& commands) {
  std::vector<std::vector<std::string>> rows;
  for (const Command& command : commands) rows.push_back({command.name + " " + command.usage, command.sentence});
  return join(about, "\n\nUsage: lengthwise COMMAND ARGUMENTS... [--section.key=value ...]\n\n", aligned(rows, "  "),
              "\nlengthwise COMMAND --help says more, lengthwise list options names every option of a config,\n"
              "lengthwise --version the versions in use.\n"
              "Exit codes: ",
              done, " done, ", failed, " the run failed, ", bad_input, " bad input, ", interrupted,
              " interrupted (the same command goes on).\n");
}

std::string command_help(const Command& command) {
  std::vector<std::vector<std::string>> rows;
  for (const OptionSpec& flag : command.flags) {
    const bool alone = flag.type == OptionSpec::Type::flag;
    const std::string range = range_text(flag);
    const std::string values = join(" (", type_text(flag), range.empty() ? "" : ", " + range,
                                    flag.fallback.empty() ? "" : "; default " + flag.fallback, ")");
    rows.push_back({"--" + flag.name + (alone ? "" : " VALUE"), flag.sentence + (alone ? "" : values)});
  }
  return join("Usage: lengthwise ", command.name, " ", command.usage,
              command.takes_overrides ? " [--section.key=value ...]" : "", "\n\n", command.sentence, "\n",
              rows.empty() ? "" : "\n" + aligned(rows, "  "),
              command.takes_overrides
                  ? "\nEvery option of a config can be set as --section.key=value: see lengthwise list options.\n"
                  : "");
}

bool asks_for(const std::vector<std::string>& words, const std::string& option) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, option) != end;
}

int run_words(const std::vector<Command>& commands, const std::vector<Section>& sections,
              const std::vector<std::string>& words) {
  if (words.empty()) {
    std::cerr << program_help(commands);
    return bad_input;
  }
  if (words[0] == "--version") {
    std::cout << version_text();
    check_libraries();
    return done;
  }
  if (words[0] == "--help" || words[0] == "-h") {
    std::cout << program_help(commands);
    return done;
  }
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const Command& candidate) { return candidate.name == words[0]; });
  require(command != commands.end(), "unknown command '", words[0], "'.", did_you_mean(words[0], names),
          " lengthwise --help lists the commands.");

  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (asks_for(rest, "--help") || asks_for(rest, "-h")) {
    std::cout << command_help(*command);
    return done;
  }
  check_libraries();
  Invocation invocation = parse_command_line(*command, sections, rest);
  invocation.command_line = typed(words);
  return command->action(invocation);
}

int report(const std::string& message, ExitCode code) {
  std::cout.flush();
  std::cerr << "lengthwise: " << message << std::endl;
  return code;
}

}  // namespace

Invocation parse_command_line(const Command& command, const std::vector<Section>& sections,
                              const std::vector<std::string>& words) {
  namespace style = po::command_line_style;
  Invocation invocation;
  std::map<std::string, std::string> flags;
  const po::options_description known = known_options(command, sections);
  try {
    const auto parsed = po::command_line_parser(with_empty_values(words, known))
                            .options(known)
                            .style(style::unix_style & ~style::allow_guessing & ~style::allow_sticky)
                            .run();
    for (const po::option& option : parsed.options) {
      const std::string value = option.value.empty() ? "true" : option.value[0];
      if (option.position_key >= 0) {
        invocation.arguments.push_back(value);
      } else if (const OptionSpec* flag = find_flag(command, option.string_key)) {
        const bool first = flags.emplace(flag->name, check_value(*flag, value, "--" + flag->name)).second;
        require(first, "--", flag->name, " is given twice; keep one of the two.");
      } else {
        invocation.overrides.push_back("--" + option.string_key + "=" + value);
      }
    }
  } catch (const po::unknown_option& error) {
    refuse_unknown(command, sections, error.get_option_name());
  } catch (const po::invalid_command_line_syntax& error) {
    const std::string name = error.get_option_name();
    const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    const OptionSpec* flag = find_flag(command, bare);
    require(!flag || flag->type != OptionSpec::Type::flag, name, " stands alone; it takes no value.");
    check_value(flag ? *flag : find_option(sections, bare, ""), "", name);  // throws where it cannot be empty
    throw InputError(join(name, " has no value; write ", name, "=VALUE."));
  } catch (const po::error& error) {
    throw InputError(error.what());
  }
  check_argument_count(command, invocation.arguments.size());
  invocation.flags = Options({command.name, command.sentence, command.flags}, flags);
  return invocation;
}

int run_program(const std::vector<Command>& commands, const std::vector<Section>& sections,
                const std::vector<std::string>& words) {
  try {
    const int code = run_words(commands, sections, words);
    if (!std::cout.flush()) throw RunError("cannot write to standard output");
    return code;
  } catch (const InputError& error) {
    return report(error.what(), bad_input);
  } catch (const std::bad_alloc&) {
    return report("out of memory", failed);
  } catch (const std::exception& error) {
    return report(error.what(), failed);
  }
}

}  // namespace lengthwise
