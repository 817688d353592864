// Reads golden values: what public reference implementations computed (tests/golden/README.md).
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/array.h"
#include "core/error.h"

namespace lengthwise {

/// A dataset or attribute; no shape means a scalar.
struct GoldenArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;

  /// [product of the other axes, last axis].
  Array<double> array() const {
    const std::size_t cols = shape.empty() ? 1 : shape.back();
    Array<double> a = uninitialized<double>(cols == 0 ? 0 : values.size() / cols, cols);
    copy<double>({values.data(), a.rows(), cols, cols}, view(a));
    return a;
  }
  /// Whole numbers: targets, indices.
  template <class Integer>
  std::vector<Integer> integers() const {
    return {values.begin(), values.end()};
  }
};

namespace golden_detail {

/// An HDF5 identifier; opening must have succeeded.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("cannot open " + what);
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// A bare name means a file of this project.
inline std::string path(const std::string& file) {
  return file.find('/') == std::string::npos ? std::string(GOLDEN_DIR) + "/" + file : file;
}

template <class Read>
GoldenArray read(hid_t space, Read read_doubles) {
  std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  GoldenArray a{{shape.begin(), shape.end()}, {}};
  a.values.resize(std::accumulate(a.shape.begin(), a.shape.end(), std::size_t{1}, std::multiplies<>()));
  if (read_doubles(a.values.data()) < 0) throw std::runtime_error("cannot read golden values");
  return a;
}

/// The names in a group, in order.
inline std::vector<std::string> members(hid_t location, const std::string& group) {
  const Handle opened(H5Gopen2(location, group.c_str(), H5P_DEFAULT), H5Gclose, group);
  std::vector<std::string> names;
  const auto append = [](hid_t, const char* name, const H5L_info_t*, void* to) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return herr_t{0};
  };
  H5Literate(opened, H5_INDEX_NAME, H5_ITER_INC, nullptr, append, &names);
  return names;
}

}  // namespace golden_detail

