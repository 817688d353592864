// One process a run: who writes OUTPUT/NAME holds a lock on it, so that a run started twice is found before any work.
#pragma once

#include <string>

namespace lengthwise {

/// Holds the system's lock (flock) on `OUTPUT/.NAME.lock` as long as it lives. The lock ends with the process, also
/// when it is killed; a lock file that was left behind is simply taken over. Makes the folder, and removes the
/// temporary files that killed runs of this name left.
class OutputLock {
 public:
  /// Throws InputError that names the lock file and its holder's host and process when another process has it,
  /// RunError with the system's reason when the folder or the file cannot be made.
  OutputLock(const std::string& output, const std::string& name);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace lengthwise
