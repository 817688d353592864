#include "tests/encodings/schemes/assigned.h"

namespace lengthwise {
namespace {

TEST(grid, a_given_number_of_columns) {
  const Positions positions = Assigned{}("grid", {{"columns", "3"}}, {6, 4});
  EXPECT_EQ(ids_of(positions, "row"), (std::vector<double>{0, 0, 0, 1, 1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(ids_of(positions, "column"), (std::vector<double>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(ids_of(positions), (std::vector<double>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3}));
  EXPECT_TRUE(positions.placed(0));
}

// A class token and a grid of 2 rows and 3 columns, rescaled to one of 4 rows and 6 columns, then one of a single
// column.
TEST(grid, hints_with_a_class_token_rescaled) {
  const Assigned assign{.hints = {{"row", {-1, 0, 0, 0, 1, 1, 1, 0, 1}}, {"column", {-1, 0, 1, 2, 0, 1, 2, 0, 0}}}};
  const Positions plain = assign("grid", {}, {7, 2}),
                  scaled = assign("grid", {{"reference_rows", "4"}, {"reference_columns", "6"}}, {7, 2});
  EXPECT_EQ(ids_of(plain, "row"), (std::vector<double>{0, 0, 0, 0, 1, 1, 1, 0, 1}));
  EXPECT_EQ(ids_of(scaled, "row"), (std::vector<double>{0, 0, 0, 0, 2, 2, 2, 0, 2}));
  EXPECT_EQ(ids_of(scaled, "column"), (std::vector<double>{0, 0, 2, 4, 0, 2, 4, 0, 0}));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(plain.placed(i), i != 0);
  EXPECT_TRUE(Assigned::scheme_of("grid")->whole());
  EXPECT_FALSE(Assigned::scheme_of("grid", {{"reference_columns", "6"}})->whole());
  EXPECT_EQ(Assigned::scheme_of("grid")->hints(), (std::vector<std::string>{"row", "column"}));
}

}  // namespace
}  // namespace lengthwise
