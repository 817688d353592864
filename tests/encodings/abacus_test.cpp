#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

const ModelShape abacus_shape{.layers = 1, .width = 4, .heads = 1, .causal = true, .train_positions = 5};

// What is added to tokens with these ids of channel "digit", and the table it comes from.
std::pair<Array<double>, Array<double>> added_by_abacus(const std::vector<double>& ids) {
  Harness<double> harness("abacus", {{"positions", "12"}}, abacus_shape, {counting(ids.size())});
  harness.positions().set("digit", ids);
  return {harness.embed(zeros<double>(ids.size(), 4)), Harness<double>::copied(harness.parameter("abacus.table"))};
}

TEST(abacus, every_token_gets_the_row_of_its_id) {
  const std::vector<double> ids{0, 1, 3, 0, 11, 3};
  const auto [y, table] = added_by_abacus(ids);
  EXPECT_EQ(table.rows(), 12u);
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(y(i, j), table(static_cast<std::size_t>(ids[i]), j));
}

TEST(abacus, an_id_beyond_the_table_says_what_to_change) {
  EXPECT_THAT(refusal([] { added_by_abacus({1, 12}); }), HasSubstr("abacus: id 12 of channel 'digit'"));
  EXPECT_THAT(refusal([] { added_by_abacus({12}); }),
              HasSubstr("digits plus abacus_ids.max_offset must stay below abacus.positions"));
  for (const double id : {-1.0, 0.5, static_cast<double>(NAN)}) refusal([&] { added_by_abacus({id}); });
  const auto& info = encoding_info("abacus");
  EXPECT_EQ(info.max_positions(encoding_options("abacus", {{"positions", "12"}}), abacus_shape), 12u);
  EXPECT_EQ(info.channels, std::vector<std::string>{"digit"});
}

// 12 + 34 = 46 written with the least significant digit first: equal places read equal rows, whatever stands between.
TEST(abacus, digits_of_equal_place_share_a_row) {
  const Array<double> y = added_by_abacus({1, 2, 0, 1, 2, 0, 1, 2}).first;
  for (const std::size_t other : {3, 6}) expect_close(view(y).block_rows(other, 2), view(y).block_rows(0, 2), 0);
  EXPECT_NE(y(0, 0), y(1, 0));
}

// The release starts from torch's default for embeddings, a deviation of 1.
TEST(abacus, initial_rows_are_standard_normal) {
  Harness<double> harness("abacus", {}, abacus_shape, {counting(1)});
  const Matrix<double> table = harness.parameter("abacus.table");
  EXPECT_EQ(table.rows, 1024u);
  double square = 0;
  for (std::size_t r = 0; r < table.rows; ++r)
    for (std::size_t j = 0; j < table.cols; ++j) square += table(r, j) * table(r, j);
  EXPECT_NEAR(square / 4096, 1, 4 * std::sqrt(2.0 / 4096));  // four standard errors
}

}  // namespace
}  // namespace lengthwise
