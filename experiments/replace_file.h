// Replacing a file as a whole, so that readers and crashes see the old content or the new, never half of one.
#pragma once

#include <span>
#include <string>

namespace lengthwise {

/// This machine's name.
std::string host_name();

/// `.<name>.<host>.<pid>.tmp` beside `path`. The host and the process are in it because an orphan of an earlier attempt
/// may still be writing, here or on another machine.
std::string temporary_path(const std::string& path);

/// Writes the bytes to temporary_path(path), syncs, renames, and syncs the folder.
/// Throws RunError with the path and the system's reason; the old file is then intact and the temporary one gone.
void replace_file(const std::string& path, std::span<const char> bytes);

/// Removes what killed processes left of earlier calls for `path`. The caller must own the output (OutputLock).
void remove_temporaries(const std::string& path);

}  // namespace lengthwise
