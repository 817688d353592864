// Kernelised biases:  S_hij += -r1_h ln(1 + r2_h |p_i - p_j|),  or  -r1_h |p_i - p_j|^r2_h
//
// Source      Chi, Fan, Ramadge, Rudnicky 2022, KERPLE (arXiv:2205.09921). log_power: NVIDIA NeMo.
// Parameters  kerple.r1, kerple.r2 (H, 1), one for all layers: r1 ~ U(0, 2) and r2 ~ U(0, 1) for log, r1 ~ U(0, 1) and
//             r2 ~ U(0, 2) for power; kerple.r3 (H, 1) for log_power, 1 at first. Every step ends by clamping them to
//             at least 0.01, and exponents to at most 2, where conditional positive definiteness ends.
// Options     kernel: log (default), power, or log_power: -r1 ln(1 + r2 |d|^r3), which is log when r3 = 1.
// Deviates    the paper's variants with a further kernel that multiplies the content logits are left out.
// Past L      extrapolate.
#include "core/ops/functions.h"
#include "core/ops/linear.h"
#include "encodings/distances.h"

namespace lengthwise {
namespace {

constexpr double least = 0.01, largest_exponent = 2;

template <class T>
class Kerple final : public Encoding<T> {
 public:
  explicit Kerple(const EncodingSetup<T>& setup) : kernel_(setup.options.text("kernel")) {
    const auto parameter = [&](const char* name, const Initializer& initial) {
      return setup.store.shared(name, setup.shape.heads, 1, initial);
    };
    r1_ = parameter("kerple.r1", initial_uniform(0, kernel_ == "power" ? 1 : 2));
    r2_ = parameter("kerple.r2", initial_uniform(0, kernel_ == "power" ? 2 : 1));
    if (kernel_ == "log_power") r3_ = parameter("kerple.r3", initial_value(1));
    after_update();
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const Distances& found = distances(context);
    const auto& bias = context.memo->get<Variable<T>>(
        "kerple", [&] { return multiply(growth(found.values), lengthwise::scale(r1_.variable(), T(-1))); });
    return {.scores = {distance_bias(bias, found.columns, 0)}};
  }

  void after_update() override {
    clamp(r1_, INFINITY);
    clamp(r2_, kernel_ == "power" ? largest_exponent : INFINITY);
    if (r3_) clamp(r3_, largest_exponent);
  }

 private:
  // [heads, distances]: ln(1 + r2 |d|), |d|^r2 or ln(1 + r2 |d|^r3).
  Variable<T> growth(const std::vector<double>& values) const {
    Array<T> away = uninitialized<T>(values.size(), 1), logs = away;
    for (std::size_t c = 0; c < values.size(); ++c) {
      const double d = std::abs(values[c]);
      away(c, 0) = static_cast<T>(d);
      // Far below every logarithm of a distance, so that 0^r and its derivative come out as 0, not as 0 times infinity.
      logs(c, 0) = d > 0 ? static_cast<T>(std::log(d)) : T(-1e30);
    }
    const auto power = [&](const Parameter<T>& exponent) {
      return exp(linear(exponent.variable(), constant(std::move(logs))));
    };
    if (kernel_ == "power") return power(r2_);
    if (kernel_ == "log_power") return log1p(multiply(power(r3_), r2_.variable()));
    return log1p(linear(r2_.variable(), constant(std::move(away))));
  }

  static void clamp(const Parameter<T>& parameter, double high) {
    const Matrix<T> values = parameter.values();
    for (std::size_t h = 0; h < values.rows; ++h)
      values(h, 0) = std::clamp(values(h, 0), T(least), static_cast<T>(high));
  }

  std::string kernel_;
  Parameter<T> r1_, r2_, r3_;
};

const bool registered = register_encoding<Kerple>({
    .section = {"kerple",
                "A bias that falls with a learned kernel of the distance (Chi et al. 2022)",
                {choice("kernel", "log", {"log", "power", "log_power"})
                     .says("-r1 ln(1 + r2 |d|), -r1 |d|^r2, or -r1 ln(1 + r2 |d|^r3)")}},
    .source = "Chi, Fan, Ramadge, Rudnicky 2022, arXiv:2205.09921",
    .formula = "S_hij += -r1_h ln(1 + r2_h |p_i - p_j|)",
    .verified = "chijames/KERPLE, NeMo (golden)",
    .relative = true,
    .reads_distances = true,
});

}  // namespace
}  // namespace lengthwise
