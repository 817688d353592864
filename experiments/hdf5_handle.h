// The little of HDF5's C interface that reading and writing share: handles that close, errors that throw, types.
#pragma once

#include <hdf5.h>
#include <hdf5_hl.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.h"

namespace lengthwise {

/// The innermost message of HDF5's error stack, which names the cause.
inline std::string error_text() {
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

/// Errors become exceptions; HDF5 shall not print them as well.
inline void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

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

/// How netCDF names the scale of a dimension without coordinates; the size follows, ten wide.
inline constexpr const char* placeholder = "This is a netCDF dimension but not a netCDF variable.";

}  // namespace lengthwise
