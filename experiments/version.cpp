#include "experiments/version.h"

#include <dlfcn.h>
#include <hdf5.h>
#include <omp.h>

#include <boost/config.hpp>
#include <dnnl.hpp>
#include <fstream>
#include <xsimd/xsimd.hpp>

#include "core/error.h"
#include "git_commit.h"

namespace lengthwise {
namespace {

std::string hdf5_header() { return join(H5_VERS_MAJOR, ".", H5_VERS_MINOR, ".", H5_VERS_RELEASE); }

std::string hdf5_library() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return join(major, ".", minor, ".", release);
}

/// The file that holds the loaded HDF5.
std::string hdf5_path() {
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(&H5get_libversion), &info) != 0 && info.dli_fname;
  return found ? info.dli_fname : "an unknown file";
}

}  // namespace

std::string instruction_set() {
  switch (dnnl_get_effective_cpu_isa()) {
    case dnnl_cpu_isa_sse41:
      return "SSE4.1";
    case dnnl_cpu_isa_avx:
      return "AVX";
    case dnnl_cpu_isa_avx2:
      return "AVX2";
    case dnnl_cpu_isa_avx512_mic:
      return "AVX-512 (Xeon Phi)";
    case dnnl_cpu_isa_avx512_mic_4ops:
      return "AVX-512 (Xeon Phi, 4FMAPS)";
    case dnnl_cpu_isa_avx512_core:
      return "AVX-512";
    case dnnl_cpu_isa_avx512_core_vnni:
      return "AVX-512 VNNI";
    case dnnl_cpu_isa_avx512_core_bf16:
      return "AVX-512 BF16";
    default:
      return join("instruction set ", static_cast<int>(dnnl_get_effective_cpu_isa()));
  }
}

std::string onednn_version() {
  const dnnl_version_t& version = *dnnl_version();
  return join(version.major, ".", version.minor, ".", version.patch);
}

std::string git_commit() { return LENGTHWISE_GIT_COMMIT; }

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
  return "unknown";
}

std::string hdf5_mismatch(const std::string& compiled_for, const std::string& loaded, const std::string& path) {
  if (compiled_for == loaded) return "";
  return join("compiled for HDF5 ", compiled_for, ", but HDF5 ", loaded, " was loaded from ", path,
              ". Take that one out of LD_LIBRARY_PATH, or build the program again with it.");
}

void check_libraries() {
  const std::string mismatch = hdf5_mismatch(hdf5_header(), hdf5_library(), hdf5_path());
  require(mismatch.empty(), mismatch);
}

std::string version_text() {
  using Batch = xsimd::batch<float>;
  return join("lengthwise   ", LENGTHWISE_VERSION, "\n",                                                //
              "HDF5         ", hdf5_header(), " headers, ", hdf5_library(), " in ", hdf5_path(), "\n",  //
              "oneDNN       ", onednn_version(), " on ", instruction_set(), "\n", "compiler     ", BOOST_COMPILER,
              "\n",                                                                        //
              "SIMD width   ", Batch::size, " floats (", Batch::arch_type::name(), ")\n",  //
              "threads      ", omp_get_num_procs(), "\n");
}

}  // namespace lengthwise
