#include "experiments/dataset.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "experiments/replace_file.h"

namespace lengthwise {
namespace {

// ---- HDF5 handles and errors ----------------------------------------------------------------------------------------

/// The innermost message of HDF5's error stack, which names the cause.
std::string error_text() {
  std::string text = "unknown HDF5 error";
  const auto first = [](unsigned depth, const H5E_error2_t* error, void* into) -> herr_t {
    if (depth == 0 && error->desc) *static_cast<std::string*>(into) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  return text;
}

template <class Result>
Result check(Result result, const std::string& what) {
  if (result < 0) throw std::runtime_error(join(what, ": ", error_text()));
  return result;
}

/// Owns one HDF5 object of any kind.
class Id {
 public:
  Id(hid_t id, const std::string& what) : id_(check(id, what)) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ~Id() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

/// The type of T in memory and in the file. Text is variable-length UTF-8: fixed-length text arrives in Python as
/// bytes.
template <class T>
Id type_of() {
  if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char*>) {
    Id type(H5Tcopy(H5T_C_S1), "string type");
    check(H5Tset_size(type, H5T_VARIABLE), "string type");
    check(H5Tset_cset(type, H5T_CSET_UTF8), "string type");
    return type;
  } else {
    const hid_t native = std::is_same_v<T, float>           ? H5T_NATIVE_FLOAT
                         : std::is_same_v<T, double>        ? H5T_NATIVE_DOUBLE
                         : std::is_same_v<T, std::int64_t>  ? H5T_NATIVE_INT64
                         : std::is_same_v<T, std::uint64_t> ? H5T_NATIVE_UINT64
                                                            : H5T_NATIVE_UINT8;
    return Id(H5Tcopy(native), "number type");
  }
}

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

// ---- Writing --------------------------------------------------------------------------------------------------------

constexpr const char* placeholder = "This is a netCDF dimension but not a netCDF variable.";  // then the size, ten wide

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

// ---- Checksum -------------------------------------------------------------------------------------------------------

// HDF5 1.10 crashes on some damaged files instead of reporting them, and reads damaged numbers without a word. So a
// checksum follows the end of the HDF5 data, where every reader ignores it. Programs that change the file cut it off
// when they close.
constexpr std::string_view checksum_mark = "checksum";
constexpr std::size_t trailer_size = checksum_mark.size() + sizeof(std::uint64_t);

/// Takes eight bytes a step; each step is invertible, so that one changed word always shows.
std::uint64_t checksum(std::string_view bytes, std::uint64_t hash) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(8, bytes.size()))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    hash = (hash ^ word) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Zeroes the flags in the superblock by which HDF5 marks a file as open for writing elsewhere. Not content.
void clear_open_flags(std::span<char> start) {
  if (start.size() < 24) return;
  if (start[8] < 2)  // the superblock's version
    std::fill_n(start.begin() + 20, 4, '\0');
  else
    start[11] = 0;
}

void append_checksum(std::vector<char>& image) {
  clear_open_flags(image);
  const std::uint64_t sum = checksum({image.data(), image.size()}, 0);
  image.insert(image.end(), checksum_mark.begin(), checksum_mark.end());
  image.resize(image.size() + sizeof sum);
  std::memcpy(image.data() + image.size() - sizeof sum, &sum, sizeof sum);
}

/// Throws when the file has a checksum and it is not that of its content.
void verify_checksum(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg()));
  if (size < trailer_size) return;
  std::string trailer(trailer_size, '\0');
  file.seekg(-static_cast<std::streamoff>(trailer_size), std::ios::end).read(trailer.data(), trailer_size);
  if (!trailer.starts_with(checksum_mark)) return;
  file.seekg(0);
  std::uint64_t sum = 0, stored = 0;
  std::memcpy(&stored, trailer.data() + checksum_mark.size(), sizeof stored);
  std::string block(1 << 20, '\0');
  for (std::size_t left = size - trailer_size; left > 0 && file;) {
    block.resize(std::min(block.size(), left));
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (left == size - trailer_size) clear_open_flags(block);
    sum = checksum(block, sum);
    left -= block.size();
  }
  if (!file || sum != stored) throw std::runtime_error("its content does not match its checksum");
}

// ---- Reading --------------------------------------------------------------------------------------------------------

std::vector<std::size_t> shape_of(hid_t space) {
  const int rank = check(H5Sget_simple_extent_ndims(space), "data space");
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space, sizes.data(), nullptr), "data space");
  return {sizes.begin(), sizes.end()};
}

/// Calls `read(memory type, buffer)` for an array of T.
template <class T, class Read>
std::vector<T> get_array(std::size_t size, const Read& read) {
  std::vector<T> values(size);
  if (size > 0) check(read(type_of<T>(), values.data()), "values");
  return values;
}

