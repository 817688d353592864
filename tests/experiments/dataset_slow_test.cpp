#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "experiments/dataset.h"
#include "experiments/replace_file.h"
#include "tests/experiments/files.h"

namespace lengthwise {
namespace {

using testing::ElementsAre;

// Whoever is killed, there is always one file, whole, and at least as new as was reported.
TEST(dataset_slow, killed_while_writing) {
  const Folder folder;
  const std::string path = folder / "a.h5";
  const auto numbered = [](double i) {
    Group root;
    root.add_dimension("n", std::vector<double>(20000, i));
    root.group("a").add_variable("b", {}, std::vector<std::string>{"text"});
    root.attributes["i"] = i;
    return root;
  };
  write_dataset(path, numbered(0));
  for (int kill_number = 0; kill_number < 50; ++kill_number) {
    int report[2];
    ASSERT_EQ(pipe(report), 0);
    const pid_t child = fork();
    if (child == 0) {
      for (double i = 1;; ++i) {
        write_dataset(path, numbered(i));
        if (write(report[1], &i, sizeof i) != sizeof i) _exit(1);
      }
    }
    close(report[1]);
    double done = 0, last = 0;
    ASSERT_EQ(read(report[0], &done, sizeof done), static_cast<ssize_t>(sizeof done));
    usleep(static_cast<useconds_t>(kill_number * 397 % 10000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(report[0], &last, sizeof last) == sizeof last) done = last;
    close(report[0]);

    const Group back = read_dataset(path);
    const double i = back.attribute<double>("i");
    EXPECT_GE(i, done) << "a write that was reported done is lost";
    EXPECT_EQ(back.get<double>("n"), std::vector<double>(20000, i));
  }
  remove_temporaries(path);
  EXPECT_THAT(folder.names(), ElementsAre("a.h5"));
}

}  // namespace
}  // namespace lengthwise
