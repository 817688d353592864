#include "experiments/replace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/error.h"

namespace lengthwise {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& step) {
  throw RunError(join("cannot write '", path, "': ", step, ": ", std::strerror(errno)));
}

/// A file beyond `ulimit -f` raises a signal that ends the process; ignored, write() reports EFBIG like any other
/// error.
class IgnoreSizeSignal {
 public:
  IgnoreSizeSignal() : before_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~IgnoreSizeSignal() { std::signal(SIGXFSZ, before_); }
  IgnoreSizeSignal(const IgnoreSizeSignal&) = delete;
  IgnoreSizeSignal& operator=(const IgnoreSizeSignal&) = delete;

 private:
  void (*before_)(int);
};

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

std::string temporary_path(const std::string& path) {
  const fs::path target(path);
  return target.parent_path() / join('.', target.filename().string(), '.', host_name(), '.', getpid(), ".tmp");
}

void replace_file(const std::string& path, std::span<const char> bytes) {
  const IgnoreSizeSignal guard;
  const std::string temporary = temporary_path(path);
  try {
    Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (file.get() < 0) fail(path, "creating a temporary file beside it");
    // close() is asked too: network file systems report a full disk only there.
    if (!write_all(file.get(), bytes) || fsync(file.get()) != 0 || !file.close()) fail(path, "writing");
    if (rename(temporary.c_str(), path.c_str()) != 0) fail(path, "renaming the temporary file");
  } catch (const RunError&) {
    unlink(temporary.c_str());
    throw;
  }
  // The rename itself must survive a power cut. Some file systems cannot sync a folder; the file is complete all the
  // same.
  const Descriptor folder(folder_of(path), O_RDONLY | O_DIRECTORY);
  if (folder.get() >= 0 && fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
    fail(path, "syncing its folder");
}

void remove_temporaries(const std::string& path) {
  const std::string prefix = join('.', fs::path(path).filename().string(), '.');
  std::error_code ignored;  // a leftover that cannot be removed does no harm
  for (const auto& entry : fs::directory_iterator(folder_of(path), ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && name.ends_with(".tmp")) fs::remove(entry.path(), ignored);
  }
}

}  // namespace lengthwise
