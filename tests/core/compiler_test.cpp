// The compiler, where it has been caught at something: GCC 12 with AVX-512VL turned this constant into {1, 1, 1, 1}.
// The build flags avoid it.
#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace lengthwise {
namespace {

__attribute__((noinline)) std::vector<double> copied(const std::vector<double>& values) { return values; }

TEST(Compiler, CopiesConstantsWhoseUpperHalfIsZero) {
  const double values[4] = {1, 1, 0, 0};
  EXPECT_THAT(copied(std::vector<double>(values, values + 4)), testing::ElementsAre(1, 1, 0, 0));
  const float floats[8] = {2, 2, 2, 2, 0, 0, 0, 0};
  EXPECT_THAT(copied(std::vector<double>(floats, floats + 8)), testing::ElementsAre(2, 2, 2, 2, 0, 0, 0, 0));
}

TEST(Compiler, KeepsNaNAndInfinity) {
  static_assert(__FINITE_MATH_ONLY__ == 0);
  volatile double zero = 0;
  EXPECT_TRUE(std::isnan(zero / zero));
  EXPECT_TRUE(std::isinf(1 / zero));
}

}  // namespace
}  // namespace lengthwise
