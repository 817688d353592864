#include "experiments/config.h"

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <boost/locale/utf.hpp>
#include <boost/program_options.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/fnv1a.h"

namespace po = boost::program_options;

namespace lengthwise {
namespace {

/// UTF-8 without control characters but tabs: what can stand in a config and in a string of the run file.
bool is_plain_text(const std::string& text) {
  using Utf8 = boost::locale::utf::utf_traits<char>;
  for (auto at = text.begin(); at != text.end();) {
    const auto code = Utf8::decode(at, text.end());
    if (!boost::locale::utf::is_valid_codepoint(code) || (code < 0x20 && code != '\t') || code == 0x7F) return false;
  }
  return true;
}

[[noreturn]] void refuse_sweep(const std::string& place) {
  throw InputError(place + "[sweep] asks for many runs and this command does one. Give the file to scripts/sweep.py.");
}

const Section* find_section(const std::vector<Section>& sections, const std::string& name) {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

const OptionSpec* find_in(const Section& section, const std::string& key) {
  const auto found = std::find_if(section.options.begin(), section.options.end(),
                                  [&](const OptionSpec& option) { return option.name == key; });
  return found == section.options.end() ? nullptr : &*found;
}

std::vector<std::string> names(const std::vector<Section>& sections) {
  std::vector<std::string> all;
  for (const Section& section : sections) all.push_back(section.name);
  return all;
}

std::string unknown_option_hint(const std::vector<Section>& sections, const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string section_name = dot == name.npos ? "" : name.substr(0, dot);
  const std::string key = dot == name.npos ? name : name.substr(dot + 1);
  std::vector<std::string> siblings, all;
  std::string homes;
  for (const Section& section : sections) {
    if (find_in(section, key)) homes += (homes.empty() ? "[" : ", [") + section.name + "]";
    for (const OptionSpec& option : section.options) {
      all.push_back(section.name + "." + option.name);
      if (section.name == section_name) siblings.push_back(option.name);
    }
  }
  if (!homes.empty()) return " '" + key + "' is an option of " + homes + ".";
  const std::string hint = did_you_mean(key, siblings);
  return hint.empty() ? did_you_mean(name, all) : hint;
}

/// One config text. Boost reads it a line at a time, since its own errors do not say in which line they are.
class Reader {
 public:
  Reader(const std::vector<Section>& sections, std::string name) : sections_(sections), name_(std::move(name)) {}

  Assignments read(std::istream& text) {
    for (std::string line; std::getline(text, line);) {
      ++line_;
      if (line_ == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);  // byte-order mark
      read_line(boost::trim_copy(line));
    }
    require(!text.bad(), "cannot read ", name_, " beyond line ", line_, ".");
    return std::move(given_);
  }

 private:
  std::string place() const { return join(name_, ":", line_, ": "); }

  void read_line(const std::string& line) {
    require(is_plain_text(line), place(), "not a line of UTF-8 text; a config is a text file.");
    const std::string content = boost::trim_copy(line.substr(0, line.find('#')));
    if (content.empty()) return;
    if (content.front() == '[' && content.back() == ']')
      open_section(content.substr(1, content.size() - 2));
    else
      assign(line);
  }

  void open_section(const std::string& name) {
    if (name == "sweep") refuse_sweep(place());
    require(find_section(sections_, name), place(), "unknown section [", name, "].",
            did_you_mean(name, names(sections_)));
    const auto [opened, first] = opened_.try_emplace(name, line_);
    require(first, place(), "section [", name, "] was already opened in line ", opened->second,
            "; put its options in one place.");
    section_ = name;
  }

  void assign(const std::string& line) {
    const auto [name, value] = split(line);
    if (section_.empty() && name.find('.') == name.npos)
      throw InputError(
          join(place(), "'", name, "' stands before the first [section].", unknown_option_hint(sections_, name)));
    const OptionSpec& option = find_option(sections_, name, place());
    const std::size_t comment = line.find('#');
    const bool inside = comment != line.npos && line[comment - 1] != ' ' && line[comment - 1] != '\t';
    require(option.type != OptionSpec::Type::text || !inside, place(), name,
            " holds '#', which starts a comment and cannot be part of a value. Put a blank before a comment.");
    const std::string where = place() + name;
    require(option.type == OptionSpec::Type::text || value.find(';') == value.npos, where, " is '", value,
            "'; a comment starts with #, not with a semicolon.");
    given_[name] = {check_value(option, value, where), where};
    const auto [earlier, first] = assigned_.try_emplace(name, line_);
    require(first, where, " was already set in line ", earlier->second, "; keep one of the two.");
  }

  /// "section.key" and value of one line.
  std::pair<std::string, std::string> split(const std::string& line) const {
    std::istringstream text(section_.empty() ? line : "[" + section_ + "]\n" + line);
    const po::options_description none;
    try {
      const po::option found = po::parse_config_file(text, none, true).options.at(0);
      return {found.string_key, found.value.at(0)};
    } catch (const po::invalid_config_file_syntax& error) {
      const Section* section = find_section(sections_, section_);
      const OptionSpec* option = section ? find_in(*section, error.tokens()) : nullptr;
      if (option) check_value(*option, "", place() + section_ + "." + option->name);  // says what value it takes
      throw InputError(
          join(place(), "'", error.tokens(), "' is neither [section] nor key = value. Comments start with #."));
    }
  }

  const std::vector<Section>& sections_;
  std::string name_;
  std::string section_;
  std::size_t line_ = 0;
  std::map<std::string, std::size_t> opened_, assigned_;  // line of each section and option
  Assignments given_;
};

/// A hint for a path where there is no config: an option without its dashes, or a config of nearly this name there or
/// in configs.
std::string what_was_meant(const std::vector<Section>& sections, const std::string& path) {
  if (path.find('=') != path.npos && find_section(sections, path.substr(0, path.find('.'))))
    return " Did you mean --" + path + "?";
  namespace fs = std::filesystem;
  const fs::path wanted(path);
  for (const fs::path& folder : {wanted.parent_path(), fs::path("configs")}) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error))
      if (entry.path().extension() == ".ini") names.push_back(entry.path().stem().string());
    if (const std::string near = nearest(wanted.stem().string(), names); !near.empty())
      return " Did you mean '" + (folder / (near + ".ini")).string() + "'?";
  }
  return "";
}

