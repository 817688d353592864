// Errors a user can act on, and the one-line check that raises them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lengthwise {

/// Bad input: a wrong option, file or combination. Raised before any work starts; exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run that began and could not go on: non-finite loss, full disk. Exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One part of a message, and how it is written. Refers to its value, and forgets how long a literal is: messages are
/// put together once, in error.cpp, not wherever there is one.
class Part {
 public:
  template <class T>
  Part(const T& value)
      : value_(&value), write_([](std::ostream& out, const void* part) { out << *static_cast<const T*>(part); }) {}
  Part(const char* text)
      : value_(text), write_([](std::ostream& out, const void* part) { out << static_cast<const char*>(part); }) {}

  friend std::ostream& operator<<(std::ostream& out, const Part& part) {
    part.write_(out, part.value_);
    return out;
  }

 private:
  const void* value_;
  void (*write_)(std::ostream&, const void*);
};

/// What join and require do, once for all types of parts: the text, numbers with 12 digits; and an InputError with it.
std::string join_parts(std::initializer_list<Part> parts);
[[noreturn]] void refuse(std::initializer_list<Part> parts);

/// The parts, written one after another ("n is ", 3).
template <class... Parts>
std::string join(const Parts&... parts) {
  return join_parts({Part(parts)...});
}

/// Throws InputError with the joined parts unless `ok`. Say where, what, the value seen, what is allowed, how to fix.
template <class... Parts>
void require(bool ok, const Parts&... parts) {
  if (!ok) refuse({Part(parts)...});
}

/// "a, b, c".
template <class Names>
std::string listed(const Names& names) {
  std::string text;
  for (const std::string_view name : names) (text += text.empty() ? "" : ", ") += name;
  return text;
}

/// ASCII letters only.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// Levenshtein distance of two names.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

/// The known name nearest to `seen`: a few letters off, or `seen` is its beginning, whatever their case. "" when none
/// is near.
template <class Names>
std::string nearest(std::string_view seen, const Names& known) {
  std::string best;
  const std::string sought = lower_case(seen);
  std::size_t least = std::max<std::size_t>(2, sought.size() / 3) + 1;
  if (sought.size() < 3) least = sought.size();  // one or two letters are near to everything
  for (const std::string_view name : known) {
    const std::string lower = lower_case(name);
    const std::size_t distance =
        lower != sought && sought.size() >= 3 && lower.starts_with(sought) ? 1 : edit_distance(sought, lower);
    if (distance < least) least = distance, best = name;
  }
  return best;
}

/// " Did you mean 'x'?", or "" when no known name is near.
template <class Names>
std::string did_you_mean(std::string_view seen, const Names& known) {
  const std::string best = nearest(seen, known);
  return best.empty() ? "" : " Did you mean '" + best + "'?";
}

}  // namespace lengthwise
