#include "experiments/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "experiments/replace_file.h"

namespace lengthwise {
namespace {

/// What the holder wrote into its lock file, in words.
std::string holder(int fd) {
  std::array<char, 512> text{};
  const ssize_t size = pread(fd, text.data(), text.size() - 1, 0);
  return size > 0 ? std::string(text.data()) : "a process that has just started";
}

/// Is the file that was locked still the one at `path`? Its last holder may have removed it in between.
bool still_there(int fd, const std::string& path) {
  struct stat locked, named;
  return fstat(fd, &locked) == 0 && stat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
         locked.st_dev == named.st_dev;
}

}  // namespace

OutputLock::OutputLock(const std::string& output, const std::string& name) {
  const std::filesystem::path folder = output.empty() ? "." : output;
  path_ = folder / join('.', name, ".lock");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  require(!error, "cannot make the output folder '", output, "': ", error.message(),
          ". Choose a run.output that you may write to.");
  do {
    if (fd_ >= 0) close(fd_);
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    require(fd_ >= 0, "cannot make the lock file '", path_, "': ", std::strerror(errno),
            errno == ENAMETOOLONG ? ". Choose a shorter run.name." : ". Choose a run.output that you may write to.");
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      const std::string who = holder(fd_);
      close(fd_);
      require(reason != EWOULDBLOCK, "run.name '", name, "' in '", output, "' is being written by ", who,
              ", which holds '", path_, "'. Wait for it to end, or choose another run.name or run.output.");
      throw RunError(join("cannot lock '", path_, "': ", std::strerror(reason),
                          ". This file system may have no locks; choose another run.output."));
    }
  } while (!still_there(fd_, path_));

  const std::string text = join("process ", getpid(), " on ", host_name());
  // Only the message to others depends on the text.
  if (ftruncate(fd_, 0) != 0 || pwrite(fd_, text.data(), text.size(), 0) < 0) errno = 0;
  for (const char* suffix : {".h5", ".checkpoint.h5"}) remove_temporaries(folder / (name + suffix));
}

OutputLock::~OutputLock() {
  unlink(path_.c_str());  // before the lock goes, so that nobody else's is removed
  close(fd_);
}

}  // namespace lengthwise