/// Reads a data set or an attribute of numbers or text.
template <class Read>
Values get_values(hid_t type, hid_t space, const Read& read) {
  const auto size = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space), "data space"));
  const std::size_t bytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      if (bytes <= sizeof(float)) return get_array<float>(size, read);
      return get_array<double>(size, read);
    case H5T_INTEGER:
      return get_array<std::int64_t>(size, read);
    case H5T_ENUM: {  // h5py's booleans
      if (bytes != 1) break;
      std::vector<std::uint8_t> values(size);
      if (size > 0) check(read(type, values.data()), "values");
      return values;
    }
    case H5T_STRING: {
      if (check(H5Tis_variable_str(type), "string type")) {
        std::vector<char*> pointers = get_array<char*>(size, read);
        std::vector<std::string> values;
        for (const char* text : pointers) values.emplace_back(text ? text : "");
        if (size > 0) check(H5Dvlen_reclaim(type_of<char*>(), space, H5P_DEFAULT, pointers.data()), "values");
        return values;
      }
      std::string buffer(size * bytes, '\0');
      if (size > 0) check(read(type, buffer.data()), "values");
      std::vector<std::string> values;
      for (std::size_t i = 0; i < size; ++i) values.emplace_back(buffer.substr(i * bytes, bytes).c_str());
      return values;
    }
    default:
      break;
  }
  throw std::runtime_error("holds values that are neither numbers nor text");
}

Values get_values(hid_t set) {
  const Id type(H5Dget_type(set), "type"), space(H5Dget_space(set), "data space");
  return get_values(
      type, space, [&](hid_t memory, void* into) { return H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, into); });
}

/// The attribute, or nothing where it is of a kind that Attribute does not have.
std::optional<Attribute> get_attribute(hid_t object, const std::string& name) {
  const Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), join("attribute '", name, "'"));
  const Id type(H5Aget_type(attribute), "type"), space(H5Aget_space(attribute), "data space");
  const auto read = [&](hid_t memory, void* into) { return H5Aread(attribute, memory, into); };
  const bool scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_STRING && kind != H5T_ENUM) return {};
  if (kind == H5T_INTEGER && scalar && H5Tget_sign(type) == H5T_SGN_NONE) {
    if (H5Tget_size(type) == 1) return get_array<std::uint8_t>(1, read).front() != 0;
    if (H5Tget_size(type) == 8) return get_array<std::uint64_t>(1, read).front();
  }
  return std::visit(
      [&]<class T>(const std::vector<T>& v) -> std::optional<Attribute> {
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          if (scalar) return v.front() != 0;
          return std::vector<std::int64_t>(v.begin(), v.end());
        } else if constexpr (std::is_same_v<T, std::string>) {
          if (v.size() == 1) return v.front();
          return {};
        } else if constexpr (std::is_floating_point_v<T>) {
          if (scalar) return static_cast<double>(v.front());
          return std::vector<double>(v.begin(), v.end());
        } else {
          if (scalar) return v.front();
          return v;
        }
      },
      get_values(type, space, read));
}

std::string get_text(hid_t object, const std::string& name) {
  if (check(H5Aexists(object, name.c_str()), name) == 0) return {};
  const std::optional<Attribute> value = get_attribute(object, name);
  const auto* text = value ? std::get_if<std::string>(&*value) : nullptr;
  return text ? *text : "";
}

Ordered<Attribute> get_attributes(hid_t group) {
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5A_info_t*, void* into) -> herr_t {
    static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  hsize_t at = 0;
  // By creation order, HDF5 falls back to the order in the file where none was kept.
  check(H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, visit, &names), "attributes");
  Ordered<Attribute> attributes;
  for (const std::string& name : names)
    if (auto value = get_attribute(group, name)) attributes[name] = std::move(*value);
  return attributes;
}

