#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "experiments/checksum.h"
#include "experiments/dataset.h"
#include "experiments/hdf5_handle.h"
#include "experiments/replace_file.h"

namespace lengthwise {
namespace {

/// Bytes that are not UTF-8 (a path on the command line may hold any) and NULs become '?'; Python's readers would fail.
std::string clean_utf8(std::string text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
    const unsigned lead = byte(i);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    bool good = length > 0 && lead != 0;
    for (std::size_t k = 1; k < length; ++k) good = good && (byte(i + k) & 0xC0) == 0x80;
    // Overlong forms, surrogates and what lies beyond U+10FFFF.
    if ((lead == 0xE0 && byte(i + 1) < 0xA0) || (lead == 0xED && byte(i + 1) > 0x9F) ||
        (lead == 0xF0 && byte(i + 1) < 0x90) || (lead == 0xF4 && byte(i + 1) > 0x8F))
      good = false;
    if (!good) text[i] = '?';
    i += good ? length : 1;
  }
  return text;
}

/// A property list that makes names UTF-8.
Id utf8_names(hid_t list_class) {
  Id list(H5Pcreate(list_class), "property list");
  check(H5Pset_char_encoding(list, H5T_CSET_UTF8), "property list");
  return list;
}

/// Links and attributes keep the order they were created in; netCDF wants it to append.
Id in_order(hid_t list_class) {
  Id list(H5Pcreate(list_class), "property list");
  check(H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "creation order");
  check(H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "creation order");
  return list;
}

Id simple_space(const std::vector<hsize_t>& shape) {
  if (shape.empty()) return Id(H5Screate(H5S_SCALAR), "data space");
  return Id(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), "data space");
}

template <class T>
void put_attribute(hid_t object, const std::string& name, const std::vector<hsize_t>& shape, const T* data) {
  const std::string what = join("attribute '", name, "'");
  const Id type = type_of<T>(), space = simple_space(shape);
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, utf8_names(H5P_ATTRIBUTE_CREATE), H5P_DEFAULT),
                     what);
  if (H5Sget_simple_extent_npoints(space) > 0) check(H5Awrite(attribute, type, data), what);
}

void put_attribute(hid_t object, const std::string& name, const Attribute& value) {
  std::visit(
      [&]<class T>(const T& v) {
        if constexpr (std::is_same_v<T, std::string>) {
          const std::string clean = clean_utf8(v);
          const char* text = clean.c_str();
          put_attribute(object, name, {}, &text);
        } else if constexpr (std::is_same_v<T, bool>) {
          const std::uint8_t byte = v;
          put_attribute(object, name, {}, &byte);
        } else if constexpr (std::is_arithmetic_v<T>) {
          put_attribute(object, name, {}, &v);
        } else {
          put_attribute(object, name, {v.size()}, v.data());
        }
      },
      value);
}

/// A new data set in `group`. Where values may be missing, NaN is announced as the mark.
template <class T>
Id put_array(hid_t group, const std::string& name, const std::vector<hsize_t>& shape, const std::vector<T>& values,
             bool may_be_missing) {
  const std::string what = join("variable '", name, "'");
  const Id type = type_of<T>();
  const Id settings(H5Pcreate(H5P_DATASET_CREATE), what);
  const T none = std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T();
  const bool marked = may_be_missing && std::is_floating_point_v<T>;
  if (marked) check(H5Pset_fill_value(settings, type, &none), what);
  Id set(H5Dcreate2(group, name.c_str(), type, simple_space(shape), utf8_names(H5P_LINK_CREATE), settings, H5P_DEFAULT),
         what);
  if (!values.empty()) check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  if (marked) put_attribute(set, "_FillValue", {1}, &none);
  if (std::is_same_v<T, std::uint8_t>) put_attribute(set, "dtype", Attribute("bool"));  // xarray's own mark
  return set;
}

Id put_values(hid_t group, const std::string& name, const std::vector<hsize_t>& shape, const Values& values,
              bool may_be_missing) {
  return std::visit(
      [&]<class T>(const std::vector<T>& v) {
        if constexpr (std::is_same_v<T, std::string>) {
          std::vector<std::string> clean;
          for (const std::string& text : v) clean.push_back(clean_utf8(text));
          std::vector<const char*> pointers;
          for (const std::string& text : clean) pointers.push_back(text.c_str());
          return put_array(group, name, shape, pointers, may_be_missing);
        } else {
          return put_array(group, name, shape, v, may_be_missing);
        }
      },
      values);
}

