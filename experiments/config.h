// A run's config: INI files and --section.key=value, read into checked options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/options.h"

namespace lengthwise {

/// A checked value, and how an error about it begins ("copy.ini:7: train.lengths", "--train.lengths").
struct Given {
  std::string value, where;
};
using Assignments = std::map<std::string, Given>;  // by "section.key"

/// Every option of every known section, with its value and where that came from.
class Config {
 public:
  /// The defaults, overridden by `given`.
  Config(std::vector<Section> sections, const Assignments& given);

  /// The section's values. Throws InputError when there is no such section.
  const Options& operator[](const std::string& section) const;

  /// Whether a file or the command line gave the option, with whatever value. A resolved config gives them all.
  bool is_set(const std::string& section, const std::string& key) const;

  /// "copy.ini:7: train.lengths", "--train.lengths" or "train.lengths": how an error about the option begins.
  std::string where(const std::string& section, const std::string& key) const;

  /// Changes one value. Throws InputError when the option cannot take it.
  void set(const std::string& section, const std::string& key, const std::string& value);

  /// All options of the named sections as a config file. Read again, it gives the same values and the same hash.
  std::string text(const std::vector<std::string>& sections) const;

  /// 64 bits that two configs share when the named sections hold the same values, incidental options aside. The same
  /// on every machine, in whatever order and notation the values were given.
  std::uint64_t hash(const std::vector<std::string>& sections) const;

 private:
  const Section& section(const std::string& name) const;

  std::vector<Section> sections_;
  std::map<std::string, Options> options_;     // by section
  std::map<std::string, std::string> origin_;  // by section.key: where(), of the options that were given
};

/// Reads the files in order, later ones over earlier ones, then the overrides ("--section.key=value").
/// Throws InputError with file and line for anything unknown, unreadable, given twice in one file, or out of range.
Config read_config(const std::vector<Section>& sections, const std::vector<std::string>& files,
                   const std::vector<std::string>& overrides);

/// The config of a trained run, from the text its run file holds, changed by the overrides. `name` is the file's.
/// Throws InputError for an override that would change what training fixed.
Config stored_config(const std::vector<Section>& sections, const std::string& text, const std::string& name,
                     const std::vector<std::string>& overrides);

/// The option called "section.key". Throws InputError that begins with `place` ("copy.ini:3: ") and names what was
/// probably meant.
const OptionSpec& find_option(const std::vector<Section>& sections, const std::string& name, const std::string& place);

/// A config file with every option at its default, explained.
std::string sample_config(const std::vector<Section>& sections);

}  // namespace lengthwise