std::vector<std::string> links_of(hid_t group) {
  const Id settings(H5Gget_create_plist(group), "group");
  unsigned flags = 0;
  check(H5Pget_link_creation_order(settings, &flags), "group");
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5L_info_t* info, void* into) -> herr_t {
    if (info->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  const H5_index_t order = flags & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  check(H5Literate(group, order, H5_ITER_INC, nullptr, visit, &names), "group");
  return names;
}

haddr_t address_of(hid_t object) {
  H5O_info_t info;
  check(H5Oget_info2(object, &info, H5O_INFO_BASIC), "object");
  return info.addr;
}

Group::Dimension get_dimension(hid_t scale) {
  std::array<char, 96> label{};
  check(H5DSget_scale_name(scale, label.data(), label.size()), "dimension");
  const Id space(H5Dget_space(scale), "data space");
  Group::Dimension dimension{shape_of(space).at(0)};
  if (!std::string_view(label.data()).starts_with(placeholder)) dimension.coordinates = get_values(scale);
  dimension.unit = get_text(scale, "units");
  dimension.description = get_text(scale, "long_name");
  return dimension;
}

/// The dimension of one axis: the scale attached to it, or else one named after the size.
std::string name_of_axis(hid_t set, unsigned axis, std::size_t size, const std::map<haddr_t, std::string>& scales) {
  haddr_t address = HADDR_UNDEF;
  const auto first = [](hid_t, unsigned, hid_t scale, void* into) -> herr_t {
    *static_cast<haddr_t*>(into) = address_of(scale);
    return 1;
  };
  if (check(H5DSget_num_scales(set, axis), "axis") > 0)
    check(H5DSiterate_scales(set, axis, nullptr, first, &address), "axis");
  const auto found = scales.find(address);
  return found != scales.end() ? found->second : join("size_", size);
}

Group get_group(hid_t location, const std::string& path, const std::optional<std::vector<std::string>>& only) {
  Group group;
  group.attributes = get_attributes(location);
  std::map<haddr_t, std::string> scales;
  std::vector<std::pair<std::string, Id>> sets;
  for (const std::string& name : links_of(location)) {
    const std::string where = join(path, '/', name);
    Id object(H5Oopen(location, name.c_str(), H5P_DEFAULT), where);
    const H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_GROUP) {
      if (!only || std::ranges::find(*only, name) != only->end())
        group.groups[name] = get_group(object, where, std::nullopt);
    } else if (kind == H5I_DATASET && check(H5DSis_scale(object), where) > 0) {
      scales[address_of(object)] = name;
      group.dimensions[name] = get_dimension(object);
    } else if (kind == H5I_DATASET) {
      sets.emplace_back(name, std::move(object));
    }
  }
  for (const auto& [name, set] : sets) {
    Group::Variable& variable = group.variables[name];
    const std::vector<std::size_t> shape = shape_of(Id(H5Dget_space(set), name));
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      variable.dimensions.push_back(name_of_axis(set, axis, shape[axis], scales));
      group.dimensions[variable.dimensions.back()].size = shape[axis];
    }
    variable.values = get_values(set);
    if (get_text(set, "dtype") == "bool")
      if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&variable.values))
        variable.values = std::vector<std::uint8_t>(numbers->begin(), numbers->end());
    variable.unit = get_text(set, "units");
    variable.description = get_text(set, "long_name");
  }
  return group;
}

/// Opens the file for reading and calls `read` on it. Whatever goes wrong becomes an InputError that names the file.
template <class Read>
auto with_file(const std::string& path, const Read& read) {
  silence_hdf5();
  struct stat status;
  const bool readable = stat(path.c_str(), &status) == 0 && access(path.c_str(), R_OK) == 0;
  require(readable, "cannot read '", path, "': ", std::strerror(errno));
  require(S_ISREG(status.st_mode), "cannot read '", path, "': not a file");
  require(H5Fis_hdf5(path.c_str()) > 0, "cannot read '", path, "': not an HDF5 file",
          status.st_size == 0 ? " (it is empty)" : "");
  try {
    verify_checksum(path);
    const Id settings(H5Pcreate(H5P_FILE_ACCESS), "property list");
    // Files are replaced, never changed in place, so a lock protects nothing; it would only get in the way of
    // notebooks.
    check(H5Pset_file_locking(settings, false, true), "property list");
    return read(Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, settings), "opening"));
  } catch (const std::exception& error) {
    throw InputError(join("cannot read '", path, "': damaged, or not a file of this kind: ", error.what()));
  }
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '/');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

}  // namespace

std::size_t count(const Values& values) {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

std::vector<double> as_doubles(const Values& values) {
  return std::visit(
      []<class T>(const std::vector<T>& v) -> std::vector<double> {
        if constexpr (std::is_same_v<T, std::string>)
          throw InputError("expected numbers, found text");
        else
          return {v.begin(), v.end()};
      },
      values);
}

void Group::add_dimension(const std::string& name, Values coordinates, std::string unit, std::string description) {
  const std::size_t size = count(coordinates);
  dimensions[name] = {size, std::move(coordinates), std::move(unit), std::move(description)};
}

void Group::add_variable(const std::string& name, std::vector<std::string> names, Values values, std::string unit,
                         std::string description) {
  variables[name] = {std::move(names), std::move(values), std::move(unit), std::move(description)};
}

Group& Group::group(const std::string& path) {
  Group* at = this;
  for (const std::string& name : split_path(path)) at = &at->groups[name];
  return *at;
}

const Group* Group::find(const std::string& path) const {
  const Group* at = this;
  for (const std::string& name : split_path(path))
    if (!(at = at->groups.find(name))) return nullptr;
  return at;
}

const Values& Group::values(const std::string& name) const {
  if (const Variable* variable = variables.find(name)) return variable->values;
  if (const Dimension* dimension = dimensions.find(name); dimension && dimension->coordinates)
    return *dimension->coordinates;
  throw InputError(join("there is no variable '", name, "'.", did_you_mean(name, variables.names())));
}

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

Group read_dataset(const std::string& path, const std::optional<std::vector<std::string>>& only) {
  return with_file(path,
                   [&](const Id& file) { return get_group(Id(H5Gopen2(file, "/", H5P_DEFAULT), "root"), "", only); });
}

Ordered<Attribute> read_attributes(const std::string& path) {
  return with_file(path, [](const Id& file) { return get_attributes(file); });
}

}  // namespace lengthwise
