// What an option is (name, type, default, range, sentence) and the resolved values of one section.
// Encodings, schemes and tasks declare theirs beside their code; experiments/config reads files and command lines into
// them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"

namespace lengthwise {

/// One option of one section. Build it with integer(), real(), flag(), choice(), text() or list() below.
struct OptionSpec {
  enum class Type { integer, real, flag, choice, text, list };

  std::string name;
  Type type = Type::text;
  std::string fallback;  // the default, as text
  std::string unit;      // "tokens", "seconds", ...; empty for a pure number
  std::string sentence;  // what it does, for --help and the sample config
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false, high_excluded = false;
  std::vector<std::string> choices;
  bool at_evaluation = false;   // `evaluate` may change it; otherwise training fixes it
  bool decides_numbers = true;  // a run's numbers depend on it, so it enters the hash of the config

  OptionSpec at_least(double bound) && {
    low = bound;
    return std::move(*this);
  }
  OptionSpec at_most(double bound) && {
    high = bound;
    return std::move(*this);
  }
  OptionSpec above(double bound) && {
    low = bound;
    low_excluded = true;
    return std::move(*this);
  }
  OptionSpec below(double bound) && {
    high = bound;
    high_excluded = true;
    return std::move(*this);
  }
  OptionSpec in(std::string unit_name) && {
    unit = std::move(unit_name);
    return std::move(*this);
  }
  OptionSpec says(std::string text) && {
    sentence = std::move(text);
    return std::move(*this);
  }
  OptionSpec changeable() && {
    at_evaluation = true;
    return std::move(*this);
  }
  /// Threads, folders and the like: two runs that differ only here are the same experiment.
  OptionSpec incidental() && {
    decides_numbers = false;
    return std::move(*this);
  }
};

/// x as the shortest text that reads back as x.
std::string number_text(double x);

inline OptionSpec make_option(std::string name, OptionSpec::Type type, std::string fallback) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.fallback = std::move(fallback);
  return spec;
}
inline OptionSpec integer(std::string name, std::int64_t fallback) {
  return make_option(std::move(name), OptionSpec::Type::integer, join(fallback)).at_least(0);
}
inline OptionSpec real(std::string name, double fallback) {
  return make_option(std::move(name), OptionSpec::Type::real, number_text(fallback));
}
inline OptionSpec flag(std::string name, bool fallback) {
  return make_option(std::move(name), OptionSpec::Type::flag, fallback ? "true" : "false");
}
inline OptionSpec choice(std::string name, std::string fallback, std::vector<std::string> choices) {
  OptionSpec spec = make_option(std::move(name), OptionSpec::Type::choice, std::move(fallback));
  spec.choices = std::move(choices);
  return spec;
}
inline OptionSpec text(std::string name, std::string fallback) {
  return make_option(std::move(name), OptionSpec::Type::text, std::move(fallback));
}
/// Whole numbers: "10,20", ranges "1..40" and stepped ranges "10..200:10", in any mixture.
inline OptionSpec list(std::string name, std::string fallback) {
  return make_option(std::move(name), OptionSpec::Type::list, std::move(fallback)).at_least(0);
}

/// The options of one section of a config: "[rope]".
struct Section {
  std::string name;
  std::string sentence;
  std::vector<OptionSpec> options;
};

/// "whole number", "number", "flag", "choice", "text" or "list".
std::string type_text(const OptionSpec& spec);
/// "at least 1", "from 0 to 1", the choices; empty when anything goes.
std::string range_text(const OptionSpec& spec);

/// Parses and checks one value. Returns it in canonical text: " 12 " becomes "12", "1e-3" becomes "0.001", and "1..3,
/// 7" becomes "1..3,7". Only an option whose default is empty may be empty. Throws InputError that names `where`, the
/// value, the expected type and range.
std::string check_value(const OptionSpec& spec, const std::string& value, const std::string& where);

/// Resolved values of one section. Every option of the section has a value, checked on the way in.
class Options {
 public:
  Options() = default;
  /// The section's defaults, overridden by `values` (name -> text). Throws on unknown names and bad values.
  explicit Options(const Section& section, const std::map<std::string, std::string>& values = {});

  // Each throws std::logic_error when the section has no such option or its value is of another type.
  std::int64_t integer(const std::string& name) const;
  std::size_t count(const std::string& name) const { return static_cast<std::size_t>(integer(name)); }
  double real(const std::string& name) const;
  bool flag(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  std::vector<std::int64_t> list(const std::string& name) const;
  const std::string& section() const { return section_; }
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  std::string section_;
  std::map<std::string, std::string> values_;
};

/// The same with every option that evaluation may change at its default: what training can rely on.
Options fixed_by_training(const Section& section, const Options& options);

}  // namespace lengthwise
