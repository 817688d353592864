#include "experiments/output_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "core/error.h"
#include "experiments/replace_file.h"
#include "tests/experiments/files.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

/// A process that takes the lock and keeps it until it is killed.
pid_t start_holder(const std::string& output, const std::string& name) {
  int ready[2];
  if (pipe(ready) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const OutputLock lock(output, name);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(ready[1]);
  char byte;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  return child;
}

TEST(output_lock, a_second_process_is_refused_and_told_who_holds_it) {
  const Folder folder;
  const pid_t child = start_holder(folder / "out", "a run α");
  try {
    const OutputLock lock(folder / "out", "a run α");
    ADD_FAILURE() << "two processes hold one lock";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("out/.a run α.lock"));
    EXPECT_THAT(error.what(), HasSubstr(join("process ", child, " on ", host_name())));
  }
  const OutputLock other(folder / "out", "another run");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "out/.a run α.lock"));  // left behind, and no obstacle:
  const OutputLock lock(folder / "out", "a run α");
  EXPECT_EQ(slurp(lock.path()), join("process ", getpid(), " on ", host_name()));
}

TEST(output_lock, goes_with_its_file_and_takes_leftovers_along) {
  const Folder folder;
  for (const char* name : {".a.h5.host.1.tmp", ".a.checkpoint.h5.host.1.tmp", ".b.h5.host.1.tmp", "a.h5"})
    std::ofstream(folder / name);
  { const OutputLock lock(folder / "", "a"); }
  EXPECT_THAT(folder.names(), testing::ElementsAre(".b.h5.host.1.tmp", "a.h5"));
  { const OutputLock lock(folder / "", "a"); }
}

TEST(output_lock, only_one_of_many_at_once) {
  const Folder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    for (int k = 0; k < 300; ++k) try {
        const OutputLock lock(folder / "", "a");
        const int alone = open((folder / "inside").c_str(), O_CREAT | O_EXCL, 0600);
        if (alone < 0) _exit(1);
        close(alone);
        unlink((folder / "inside").c_str());
      } catch (const InputError&) {
      }
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "two processes were inside at once";
  }
}

TEST(output_lock, a_folder_that_cannot_be_made) {
  const Folder folder;
  std::ofstream(folder / "file");
  EXPECT_THROW(OutputLock(folder / "file/out", "a"), InputError);
}

}  // namespace
}  // namespace lengthwise
