#include "core/options.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace lengthwise {
namespace {

using Type = OptionSpec::Type;

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t longest_list = 1'000'000;

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The whole text as a number, or nothing: no sign but '-', no rest, no overflow, no nan or inf. Knows no locale.
template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return {};
  }
  return value;
}

/// first, first + step, ... up to last.
struct Range {
  std::int64_t first, last, step = 1;
  std::uint64_t count() const {
    return (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) / static_cast<std::uint64_t>(step) +
           1;
  }
};

/// "7", "1..40" or "10..200:10"; nothing when it is none of them, or a range that runs down or stands still.
std::optional<Range> parse_range(std::string_view entry) {
  const std::size_t dots = entry.find("..");
  if (dots == entry.npos) {
    const auto value = parse<std::int64_t>(entry);
    return value ? std::optional(Range{*value, *value}) : std::nullopt;
  }
  const std::string_view rest = entry.substr(dots + 2);
  const std::size_t colon = rest.find(':');
  const auto first = parse<std::int64_t>(trim(entry.substr(0, dots)));
  const auto last = parse<std::int64_t>(trim(rest.substr(0, colon)));
  const auto step = colon == rest.npos ? 1 : parse<std::int64_t>(trim(rest.substr(colon + 1)));
  if (!first || !last || !step || *first > *last || *step < 1) return {};
  return Range{*first, *last, *step};
}

/// Calls visit(entry, number from 1) for each entry of a comma-separated list.
template <class Visit>
void for_each_entry(std::string_view list, Visit visit) {
  for (std::size_t begin = 0, number = 1; begin <= list.size(); ++number) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    visit(trim(list.substr(begin, end - begin)), number);
    begin = end + 1;
  }
}

bool in_range(const OptionSpec& spec, double x) {
  return (spec.low_excluded ? x > spec.low : x >= spec.low) && (spec.high_excluded ? x < spec.high : x <= spec.high);
}

/// A bound as a person writes it: whole numbers in full, never beyond the largest there is.
std::string bound_text(const OptionSpec& spec, double bound) {
  if (spec.type == Type::real) return number_text(bound);
  return bound >= 0x1p63 ? join(std::numeric_limits<std::int64_t>::max()) : join(static_cast<std::int64_t>(bound));
}

/// "one of a, b"; "a whole number, at least 1".
std::string expectation(const OptionSpec& spec) {
  if (spec.type == Type::flag) return "true or false";
  if (spec.type == Type::choice) return "one of " + range_text(spec);
  const std::string range = range_text(spec);
  return (spec.type == Type::real ? "a finite number" : "a whole number") + (range.empty() ? "" : ", " + range);
}

/// What to change in a number that cannot be read.
std::string number_hint(const OptionSpec& spec, std::string_view value) {
  const bool digits_only = value.find_first_not_of("0123456789", value[0] == '-') == value.npos;
  if (digits_only && spec.type == Type::integer)
    return join(" The largest whole number is ", std::numeric_limits<std::int64_t>::max(), ".");
  if (value.find_first_of("0123456789") == value.npos) return "";
  if (spec.type == Type::real) return " Write it like 0.001 or 1e-3, without blanks, letters or units.";
  return " Write all its digits, without blanks, letters or a decimal point.";
}

[[noreturn]] void refuse(const OptionSpec& spec, std::string_view value, const std::string& where,
                         const std::string& hint = "") {
  const std::string fallback = spec.fallback.empty() ? "" : " (default " + spec.fallback + ")";
  throw InputError(join(where, " is '", value, "'; it must be ", expectation(spec), fallback, ".", hint));
}

template <class T>
T check_number(const OptionSpec& spec, std::string_view value, const std::string& where) {
  const auto parsed = parse<T>(value);
  if (!parsed) refuse(spec, value, where, number_hint(spec, value));
  if (!in_range(spec, static_cast<double>(*parsed))) refuse(spec, value, where);
  return *parsed;
}

