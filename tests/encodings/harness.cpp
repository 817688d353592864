#include "tests/encodings/harness.h"

#include "tests/core/arrays.h"

namespace lengthwise {

template class Harness<double>;

std::vector<double> counting(std::size_t n) {
  std::vector<double> ids(n);
  std::iota(ids.begin(), ids.end(), 0.0);
  return ids;
}

Array<double> tokens_by_channels(const GoldenArray& golden) {
  const auto& shape = golden.shape;
  const auto& v = golden.values;
  Array<double> x = uninitialized<double>(shape[0] * shape[2], shape[1] * shape[3]);
  for (std::size_t e = 0; e < v.size(); ++e) {
    const std::size_t c = e % shape[3], i = e / shape[3] % shape[2], h = e / shape[3] / shape[2] % shape[1];
    const std::size_t b = e / shape[3] / shape[2] / shape[1];
    x(b * shape[2] + i, h * shape[3] + c) = v[e];
  }
  return x;
}

std::vector<double> heads_apart(Matrix<const double> x, std::size_t sequences, std::size_t heads) {
  const std::size_t n = x.rows / sequences, d = x.cols / heads;
  std::vector<double> values;
  for (std::size_t b = 0; b < sequences; ++b)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < n; ++i)
        values.insert(values.end(), x.row(b * n + i) + h * d, x.row(b * n + i) + (h + 1) * d);
  return values;
}

double largest_difference(const Array<double>& a, const Array<double>& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  double worst = 0;
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) worst = std::max(worst, std::abs(a(i, j) - b(i, j)));
  return worst;
}

double t5_bucket(const OptionValues& options, bool causal, double displacement) {
  Harness<double> harness("t5", options, {.width = 1, .causal = causal}, {{1e6, 1e6 + displacement}});
  const Matrix<double> table = harness.parameter("t5.table");
  count_up(table);
  return harness.bias().value()(1, 0);
}

}  // namespace lengthwise
