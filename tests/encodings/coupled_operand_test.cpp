#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

const ModelShape operand_shape{.layers = 1, .width = 4, .heads = 1, .causal = true, .train_positions = 5};

// What is added to tokens with these ids of channel "operand", and the table it comes from.
std::pair<Array<double>, Array<double>> added_by_operand(const std::vector<double>& ids) {
  Harness<double> harness("coupled_operand", {{"positions", "11"}}, operand_shape, {counting(ids.size())});
  harness.positions().set("operand", ids);
  return {harness.embed(zeros<double>(ids.size(), 4)),
          Harness<double>::copied(harness.parameter("coupled_operand.table"))};
}

TEST(coupled_operand, every_token_gets_the_row_of_its_id) {
  const std::vector<double> ids{0, 1, 3, 0, 11, 3};
  const auto [y, table] = added_by_operand(ids);
  EXPECT_EQ(table.rows(), 12u);
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(y(i, j), table(static_cast<std::size_t>(ids[i]), j));
}

TEST(coupled_operand, an_id_beyond_the_table_says_what_to_change) {
  EXPECT_THAT(refusal([] { added_by_operand({1, 12}); }), HasSubstr("coupled_operand: id 12 of channel 'operand'"));
  EXPECT_THAT(refusal([] { added_by_operand({12}); }),
              HasSubstr("set coupled_operand.positions to at least coupled_ids.max_operand"));
  for (const double id : {-1.0, 0.5, static_cast<double>(NAN)}) refusal([&] { added_by_operand({id}); });
  const auto& info = encoding_info("coupled_operand");
  EXPECT_EQ(info.max_positions(encoding_options("coupled_operand", {{"positions", "11"}}), operand_shape), 12u);
  EXPECT_EQ(info.channels, std::vector<std::string>{"operand"});
}

}  // namespace
}  // namespace lengthwise
