#include "core/ops/embedding.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(Embedding, Contract) {
  check_op("embedding", {{4, 19}}, [](const auto& x) { return embedding(x[0], {3, 0, 3, 1}); });
  check_op("scaled", {{4, 5}}, []<class T>(const std::vector<Variable<T>>& x) {
    return embedding(x[0], {1, 0}, T(1.5));
  });
  check_op("select_rows", {{6, 5}}, [](const auto& x) { return select_rows(x[0], {0, 2, 5}); });
}

TEST(Embedding, AnEntryCollectsTheGradientOfItsUses) {
  Tape<double> tape;
  const auto table = leaf(array<double>({{1, 2}, {3, 4}, {5, 6}}));
  const auto y = embedding(table, {2, 0, 2}, 10.0);
  expect_close(y, array<double>({{50, 60}, {10, 20}, {50, 60}}), 0);
  tape.backward(y, array<double>({{1, 2}, {3, 4}, {5, 6}}));
  expect_close(table.gradient(), array<double>({{30, 40}, {0, 0}, {60, 80}}), 0);
}

}  // namespace
}  // namespace lengthwise