std::string check_list(const OptionSpec& spec, std::string_view value, const std::string& where) {
  std::string canonical;
  std::uint64_t total = 0;
  for_each_entry(value, [&](std::string_view entry, std::size_t number) {
    const auto range = parse_range(entry);
    const bool fits =
        range && in_range(spec, static_cast<double>(range->first)) && in_range(spec, static_cast<double>(range->last));
    require(fits, where, " is '", value, "'; entry ", number, ", '", entry, "', must be ", expectation(spec),
            ", or a rising range such as 1..40 or 10..200:10. Separate the entries by commas.");
    require(range->count() <= longest_list && (total += range->count()) <= longest_list, where, " is '", value,
            "'; a list holds at most ", longest_list, " numbers. Give ranges a step, as in 1..1000000:1000.");
    canonical += number > 1 ? "," : "";
    canonical += join(range->first);
    if (range->first != range->last) canonical += join("..", range->last);
    if (range->first != range->last && range->step != 1) canonical += join(":", range->step);
  });
  return canonical;
}

/// The resolved config is stored as a config file, so a text must survive being written to one and read back.
void check_text(std::string_view value, const std::string& where) {
  for (const char c : value)
    require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, where, " holds a control character (code ",
            static_cast<int>(static_cast<unsigned char>(c)), "); a value is one line of plain text.");
  require(value.find('#') == value.npos, where, " is '", value,
          "'; it cannot hold '#', which starts a comment in config files.");
  const bool quoted = value.size() >= 2 && value.front() == value.back() && (value[0] == '"' || value[0] == '\'');
  require(!quoted, where, " is ", value, "; write it without the quotes: blanks inside a value are kept.");
}

template <class T>
T parsed_value(const Options& options, const std::string& name) {
  const std::string& value = options.text(name);
  if (const auto parsed = parse<T>(value)) return *parsed;
  throw std::logic_error(join(options.section(), ".", name, " is '", value, "', which the code reads as a number"));
}

OptionSpec make_option(std::string_view name, OptionSpec::Type type, std::string_view fallback) {
  OptionSpec spec;
  spec.name = name;
  spec.type = type;
  spec.fallback = fallback;
  return spec;
}

}  // namespace

OptionSpec::OptionSpec() = default;
OptionSpec::OptionSpec(const OptionSpec&) = default;
OptionSpec::OptionSpec(OptionSpec&&) noexcept = default;
OptionSpec& OptionSpec::operator=(const OptionSpec&) = default;
OptionSpec& OptionSpec::operator=(OptionSpec&&) noexcept = default;
OptionSpec::~OptionSpec() = default;

OptionSpec&& OptionSpec::at_least(double bound) && {
  low = bound;
  return std::move(*this);
}

OptionSpec&& OptionSpec::at_most(double bound) && {
  high = bound;
  return std::move(*this);
}

OptionSpec&& OptionSpec::above(double bound) && {
  low = bound;
  low_excluded = true;
  return std::move(*this);
}

OptionSpec&& OptionSpec::below(double bound) && {
  high = bound;
  high_excluded = true;
  return std::move(*this);
}

OptionSpec&& OptionSpec::in(std::string_view unit_name) && {
  unit = unit_name;
  return std::move(*this);
}

OptionSpec&& OptionSpec::says(std::string_view text) && {
  sentence = text;
  return std::move(*this);
}

OptionSpec&& OptionSpec::changeable() && {
  at_evaluation = true;
  return std::move(*this);
}

OptionSpec&& OptionSpec::incidental() && {
  decides_numbers = false;
  return std::move(*this);
}

OptionSpec integer(std::string_view name, std::int64_t fallback) {
  return make_option(name, OptionSpec::Type::integer, join(fallback)).at_least(0);
}

OptionSpec real(std::string_view name, double fallback) {
  return make_option(name, OptionSpec::Type::real, number_text(fallback));
}

OptionSpec flag(std::string_view name, bool fallback) {
  return make_option(name, OptionSpec::Type::flag, fallback ? "true" : "false");
}

OptionSpec choice(std::string_view name, std::string_view fallback, std::vector<std::string> choices) {
  OptionSpec spec = make_option(name, OptionSpec::Type::choice, fallback);
  spec.choices = std::move(choices);
  return spec;
}

OptionSpec text(std::string_view name, std::string_view fallback) {
  return make_option(name, OptionSpec::Type::text, fallback);
}

OptionSpec list(std::string_view name, std::string_view fallback) {
  return make_option(name, OptionSpec::Type::list, fallback).at_least(0);
}

