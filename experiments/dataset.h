// A labelled tree of arrays and its file form: HDF5 with netCDF's conventions, so that h5py, xarray and h5dump read it
// as it is.
//
// Files    written whole: built in memory, put into a temporary file beside the target, fsync, rename. Whoever is
// killed,
//          readers find the old file or the new one, never half of one, and a file never grows by being rewritten. A
//          checksum after the HDF5 data tells damage apart from content.
// Threads  HDF5 belongs to one thread: call these functions from a single thread of the process.
// Names    of attributes, dimensions, variables and groups are UTF-8 without '/'; dots are fine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"

namespace lengthwise {

/// Values by name, in the order they were added. A linear search: meant for tens to hundreds of names.
template <class T>
class Ordered {
 public:
  /// The value of this name, added when it is new.
  T& operator[](const std::string& name) {
    for (auto& [key, value] : entries_)
      if (key == name) return value;
    return entries_.emplace_back(name, T()).second;
  }
  const T* find(const std::string& name) const {
    for (const auto& [key, value] : entries_)
      if (key == name) return &value;
    return nullptr;
  }
  /// Throws InputError with the nearest known name.
  const T& at(const std::string& name) const {
    if (const T* value = find(name)) return *value;
    throw InputError(join("there is no '", name, "' here.", did_you_mean(name, names())));
  }
  bool contains(const std::string& name) const { return find(name); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : entries_) all.push_back(entry.first);
    return all;
  }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool operator==(const Ordered&) const = default;

 private:
  std::vector<std::pair<std::string, T>> entries_;
};

/// A bool is stored as an unsigned byte and read by Python as numpy.uint8 0 or 1: netCDF has no boolean attribute.
using Attribute = std::variant<std::string, std::int64_t, std::uint64_t, double, bool, std::vector<double>,
                               std::vector<std::int64_t>>;

/// An array in row-major order. Bytes are booleans. NaN means "no value" and is marked so for readers (_FillValue).
using Values = std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>,
                            std::vector<std::uint8_t>, std::vector<std::string>>;

/// How many values the array holds.
std::size_t count(const Values& values);

/// The numbers as doubles. Throws InputError for text.
std::vector<double> as_doubles(const Values& values);

/// A group: attributes, dimensions, variables over these dimensions, and further groups. Each group has its own
/// dimensions, so that xarray opens any of them alone.
struct Group {
  struct Dimension {
    std::size_t size = 0;
    std::optional<Values> coordinates = {};  // `size` of them
    std::string unit = {}, description = {};
  };
  struct Variable {
    std::vector<std::string> dimensions;  // of this group, slowest first; none for a scalar
    Values values;
    std::string unit = {}, description = {};
  };

  Ordered<Attribute> attributes;
  Ordered<Dimension> dimensions;
  Ordered<Variable> variables;
  Ordered<Group> groups;

  /// Adds a dimension that has a coordinate.
  void add_dimension(const std::string& name, Values coordinates, std::string unit = {}, std::string description = {});
  void add_variable(const std::string& name, std::vector<std::string> names, Values values, std::string unit = {},
                    std::string description = {});

  /// The group at a path below this one ("evaluation/teacher_forced"), made when it is missing.
  Group& group(const std::string& path);
  /// The group at a path below this one, or null.
  const Group* find(const std::string& path) const;

  /// The values of a variable or of a dimension's coordinate. Throws InputError when there is none or it has another
  /// type.
  template <class T>
  const std::vector<T>& get(const std::string& name) const {
    const Values& all = values(name);
    require(std::holds_alternative<std::vector<T>>(all), "'", name, "' holds values of another type than expected");
    return std::get<std::vector<T>>(all);
  }
  const Values& values(const std::string& name) const;

  /// The attribute, or `fallback` when it is missing or of another type.
  template <class T>
  T attribute(const std::string& name, T fallback = {}) const {
    const Attribute* found = attributes.find(name);
    const T* value = found ? std::get_if<T>(found) : nullptr;
    return value ? *value : fallback;
  }
};

/// Writes the file. Throws RunError with the path and the system's reason; the old file is then intact and no temporary
/// file is left. A process killed meanwhile leaves `.<name>.<host>.<pid>.tmp`, which nobody reads.
void write_dataset(const std::string& path, const Group& root);

/// Reads a file of write_dataset, or any HDF5 file of numbers and text: an axis without a dimension scale is called
/// size_N. Floats narrower than 32 bits widen, integers widen to int64. `only` limits the read to some of the root's
/// groups. Throws InputError when the file is missing, is not HDF5 or is damaged.
Group read_dataset(const std::string& path, const std::optional<std::vector<std::string>>& only = std::nullopt);

/// The attributes of the root alone, for looking through many files. Throws as read_dataset does.
Ordered<Attribute> read_attributes(const std::string& path);

}  // namespace lengthwise
