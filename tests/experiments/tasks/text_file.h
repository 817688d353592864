// A text for a test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"

namespace lengthwise {

/// A file that lives as long as its object, under a name no other test has.
class File {
 public:
  explicit File(const std::string& bytes) { write(bytes); }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;

  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  const std::string& path() const { return path_; }

 private:
  static std::string next_path() {
    static int count = 0;
    return testing::TempDir() + join("text_file.", getpid(), ".", count++);
  }
  std::string path_ = next_path();
};

}  // namespace lengthwise