std::string number_text(double x) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, x + 0.0);  // + 0.0 turns -0 into 0
  return {buffer, end};
}

std::string type_text(const OptionSpec& spec) {
  constexpr std::array names = {"whole number", "number", "flag", "choice", "text", "list"};
  return names[static_cast<std::size_t>(spec.type)];
}

std::string range_text(const OptionSpec& spec) {
  if (spec.type == Type::flag) return "true, false";
  if (spec.type == Type::choice) return listed(spec.choices);
  const std::string low = std::isinf(spec.low) ? "" : bound_text(spec, spec.low);
  const std::string high = std::isinf(spec.high) ? "" : bound_text(spec, spec.high);
  if (!low.empty() && !high.empty() && !spec.low_excluded && !spec.high_excluded) return "from " + low + " to " + high;
  const std::string above = low.empty() ? "" : (spec.low_excluded ? "above " : "at least ") + low;
  const std::string below = high.empty() ? "" : (spec.high_excluded ? "below " : "at most ") + high;
  return above + (above.empty() || below.empty() ? "" : " and ") + below;
}

std::string check_value(const OptionSpec& spec, const std::string& value, const std::string& where) {
  const std::string_view trimmed = trim(value);
  if (trimmed.empty()) {
    const std::string key = where.substr(where.find_last_of(". ") + 1);
    const bool typed = where.starts_with("--");
    const std::string assigned = typed ? where + "=" : key + " = ";
    const std::string example = spec.type == Type::flag ? "true' or '" + assigned + "false" : spec.fallback;
    require(spec.fallback.empty(), where, " has no value; write '", assigned, example, "'.");
    return {};
  }
  if (spec.type == Type::integer) return join(check_number<std::int64_t>(spec, trimmed, where));
  if (spec.type == Type::real) return number_text(check_number<double>(spec, trimmed, where));
  if (spec.type == Type::list) return check_list(spec, trimmed, where);
  if (spec.type == Type::text) check_text(trimmed, where);
  if (spec.type == Type::flag && trimmed != "true" && trimmed != "false") refuse(spec, trimmed, where);
  if (spec.type == Type::choice && std::find(spec.choices.begin(), spec.choices.end(), trimmed) == spec.choices.end())
    refuse(spec, trimmed, where, did_you_mean(trimmed, spec.choices));
  return std::string(trimmed);
}

Options::Options(const Section& section, const std::map<std::string, std::string>& values) : section_(section.name) {
  std::vector<std::string> known;
  for (const OptionSpec& spec : section.options) {
    const auto given = values.find(spec.name);
    const std::string& value = given == values.end() ? spec.fallback : given->second;
    values_[spec.name] = check_value(spec, value, section_ + "." + spec.name);
    known.push_back(spec.name);
  }
  for (const auto& [name, value] : values)
    require(values_.count(name), "unknown option ", section_, ".", name, ".", did_you_mean(name, known));
}

const std::string& Options::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error(join("section [", section_, "] has no option '", name, "'"));
  return found->second;
}

std::int64_t Options::integer(const std::string& name) const { return parsed_value<std::int64_t>(*this, name); }

double Options::real(const std::string& name) const { return parsed_value<double>(*this, name); }

bool Options::flag(const std::string& name) const {
  const std::string& value = text(name);
  if (value == "true" || value == "false") return value == "true";
  throw std::logic_error(join(section_, ".", name, " is '", value, "', which the code reads as a flag"));
}

std::vector<std::int64_t> Options::list(const std::string& name) const {
  std::vector<std::int64_t> numbers;
  if (text(name).empty()) return numbers;
  for_each_entry(text(name), [&](std::string_view entry, std::size_t) {
    const auto range = parse_range(entry);
    if (!range)
      throw std::logic_error(join(section_, ".", name, " holds '", entry, "', which the code reads as a list"));
    for (std::uint64_t i = 0; i < range->count(); ++i)
      numbers.push_back(range->first + static_cast<std::int64_t>(i) * range->step);
  });
  return numbers;
}

Options fixed_by_training(const Section& section, const Options& options) {
  std::map<std::string, std::string> values = options.values();
  for (const OptionSpec& option : section.options)
    if (option.at_evaluation) values[option.name] = option.fallback;
  return Options(section, values);
}

}  // namespace lengthwise