Assignments read_file(const std::vector<Section>& sections, const std::string& path) {
  require(!std::filesystem::is_directory(path), "cannot read the config '", path, "': it is a folder.");
  std::ifstream file(path);
  const std::string reason = std::strerror(errno);
  require(file.is_open(), "cannot read the config '", path, "': ", reason, ".", what_was_meant(sections, path));
  return Reader(sections, path).read(file);
}

Assignments read_overrides(const std::vector<Section>& sections, const std::vector<std::string>& overrides) {
  Assignments given;
  for (const std::string& text : overrides) {
    const std::size_t equals = text.find('=');
    require(text.rfind("--", 0) == 0 && equals != text.npos, "'", text, "' is not of the form --section.key=value.");
    const std::string where = text.substr(0, equals), name = where.substr(2), value = text.substr(equals + 1);
    const OptionSpec& option = find_option(sections, name, "");
    require(is_plain_text(value), where, " is not UTF-8 text.");
    const bool first = given.try_emplace(name, Given{check_value(option, value, where), where}).second;
    require(first, where, " is given twice; keep one of the two.");
  }
  return given;
}

}  // namespace

const OptionSpec& find_option(const std::vector<Section>& sections, const std::string& name, const std::string& place) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string section_name = name.substr(0, dot);
  if (section_name == "sweep") refuse_sweep(place);
  const Section* section = find_section(sections, section_name);
  const OptionSpec* option = section && dot < name.size() ? find_in(*section, name.substr(dot + 1)) : nullptr;
  if (!option) throw InputError(place + "unknown option " + name + "." + unknown_option_hint(sections, name));
  return *option;
}