/// One case: "inputs/x", "outputs/out", the hyperparameters hp.X and the tolerance. Everything missing throws.
class GoldenCase {
 public:
  GoldenCase(const std::string& file, std::string name)
      : name_(std::move(name)),
        file_(H5Fopen(golden_detail::path(file).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, file),
        group_(H5Gopen2(file_, name_.c_str(), H5P_DEFAULT), H5Gclose, file + "/" + name_),
        rtol(attribute("rtol").values.at(0)),
        atol(attribute("atol").values.at(0)) {}

  const std::string& name() const { return name_; }
  GoldenArray input(const std::string& name) const { return dataset("inputs/" + name); }
  GoldenArray output(const std::string& name) const { return dataset("outputs/" + name); }
  /// Names in "inputs", "outputs" or a group below: "inputs/params".
  std::vector<std::string> names(const std::string& group) const { return golden_detail::members(group_, group); }

  bool has_input(const std::string& name) const {
    return H5Lexists(group_, ("inputs/" + name).c_str(), H5P_DEFAULT) > 0;
  }
  bool has_output(const std::string& name) const {
    return H5Lexists(group_, ("outputs/" + name).c_str(), H5P_DEFAULT) > 0;
  }
  bool has(const std::string& hyperparameter) const { return H5Aexists(group_, ("hp." + hyperparameter).c_str()) > 0; }

  double real(const std::string& hyperparameter) const { return attribute("hp." + hyperparameter).values.at(0); }
  std::int64_t integer(const std::string& hyperparameter) const {
    return static_cast<std::int64_t>(real(hyperparameter));
  }
  std::vector<double> reals(const std::string& hyperparameter) const {
    return attribute("hp." + hyperparameter).values;
  }
  std::string text(const std::string& hyperparameter) const { return text_attribute("hp." + hyperparameter); }
  /// The functions that computed the case.
  std::string reference_files() const { return text_attribute("reference_files"); }

 private:
  std::string text_attribute(const std::string& name) const {
    const auto opened = open_attribute(name);
    const golden_detail::Handle type(H5Aget_type(opened), H5Tclose, "a type");
    char* characters = nullptr;
    if (H5Tis_variable_str(type) <= 0 || H5Aread(opened, type, &characters) < 0 || !characters)
      throw std::runtime_error(name_ + ": " + name + " is not text");
    const std::string copy = characters;
    H5free_memory(characters);
    return copy;
  }
  golden_detail::Handle open_attribute(const std::string& name) const {
    return {H5Aopen(group_, name.c_str(), H5P_DEFAULT), H5Aclose, name_ + ": " + name};
  }
  GoldenArray attribute(const std::string& name) const {
    const auto opened = open_attribute(name);
    const golden_detail::Handle space(H5Aget_space(opened), H5Sclose, name);
    return golden_detail::read(space, [&](double* to) { return H5Aread(opened, H5T_NATIVE_DOUBLE, to); });
  }
  GoldenArray dataset(const std::string& name) const {
    const golden_detail::Handle opened(H5Dopen2(group_, name.c_str(), H5P_DEFAULT), H5Dclose, name_ + ": " + name);
    const golden_detail::Handle space(H5Dget_space(opened), H5Sclose, name);
    return golden_detail::read(
        space, [&](double* to) { return H5Dread(opened, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to); });
  }

  std::string name_;
  golden_detail::Handle file_, group_;

 public:
  const double rtol, atol;
};

inline GoldenCase golden(const std::string& file, const std::string& name) { return {file, name}; }

inline std::vector<std::string> golden_cases(const std::string& file) {
  const golden_detail::Handle opened(H5Fopen(golden_detail::path(file).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                                     file);
  return golden_detail::members(opened, "/");
}

/// The entry that is farthest from the golden one, relative to its tolerance atol + rtol |golden|.
struct GoldenComparison {
  double worst = 0;   // error over tolerance: at most 1 where all is well
  std::string where;  // "rms_norm/out[1, 2, 3]: mine 0.1, golden 0.2, 12 x the tolerance"
};

/// Entry by entry, in the order of the golden output; `compared`, if given, says which of them.
inline GoldenComparison compare_golden(const std::vector<double>& mine, const GoldenCase& c, const std::string& output,
                                       const std::vector<bool>& compared = {}) {
  const GoldenArray golden = c.output(output);
  if (mine.size() != golden.values.size())
    return {INFINITY,
            join(c.name(), "/", output, ": mine has ", mine.size(), " entries, golden ", golden.values.size())};
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (!compared.empty() && !compared[i]) continue;
    const double error = std::abs(mine[i] - golden.values[i]), allowed = c.atol + c.rtol * std::abs(golden.values[i]);
    const double excess = error == 0 ? 0 : allowed > 0 && std::isfinite(error) ? error / allowed : INFINITY;
    if (excess > worst) worst = excess, at = i;
  }
  if (worst == 0) return {};
  std::string index;
  for (std::size_t axis = golden.shape.size(), rest = at; axis-- > 0; rest /= golden.shape[axis])
    index = join(rest % golden.shape[axis], index.empty() ? "" : ", ", index);
  return {worst, join(c.name(), "/", output, "[", index, "]: mine ", mine[at], ", golden ", golden.values[at], ", ",
                      worst, " x the tolerance")};
}

inline std::vector<double> row_by_row(Matrix<const double> x) {
  std::vector<double> values;
  for (std::size_t i = 0; i < x.rows; ++i) values.insert(values.end(), x.row(i), x.row(i) + x.cols);
  return values;
}

/// |mine - golden| <= atol + rtol |golden| for every element, in the order of the golden output.
inline void expect_golden(const std::vector<double>& mine, const GoldenCase& c, const std::string& output) {
  const GoldenComparison found = compare_golden(mine, c, output);
  if (!(found.worst <= 1)) ADD_FAILURE() << found.where;
}

inline void expect_golden(Matrix<const double> mine, const GoldenCase& c, const std::string& output) {
  expect_golden(row_by_row(mine), c, output);
}
inline void expect_golden(const Array<double>& mine, const GoldenCase& c, const std::string& output) {
  expect_golden(view(mine), c, output);
}

}  // namespace lengthwise
