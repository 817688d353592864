// The reader of golden values, and the program that compares the product with them.
#include "tests/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

namespace lengthwise {
namespace {

TEST(Golden, CasesNamesAndHyperparameters) {
  EXPECT_THAT(golden_cases("tiny_gpt.h5"),
              testing::ElementsAre("alibi", "learned", "none", "rope", "shaw", "sinusoidal", "t5"));
  const GoldenCase c = golden("tiny_gpt.h5", "alibi");
  EXPECT_EQ(c.text("encoding"), "alibi");
  EXPECT_EQ(c.integer("n_heads"), 2);
  EXPECT_EQ(c.real("weight_decay"), 0.1);
  EXPECT_THAT(c.reals("slopes"), testing::ElementsAre(0.0625, 0.00390625));
  EXPECT_EQ(c.rtol, 1e-8);
  EXPECT_EQ(c.atol, 1e-10);
  EXPECT_EQ(c.names("inputs/params").size(), 37u);
  EXPECT_THAT(c.names("outputs"), testing::ElementsAre("grads", "logits", "loss", "losses", "params_after_3"));
}

TEST(Golden, Arrays) {
  const GoldenCase c = golden("tiny_gpt.h5", "alibi");
  EXPECT_THAT(c.input("params/head.w").shape, testing::ElementsAre(11, 16));
  EXPECT_THAT(c.output("logits").shape, testing::ElementsAre(3, 12, 11));
  EXPECT_EQ(c.output("logits").array().rows(), 36u);
  EXPECT_THAT(c.output("loss").shape, testing::IsEmpty());
  EXPECT_EQ(c.output("loss").values.size(), 1u);
  const auto ids = c.input("token_ids").integers<std::size_t>();
  EXPECT_EQ(ids.size(), 36u);
  EXPECT_THAT(ids, testing::Each(testing::Lt(11)));
}

TEST(Golden, TheToleranceDecidesAndTheWorstElementIsNamed) {
  const GoldenCase c = golden("layers.h5", "rms_norm");
  std::vector<double> mine = c.output("out").values;
  expect_golden(mine, c, "out");
  for (double& v : mine) v += 0.9 * (c.atol + c.rtol * std::abs(v));
  expect_golden(mine, c, "out");
  mine[0] += c.atol;
  mine[(1 * 5 + 2) * 8 + 3] += 1;  // of [3, 5, 8]
  static const GoldenCase* shown_case = &c;
  static std::vector<double> shown = mine;
  EXPECT_NONFATAL_FAILURE(expect_golden(shown, *shown_case, "out"), "rms_norm/out[1, 2, 3]: mine");
  shown[7] = NAN;
  EXPECT_NONFATAL_FAILURE(expect_golden(shown, *shown_case, "out"), "rms_norm/out[0, 0, 7]: mine");
}

TEST(Golden, MissingThingsThrow) {
  const GoldenCase c = golden("layers.h5", "rms_norm");
  H5E_auto2_t print = nullptr;
  void* to = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &print, &to);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  EXPECT_THROW(golden("layers.h5", "no such case"), std::runtime_error);
  EXPECT_THROW(c.input("no such input"), std::runtime_error);
  EXPECT_THROW(c.real("no such hyperparameter"), std::runtime_error);
  EXPECT_THROW(c.text("eps"), std::runtime_error);
  H5Eset_auto2(H5E_DEFAULT, print, to);
}

// ---- golden_check
// ------------------------------------------------------------------------------------------------------

struct Checked {
  int code;
  std::string out;
};
Checked golden_check(const std::filesystem::path& directory) {
  FILE* pipe = popen((std::string(GOLDEN_CHECK) + " " + directory.string() + " 2>&1").c_str(), "r");
  std::string out;
  for (int c; (c = fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  return {WEXITSTATUS(pclose(pipe)), out};
}

// A directory with a copy of one file, its cases renamed.
class Copy {
 public:
  explicit Copy(const std::string& file, const std::string& as = "")
      : directory_(std::filesystem::temp_directory_path() / ("golden_check_" + file + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
    const auto copy = directory_ / (as.empty() ? file : as);
    std::filesystem::copy_file(std::string(GOLDEN_DIR) + "/" + file, copy,
                               std::filesystem::copy_options::overwrite_existing);
    file_ = H5Fopen(copy.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    for (const std::string& name : golden_detail::members(file_, "/"))
      H5Lmove(file_, name.c_str(), file_, ("renamed_" + name).c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
  ~Copy() { std::filesystem::remove_all(directory_); }
  void drop(const std::string& dataset) { EXPECT_GE(H5Ldelete(file_, dataset.c_str(), H5P_DEFAULT), 0); }
  /// Replaced by zeros of one axis.
  void flatten(const std::string& dataset, hsize_t count) {
    drop(dataset);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t made =
        H5Dcreate2(file_, dataset.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(made), H5Sclose(space);
  }
  Checked check() {
    H5Fclose(file_);
    return golden_check(directory_);
  }

 private:
  std::filesystem::path directory_;
  hid_t file_;
};

TEST(GoldenCheck, CasesAreKnownByWhatTheyHold) {
  const Checked checked = Copy("kerple.h5").check();
  EXPECT_EQ(checked.code, 0);
  EXPECT_THAT(checked.out,
              testing::AllOf(testing::HasSubstr("kerple.h5/renamed_log  ok  bias_only grad_bias_a"),
                             testing::EndsWith("5 cases: 5 compared, 0 listed with a reason, 0 failed\n")));
}

TEST(GoldenCheck, WhatIsMissingOrWrongFailsWithALine) {
  Copy kerple("kerple.h5");
  kerple.drop("renamed_log/inputs/bias_a");
  kerple.drop("renamed_power/outputs");
  kerple.flatten("renamed_log_long/inputs/scores", 7);
  kerple.flatten("renamed_nemo_three_parameter/outputs/bias", 243);
  const Checked checked = kerple.check();
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(
      checked.out,
      testing::AllOf(testing::HasSubstr("kerple.h5/renamed_log  FAILED  cannot open renamed_log: inputs/bias_a\n"),
                     testing::HasSubstr("renamed_power  FAILED"),
                     testing::HasSubstr("inputs/scores has 1 axes, expected 4"),
                     testing::HasSubstr("renamed_nemo_three_parameter/bias["),
                     testing::EndsWith("5 cases: 1 compared, 0 listed with a reason, 4 failed\n")));
}

TEST(GoldenCheck, UnknownFamiliesAndEmptyFoldersFail) {
  const Checked unknown = Copy("kerple.h5", "nobody.h5").check();
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.out, testing::HasSubstr("nobody.h5  FAILED  nothing here knows this family"));
  EXPECT_EQ(golden_check("/nowhere").code, 2);
}

}  // namespace
}  // namespace lengthwise
