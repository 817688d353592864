// What an option is (name, type, default, range, sentence) and the resolved values of one section.
// Encodings, schemes and tasks declare theirs beside their code; experiments/config reads files and command lines into
// them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace lengthwise {

/// One option of one section. Build it with integer(), real(), flag(), choice(), text() or list() below.
struct OptionSpec {
  enum class Type { integer, real, flag, choice, text, list };

  // Defined once, not in each of the files that declare options.
  OptionSpec();
  OptionSpec(const OptionSpec&);
  OptionSpec(OptionSpec&&) noexcept;
  OptionSpec& operator=(const OptionSpec&);
  OptionSpec& operator=(OptionSpec&&) noexcept;
  ~OptionSpec();

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

  OptionSpec&& at_least(double bound) &&;
  OptionSpec&& at_most(double bound) &&;
  OptionSpec&& above(double bound) &&;
  OptionSpec&& below(double bound) &&;
  OptionSpec&& in(std::string_view unit_name) &&;
  OptionSpec&& says(std::string_view text) &&;
  OptionSpec&& changeable() &&;
  /// Threads, folders and the like: two runs that differ only here are the same experiment.
  OptionSpec&& incidental() &&;
};

/// x as the shortest text that reads back as x.
std::string number_text(double x);

OptionSpec integer(std::string_view name, std::int64_t fallback);
OptionSpec real(std::string_view name, double fallback);
OptionSpec flag(std::string_view name, bool fallback);
OptionSpec choice(std::string_view name, std::string_view fallback, std::vector<std::string> choices);
OptionSpec text(std::string_view name, std::string_view fallback);
/// Whole numbers: "10,20", ranges "1..40" and stepped ranges "10..200:10", in any mixture.
OptionSpec list(std::string_view name, std::string_view fallback);

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
