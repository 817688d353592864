// A checksum behind the end of a file's HDF5 data, where h5py, netCDF and the HDF5 tools ignore it.
//
// Why  HDF5 1.10 crashes on some damaged files instead of reporting them, and reads damaged numbers without a word.
#pragma once

#include <string>
#include <vector>

namespace lengthwise {

/// Appends the checksum of an HDF5 file's bytes to them.
void append_checksum(std::vector<char>& image);

/// Throws std::runtime_error when the file has a checksum and it is not that of its content. Other programs cut it off
/// when they change the file, so a file without one passes.
void verify_checksum(const std::string& path);

}  // namespace lengthwise
