// What tests of files share: a folder that goes away, programs run and their output kept, a file looked at from Python.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lengthwise {

/// An empty folder for one test, removed with everything in it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "lengthwise-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return path_ / name; }
  /// The names of all files, hidden ones too.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Outcome {
  int code;            // exit code, or -1 after a signal
  std::string output;  // both streams
};

/// Runs a shell command.
inline Outcome shell(const std::string& command) {
  FILE* pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
  Outcome outcome{-1, ""};
  for (int c; (c = std::fgetc(pipe)) != EOF;) outcome.output += static_cast<char>(c);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
}

/// Opens every group of the file with h5py and with both of xarray's engines, any warning being an error, compares what
/// the two engines see, runs h5dump over it, then runs `code`. It sees `path`, `h5` (h5py), `xr`, `np`, and
/// `open(group, engine)`.
inline void expect_python(const std::string& path, const std::string& code) {
  const std::string prelude = R"(
import sys, warnings
import h5py, numpy as np, xarray as xr
import netCDF4, h5netcdf
warnings.simplefilter("error")
path = sys.argv[1]
h5 = h5py.File(path, "r")
groups = ["/"]
h5.visititems(lambda name, item: groups.append("/" + name) if isinstance(item, h5py.Group) else None)

def open(group, engine="h5netcdf"):
    with xr.open_dataset(path, engine=engine, group=group) as dataset:
        return dataset.load()

for group in groups:
    a, b = open(group, "h5netcdf"), open(group, "netcdf4")
    xr.testing.assert_identical(a, b)
    assert list(a.variables) != [] or not any(isinstance(x, h5py.Dataset) for x in h5[group].values()), group
    for name, variable in a.variables.items():
        assert not any(d.startswith("phony") for d in variable.dims), (group, name, variable.dims)
        assert variable.dtype == b[name].dtype, (group, name)
    for key, value in list(h5[group].attrs.items()) + list(a.attrs.items()):
        assert not isinstance(value, bytes), (group, key)
)";
  const Folder scratch;
  std::ofstream(scratch / "check.py") << prelude << code << "\nprint('checked')\n";
  const Outcome python = shell("/usr/bin/python3 -B '" + scratch / "check.py" + "' '" + path + "'");
  EXPECT_TRUE(python.code == 0 && python.output == "checked\n") << python.output;
  const Outcome dump = shell("h5dump -H '" + path + "'");
  EXPECT_EQ(dump.code, 0) << dump.output;
}

}  // namespace lengthwise
