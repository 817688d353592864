// One golden case on its way through the product, and what came of it.
#pragma once

#include <map>

#include "tests/encodings/attend.h"

namespace lengthwise {

/// Thrown where the product does not offer what a case asks for; its text is the reason.
struct NotOffered : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Check : public GoldenCase {
 public:
  using GoldenCase::GoldenCase;

  // Reading. Everything missing, or of another number of axes than it is read with, throws.
  using GoldenCase::input;
  GoldenArray input(const std::string& name, std::size_t axes) const;
  std::size_t count(const std::string& hyperparameter) const {
    return static_cast<std::size_t>(integer(hyperparameter));
  }
  /// A hyperparameter as the value of an option.
  std::string number(const std::string& hyperparameter) const { return number_text(real(hyperparameter)); }
  std::string flag(const std::string& hyperparameter) const { return integer(hyperparameter) ? "true" : "false"; }

  // Comparing. Every output of a case is either compared or left, with a reason.
  void compare(const std::string& output, const std::vector<double>& mine);
  void compare(const std::string& output, Matrix<const double> mine) { compare(output, row_by_row(mine)); }
  void compare(const std::string& output, const Array<double>& mine) { compare(output, view(mine)); }
  /// Where `compared` holds alone; `but` says what that leaves out.
  void compare(const std::string& output, const std::vector<double>& mine, const std::vector<bool>& compared,
               const std::string& but);
  void leave(const std::string& output, const std::string& reason);
  /// Outputs that are there and were neither compared nor left count as failures.
  void finish();

  /// "ok  out grad_q  worst 0.02 of tolerance", or what failed.
  std::string verdict() const;
  bool passed() const { return failures_.empty(); }

 private:
  std::map<std::string, std::string> compared_, left_;  // output: what was left out of it, why it was left
  std::vector<std::string> failures_;
  double worst_ = 0;
};

/// An encoding made for a case. Settings that it refuses are not offered.
std::unique_ptr<Harness<double>> made(const std::string& encoding, const OptionValues& options, const ModelShape& shape,
                                      const std::vector<std::vector<double>>& ids);

/// Gives one sequence `prefix` tokens without a place and then a grid, row by row.
void place_grid(Harness<double>& harness, std::size_t rows, std::size_t columns, std::size_t prefix = 0);

/// Golden values given to one of the encoding's parameters, in the same order.
void load(Harness<double>& harness, const std::string& parameter, const std::vector<double>& values);

/// Records what follows, and holds the gradients of a store's parameters afterwards.
class Recording {
 public:
  explicit Recording(ParameterStore<double>& store)
      : store_(store), gradient_(store.flat().cols), tape_({gradient_.data(), 1, gradient_.size(), gradient_.size()}) {}
  void backward(const Variable<double>& y, Array<double> upstream) { tape_.backward(y, std::move(upstream)); }
  Matrix<const double> of(const std::string& parameter) const;

 private:
  ParameterStore<double>& store_;
  std::vector<double> gradient_;
  Tape<double> tape_;
};

/// The same numbers, read as rows of `cols`.
Array<double> in_rows_of(std::size_t cols, const GoldenArray& golden);
std::vector<double> transposed(Matrix<const double> x);

}  // namespace lengthwise