void put_labels(hid_t object, const std::string& unit, const std::string& description) {
  static const std::array time_units{"days",         "hours",        "minutes",    "seconds",
                                     "milliseconds", "microseconds", "nanoseconds"};
  if (std::ranges::find(time_units, unit) != time_units.end())
    throw std::logic_error(
        join("unit '", unit, "': xarray would turn the numbers into time spans; write the symbol (s, ms)"));
  if (!unit.empty()) put_attribute(object, "units", unit);
  if (!description.empty()) put_attribute(object, "long_name", description);
}

Id put_dimension(hid_t group, const std::string& name, const Group::Dimension& dimension) {
  if (dimension.coordinates) {
    if (count(*dimension.coordinates) != dimension.size)
      throw std::logic_error(join("dimension '", name, "' has size ", dimension.size, " and ",
                                  count(*dimension.coordinates), " coordinates"));
    Id scale = put_values(group, name, {dimension.size}, *dimension.coordinates, false);
    check(H5DSset_scale(scale, name.c_str()), join("dimension '", name, "'"));
    put_labels(scale, dimension.unit, dimension.description);
    return scale;
  }
  Id scale = put_array<float>(group, name, {dimension.size}, {}, false);
  std::array<char, 96> label{};
  std::snprintf(label.data(), label.size(), "%s%10zu", placeholder, dimension.size);
  check(H5DSset_scale(scale, label.data()), join("dimension '", name, "'"));
  put_labels(scale, dimension.unit, dimension.description);
  return scale;
}

void put_group(hid_t location, const Group& group) {
  for (const auto& [name, value] : group.attributes) put_attribute(location, name, value);
  std::map<std::string, Id> scales;
  for (const auto& [name, dimension] : group.dimensions) scales.emplace(name, put_dimension(location, name, dimension));
  for (const auto& [name, variable] : group.variables) {
    std::vector<hsize_t> shape;
    for (const std::string& dimension : variable.dimensions) shape.push_back(group.dimensions.at(dimension).size);
    const auto expected = std::accumulate(shape.begin(), shape.end(), hsize_t{1}, std::multiplies<>());
    if (count(variable.values) != expected)
      throw std::logic_error(
          join("variable '", name, "' has ", count(variable.values), " values; its dimensions need ", expected));
    const Id set = put_values(location, name, shape, variable.values, true);
    for (unsigned axis = 0; axis < shape.size(); ++axis)  // every axis: one without a scale and readers refuse the file
      check(H5DSattach_scale(set, scales.at(variable.dimensions[axis]), axis),
            join("variable '", name, "', dimension '", variable.dimensions[axis],
                 "' (HDF5 lets some 4,000 variables share one)"));
    put_labels(set, variable.unit, variable.description);
  }
  for (const auto& [name, child] : group.groups)
    put_group(
        Id(H5Gcreate2(location, name.c_str(), utf8_names(H5P_LINK_CREATE), in_order(H5P_GROUP_CREATE), H5P_DEFAULT),
           join("group '", name, "'")),
        child);
}

/// The whole file, built in memory: what can fail on a disk is then one plain write, with the system's own reason.
std::vector<char> file_image(const Group& root) {
  const Id access(H5Pcreate(H5P_FILE_ACCESS), "property list");
  check(H5Pset_fapl_core(access, 1 << 20, false), "memory file");
  const Id file(H5Fcreate("memory", H5F_ACC_TRUNC, in_order(H5P_FILE_CREATE), access), "memory file");
  put_group(file, root);
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "memory file");
  std::vector<char> image(static_cast<std::size_t>(check(H5Fget_file_image(file, nullptr, 0), "memory file")));
  check(H5Fget_file_image(file, image.data(), image.size()), "memory file");
  return image;
}

}  // namespace

void write_dataset(const std::string& path, const Group& root) {
  silence_hdf5();
  std::vector<char> image;
  try {
    image = file_image(root);
  } catch (const std::runtime_error& error) {
    throw RunError(join("cannot write '", path, "': ", error.what()));
  }
  append_checksum(image);
  replace_file(path, image);
}

}  // namespace lengthwise
