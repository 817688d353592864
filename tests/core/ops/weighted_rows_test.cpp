#include "core/ops/weighted_rows.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

// Row 0: a copy of row 2. Row 1: 0.25 of row 0 and 0.75 of row 1. Row 2: nothing. Row 3: row 0 twice.
template <class T>
std::shared_ptr<const RowWeights<T>> some_weights() {
  auto weights = std::make_shared<RowWeights<T>>();
  weights->add(2, 1), weights->end_row();
  weights->add(0, T(0.25)), weights->add(1, T(0.75)), weights->end_row();
  weights->end_row();
  weights->add(0, 1), weights->add(0, -3), weights->end_row();
  return weights;
}

TEST(WeightedRows, Contract) {
  check_op("some rows", {{3, 5}},
           []<class T>(const std::vector<Variable<T>>& x) { return weighted_rows(x[0], some_weights<T>()); });
}

TEST(WeightedRows, ByHand) {
  const Variable<double> table = constant(array<double>({{1, 10}, {2, 20}, {4, 40}}));
  expect_close(weighted_rows(table, some_weights<double>()), array<double>({{4, 40}, {1.75, 17.5}, {0, 0}, {-2, -20}}),
               0);
}

}  // namespace
}  // namespace lengthwise
