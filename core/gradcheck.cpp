#include "core/gradcheck.h"

#include <cmath>

#include "core/error.h"
#include "core/simd.h"

namespace lengthwise {
namespace {

constexpr double step = 1e-5;

// One array that is differentiated with respect to: an input or a parameter.
struct Subject {
  std::string name;
  Matrix<double> values;
  Array<double> gradient;
};

}  // namespace

GradientCheck check_gradients(const CheckedFunction& f, const std::vector<Array<double>>& inputs,
                              ParameterStore<double>* store, std::size_t samples, double absolute, double relative) {
  std::vector<Array<double>> at = inputs;
  const auto leaves = [&] {
    std::vector<Variable<double>> made;
    for (const auto& array : at) made.push_back(leaf(array));
    return made;
  };
  Array<double> weights;
  const auto weighted = [&] {
    const Variable<double> y = f(leaves());
    double total = 0;
    for (std::size_t i = 0; i < y.rows(); ++i)
      for (std::size_t j = 0; j < y.cols(); ++j) total += weights(i, j) * y.value()(i, j);
    return total;
  };

  std::vector<Subject> subjects;
  {
    std::vector<double> parameter_gradients(store ? store->flat().cols : 0, 0.0);
    Tape<double> tape({parameter_gradients.data(), 1, parameter_gradients.size(), parameter_gradients.size()});
    const auto x = leaves();
    const Variable<double> y = f(x);
    weights = random_array<double>(y.rows(), y.cols(), 17);
    tape.backward(y, weights);
    for (std::size_t k = 0; k < x.size(); ++k) subjects.push_back({join("input ", k), view(at[k]), x[k].gradient()});
    if (store)
      for (const auto& info : store->list()) {
        Array<double> gradient = uninitialized<double>(info.rows, info.cols);
        copy(info.in(parameter_gradients.data()), view(gradient));
        subjects.push_back({info.name, store->values(info), std::move(gradient)});
      }
  }

  GradientCheck result;
  double worst = -1;
  // total: how far to move -> the weighted output there
  const auto compare = [&](const Subject& subject, const std::string& where, double analytic, const auto& total) {
    double numeric = 0, excess = 0;
    // A kink within the step, of one rectifier of many, spoils the difference; a wrong gradient stays wrong in a
    // smaller one.
    for (const double by : {step, step / 64}) {
      numeric = (total(by) - total(-by)) / (2 * by);
      excess = std::abs(analytic - numeric) / (absolute + relative * std::max(std::abs(analytic), std::abs(numeric)));
      if (excess <= 1) break;
    }
    ++result.compared;
    if (excess <= worst) return;
    worst = std::isnan(excess) ? INFINITY : excess;
    result.worst =
        join(subject.name, " ", where, ": analytic ", analytic, ", numeric ", numeric, " (", worst, " x tolerance)");
    result.passed = worst <= 1;
  };

  Rng rng = Rng(23).at("gradcheck");
  for (auto& subject : subjects) {
    const Matrix<double> values = subject.values;
    const std::size_t count = values.size();
    for (const std::size_t e : rng.distinct(count, std::min(samples, count))) {
      double& value = values(e / values.cols, e % values.cols);
      const auto moved = [&](double by) {
        const double kept = value;
        value = kept + by;
        const double total = weighted();
        value = kept;
        return total;
      };
      compare(subject, join("[", e / values.cols, ", ", e % values.cols, "]"),
              subject.gradient(e / values.cols, e % values.cols), moved);
    }
    // One random direction reaches the entries that were not sampled.
    if (count == 0) continue;
    const Array<double> direction = random_array<double>(values.rows, values.cols, 31);
    const auto along = [&](double by) {
      accumulate(view(direction), values, by);
      const double total = weighted();
      accumulate(view(direction), values, -by);
      return total;
    };
    double analytic = 0;
    for (std::size_t i = 0; i < values.rows; ++i)
      analytic += dot(direction.row(i), subject.gradient.row(i), values.cols);
    compare(subject, "along a random direction", analytic, along);
  }
  return result;
}

}  // namespace lengthwise
