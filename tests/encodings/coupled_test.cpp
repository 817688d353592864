#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

const ModelShape coupled_shape{.layers = 1, .width = 4, .heads = 1, .causal = true, .train_positions = 5};

// What is added to tokens with these ids of channel "coupled", and the table it comes from.
std::pair<Array<double>, Array<double>> added_by_coupled(const std::vector<double>& ids) {
  Harness<double> harness("coupled", {{"positions", "11"}}, coupled_shape, {counting(ids.size())});
  harness.positions().set("coupled", ids);
  return {harness.embed(zeros<double>(ids.size(), 4)), Harness<double>::copied(harness.parameter("coupled.table"))};
}

TEST(coupled, every_token_gets_the_row_of_its_id) {
  const std::vector<double> ids{0, 1, 3, 0, 11, 3};
  const auto [y, table] = added_by_coupled(ids);
  EXPECT_EQ(table.rows(), 12u);
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(y(i, j), table(static_cast<std::size_t>(ids[i]), j));
}

TEST(coupled, an_id_beyond_the_table_says_what_to_change) {
  EXPECT_THAT(refusal([] { added_by_coupled({1, 12}); }), HasSubstr("coupled: id 12 of channel 'coupled'"));
  EXPECT_THAT(refusal([] { added_by_coupled({12}); }),
              HasSubstr("set coupled.positions to at least coupled_ids.max_position"));
  for (const double id : {-1.0, 0.5, static_cast<double>(NAN)}) refusal([&] { added_by_coupled({id}); });
  const auto& info = encoding_info("coupled");
  EXPECT_EQ(info.max_positions(encoding_options("coupled", {{"positions", "11"}}), coupled_shape), 12u);
  EXPECT_EQ(info.channels, std::vector<std::string>{"coupled"});
}

}  // namespace
}  // namespace lengthwise
