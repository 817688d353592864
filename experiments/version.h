// Which program this is and which libraries it found.
#pragma once

#include <string>

namespace lengthwise {

/// Several lines: program, HDF5, oneDNN and its instruction set, compiler, SIMD width, threads.
std::string version_text();

/// Parts of it, for the run file.
std::string git_commit();  // of the source; empty outside a checkout; ends in "+" when it was changed
std::string onednn_version();
std::string instruction_set();  // that oneDNN picked
std::string cpu_name();         // of the first core

/// Throws InputError when HDF5's library is not of the version the program was compiled for: HDF5 itself would abort.
void check_libraries();

/// Nothing when both versions are the same; otherwise what to say about it. `path` is the library's file.
std::string hdf5_mismatch(const std::string& compiled_for, const std::string& loaded, const std::string& path);

}  // namespace lengthwise