Config read_config(const std::vector<Section>& sections, const std::vector<std::string>& files,
                   const std::vector<std::string>& overrides) {
  Assignments given = read_overrides(sections, overrides);
  for (auto file = files.rbegin(); file != files.rend(); ++file)
    given.merge(read_file(sections, *file));  // keeps what is there: the later source wins
  return Config(sections, given);
}

Config stored_config(const std::vector<Section>& sections, const std::string& text, const std::string& name,
                     const std::vector<std::string>& overrides) {
  std::istringstream lines(text);
  const Assignments stored = Reader(sections, name).read(lines);
  Assignments given = read_overrides(sections, overrides);
  for (const auto& [option, change] : given) {
    const OptionSpec& spec = find_option(sections, option, "");
    const auto trained = stored.find(option);
    const std::string& value = trained == stored.end() ? spec.fallback : trained->second.value;
    require(spec.at_evaluation || change.value == value, change.where, " is fixed by training",
            value.empty() ? "" : ", which had '" + value + "'", "; evaluation cannot change it.");
  }
  given.merge(Assignments(stored));
  return Config(sections, given);
}

Config::Config(std::vector<Section> sections, const Assignments& given) : sections_(std::move(sections)) {
  for (const Section& section : sections_) {
    std::map<std::string, std::string> values;
    for (const OptionSpec& option : section.options) {
      const std::string name = section.name + "." + option.name;
      const auto found = given.find(name);
      if (found == given.end()) continue;
      values[option.name] = found->second.value;
      origin_[name] = found->second.where;
    }
    options_.emplace(section.name, Options(section, values));
  }
}

const Options& Config::operator[](const std::string& name) const { return options_.at(section(name).name); }

const Section& Config::section(const std::string& name) const {
  const Section* found = find_section(sections_, name);
  require(found, "there is no section [", name, "].", did_you_mean(name, names(sections_)));
  return *found;
}

bool Config::is_set(const std::string& section, const std::string& key) const {
  return origin_.count(section + "." + key) > 0;
}

std::string Config::where(const std::string& section, const std::string& key) const {
  const std::string name = section + "." + key;
  const auto found = origin_.find(name);
  return found == origin_.end() ? name : found->second;
}

void Config::set(const std::string& name, const std::string& key, const std::string& value) {
  std::map<std::string, std::string> values = (*this)[name].values();
  values[key] = value;
  options_[name] = Options(section(name), values);
}

std::string Config::text(const std::vector<std::string>& used) const {
  std::string text;
  for (const std::string& name : used) {
    text += (text.empty() ? "[" : "\n[") + name + "]\n";
    for (const OptionSpec& option : section(name).options)
      text += option.name + " = " + (*this)[name].text(option.name) + "\n";
  }
  return text;
}

std::uint64_t Config::hash(const std::vector<std::string>& used) const {
  std::set<std::string> settings;  // sorted, so that the order of sections and options does not count
  for (const std::string& name : used)
    for (const OptionSpec& option : section(name).options)
      if (option.decides_numbers) settings.insert(name + "." + option.name + "=" + (*this)[name].text(option.name));

  Fnv1a hash;
  for (const std::string& setting : settings) hash.add(setting).add("\n");
  return hash.value();
}

std::string sample_config(const std::vector<Section>& sections) {
  std::string text =
      "# Every option at its default. '#' starts a comment; a value is kept whole, blanks included, without quotes.\n"
      "# A later file overrides an earlier one, and --section.key=value overrides both.\n";
  for (const Section& section : sections) {
    text += "\n# " + section.sentence + "\n[" + section.name + "]\n";
    for (const OptionSpec& option : section.options) {
      const std::string range = range_text(option), unit = option.unit;
      text += "# " + option.sentence + " (" + type_text(option) + (range.empty() ? "" : ": " + range) +
              (unit.empty() ? "" : "; in " + unit) + ")\n" + option.name + " = " + option.fallback + "\n";
    }
  }
  return text;
}

}  // namespace lengthwise
