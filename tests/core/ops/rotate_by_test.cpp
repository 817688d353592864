#include "core/ops/rotate_by.h"

#include "tests/core/op_cases.h"

namespace lengthwise {
namespace {

TEST(RotateBy, Contract) {
  for (const PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    check_op("all channels", {{4, 12}, {4, 6}},
             [=]<class T>(const std::vector<Variable<T>>& x) { return rotate_by(x[0], x[1], layout, 2, 0, 2); });
    check_op("some channels of some heads", {{2, 30}, {2, 8}},
             [=]<class T>(const std::vector<Variable<T>>& x) { return rotate_by(x[0], x[1], layout, 3, 1, 2); });
  }
}

// With the same angles for every head it is rotate().
TEST(RotateBy, AgreesWithATableOfAngles) {
  const Array<double> x = random_array<double>(3, 16, 1), angle = random_array<double>(3, 4, 2);
  auto table = std::make_shared<AngleTable<double>>(
      AngleTable<double>{uninitialized<double>(3, 4), uninitialized<double>(3, 4)});
  Array<double> for_both_heads = uninitialized<double>(3, 8);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t m = 0; m < 4; ++m) {
      table->cosine(i, m) = std::cos(angle(i, m)), table->sine(i, m) = std::sin(angle(i, m));
      for_both_heads(i, m) = for_both_heads(i, 4 + m) = angle(i, m);
    }
  for (const PairLayout layout : {PairLayout::interleaved, PairLayout::half})
    expect_close(rotate_by(constant(x), constant(for_both_heads), layout, 2, 0, 2),
                 rotate<double>(constant(x), table, {0, 1, 2}, layout, 2, 0, 2), 1e-15);
}

}  // namespace
}  // namespace lengthwise
