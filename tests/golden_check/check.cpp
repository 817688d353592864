#include "tests/golden_check/check.h"

#include <iomanip>
#include <sstream>

namespace lengthwise {
GoldenArray Check::input(const std::string& name, std::size_t axes) const {
  GoldenArray found = GoldenCase::input(name);
  if (found.shape.size() != axes)
    throw std::runtime_error(
        join(this->name(), ": inputs/", name, " has ", found.shape.size(), " axes, expected ", axes));
  return found;
}

void Check::compare(const std::string& output, const std::vector<double>& mine) { compare(output, mine, {}, ""); }

void Check::compare(const std::string& output, const std::vector<double>& mine, const std::vector<bool>& compared,
                    const std::string& but) {
  const GoldenComparison found = compare_golden(mine, *this, output, compared);
  compared_[output.substr(0, output.find('/'))] = but;
  worst_ = std::max(worst_, found.worst);
  if (!(found.worst <= 1)) failures_.push_back(found.where);
}

void Check::leave(const std::string& output, const std::string& reason) {
  if (has_output(output)) left_[output] = reason;
}

void Check::finish() {
  for (const std::string& name : names("outputs"))
    if (!compared_.count(name) && !left_.count(name)) failures_.push_back(join("nothing here computes outputs/", name));
  if (compared_.empty() && failures_.empty()) failures_.push_back("no outputs");
}

std::string Check::verdict() const {
  std::string text = passed() ? "ok " : "FAILED";
  for (const std::string& failure : failures_) text += (&failure == &failures_[0] ? "  " : "; ") + failure;
  if (!passed()) return text;
  for (const auto& [name, but] : compared_) text += " " + name + (but.empty() ? "" : " (but " + but + ")");
  std::ostringstream worst;
  worst << std::setprecision(2) << worst_;
  text += "  worst " + worst.str() + " of tolerance";
  for (const auto& [name, reason] : left_) text += "; not compared: " + name + ", " + reason;
  return text;
}

std::unique_ptr<Harness<double>> made(const std::string& encoding, const OptionValues& options, const ModelShape& shape,
                                      const std::vector<std::vector<double>>& ids) {
  const EncodingInfo& info = encoding_info(encoding);
  for (const auto& [name, unused] : options)
    if (std::ranges::none_of(info.section.options, [&](const OptionSpec& option) { return option.name == name; }))
      throw std::logic_error(join(encoding, " has no option ", name));
  try {
    const Options values(info.section, options);
    if (info.check) info.check(values, shape);
  } catch (const InputError& refusal) {
    throw NotOffered(join("refused, ", refusal.what()));
  }
  return std::make_unique<Harness<double>>(encoding, options, shape, ids);
}

void place_grid(Harness<double>& harness, std::size_t rows, std::size_t columns, std::size_t prefix) {
  std::vector<double> row(prefix, 0.0), column(prefix, 0.0);
  for (std::size_t t = 0; t < rows * columns; ++t) {
    row.push_back(static_cast<double>(t / columns));
    column.push_back(static_cast<double>(t % columns));
  }
  harness.positions().set("row", std::move(row));
  harness.positions().set("column", std::move(column));
  if (prefix == 0) return;
  harness.positions().without_position.assign(prefix + rows * columns, false);
  std::fill_n(harness.positions().without_position.begin(), prefix, true);
}

void load(Harness<double>& harness, const std::string& parameter, const std::vector<double>& values) {
  const Matrix<double> own = harness.parameter(parameter);
  if (own.size() != values.size())
    throw std::runtime_error(join(values.size(), " values for ", parameter, ", which has ", own.size()));
  copy<double>({values.data(), own.rows, own.cols, own.cols}, own);
}

Matrix<const double> Recording::of(const std::string& parameter) const {
  return store_.find(parameter)->in(gradient_.data());
}

Array<double> in_rows_of(std::size_t cols, const GoldenArray& golden) {
  if (cols == 0 || golden.values.size() % cols != 0)
    throw std::runtime_error(join(golden.values.size(), " values are no rows of ", cols));
  Array<double> rows = uninitialized<double>(golden.values.size() / cols, cols);
  copy<double>({golden.values.data(), rows.rows(), cols, cols}, view(rows));
  return rows;
}

std::vector<double> transposed(Matrix<const double> x) {
  std::vector<double> values;
  for (std::size_t j = 0; j < x.cols; ++j)
    for (std::size_t i = 0; i < x.rows; ++i) values.push_back(x(i, j));
  return values;
}

}  // namespace lengthwise
