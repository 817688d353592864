#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>

#include "experiments/checksum.h"
#include "experiments/dataset.h"
#include "experiments/hdf5_handle.h"

namespace lengthwise {
namespace {

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
  require(!S_ISDIR(status.st_mode), "cannot read '", path, "': it is a folder; name the files in it, as in ", path,
          path.ends_with('/') ? "" : "/", "*.h5");
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

}  // namespace

Group read_dataset(const std::string& path, const std::optional<std::vector<std::string>>& only) {
  return with_file(path,
                   [&](const Id& file) { return get_group(Id(H5Gopen2(file, "/", H5P_DEFAULT), "root"), "", only); });
}

Ordered<Attribute> read_attributes(const std::string& path) {
  return with_file(path, [](const Id& file) { return get_attributes(file); });
}

}  // namespace lengthwise
