// What a learned table does beyond the rows that training reached.
#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

const ModelShape policies_shape{.layers = 1, .width = 1, .heads = 1, .causal = true, .train_positions = 4};

// The rows that n tokens read, of a table whose row r holds r^2.
std::vector<double> read(const OptionValues& options, const std::vector<double>& ids) {
  Harness<double> harness("learned", options, policies_shape, {ids});
  const Matrix<double> table = harness.parameter("learned.table");
  for (std::size_t r = 0; r < table.rows; ++r) table(r, 0) = static_cast<double>(r * r);
  const Array<double> y = harness.embed(zeros<double>(ids.size(), 1));
  std::vector<double> values;
  each_value(view(y), [&](double v) { values.push_back(v); });
  return values;
}

TEST(learned_policies, clamp_repeats_the_last_trained_row_and_tile_all_of_them) {
  for (const char* rows : {"0", "7"}) {  // a larger table has untrained rows, which neither reads
    EXPECT_EQ(read({{"past", "clamp"}, {"positions", rows}}, counting(6)), (std::vector<double>{0, 1, 4, 9, 9, 9}));
    EXPECT_EQ(read({{"past", "tile"}, {"positions", rows}}, counting(9)),
              (std::vector<double>{0, 1, 4, 9, 0, 1, 4, 9, 0}));
  }
}

TEST(learned_policies, resample_stretches_the_trained_rows_over_the_sequence) {
  for (const char* kernel : {"linear", "cubic"})
    EXPECT_EQ(read({{"past", "resample"}, {"kernel", kernel}}, counting(4)), (std::vector<double>{0, 1, 4, 9}));
  EXPECT_EQ(read({{"past", "resample"}}, counting(2)), (std::vector<double>{0, 1}));
  // Points (i + 1/2)/2 - 1/2 = -1/4, 1/4, 3/4, ... between rows 0, 1, 4, 9.
  EXPECT_EQ(read({{"past", "resample"}}, counting(8)), (std::vector<double>{0, 0.25, 0.75, 1.75, 3.25, 5.25, 7.75, 9}));
  // In the middle, at 3/2 - 1/4, with a = -3/4: weights -9/64 .. of the kernel at distances 5/4, 1/4, 3/4, 7/4.
  const auto cubic = read({{"past", "resample"}, {"kernel", "cubic"}}, counting(8));
  const auto inner = [](double x) { return (1.25 * x - 2.25) * x * x + 1; };
  const auto outer = [](double x) { return -0.75 * (((x - 5) * x + 8) * x - 4); };
  EXPECT_NEAR(cubic[3], 0 * outer(1.25) + 1 * inner(0.25) + 4 * inner(0.75) + 9 * outer(1.75), 1e-14);
  EXPECT_THAT(refusal([] { read({{"past", "resample"}}, {5}); }), HasSubstr("position 5 is none of 0 to 3"));
}

TEST(learned_policies, strict_refuses_untrained_rows_in_evaluation) {
  EXPECT_EQ(read({{"positions", "6"}}, {5}), (std::vector<double>{25}));
  EXPECT_THAT(refusal([] {
                read({{"positions", "6"}, {"strict", "true"}}, {5});
              }),
              HasSubstr("position 5 is not a row of the table, which has the trained rows 0 to 3"));
}

TEST(learned_policies, training_reads_every_positions_own_row) {
  const auto train = [](OptionValues options, double id) {
    options["positions"] = "6";
    Harness<double> harness("learned", options, policies_shape, {{id}});
    Context context = harness.context();
    context.phase = Phase::train;
    const double read = harness.encoding().embed(constant(zeros<double>(1, 1)), context).value()(0, 0);
    EXPECT_EQ(read, harness.parameter("learned.table")(static_cast<std::size_t>(id), 0));
  };
  for (const char* past : {"error", "clamp", "tile", "resample"}) {
    train({{"past", past}, {"strict", "true"}}, 5);
    EXPECT_THAT(refusal([&] { train({{"past", past}}, 6); }), HasSubstr("position 6 is not a row of the table"));
  }
}

TEST(learned_policies, declare_how_far_they_reach) {
  const auto bound = [](const OptionValues& options) {
    return encoding_info("learned").max_positions(encoding_options("learned", options), policies_shape);
  };
  EXPECT_EQ(bound({}), 4u);
  EXPECT_EQ(bound({{"positions", "6"}}), 6u);
  EXPECT_EQ(bound({{"positions", "6"}, {"strict", "true"}}), 4u);
  for (const char* past : {"clamp", "tile", "resample"}) EXPECT_GT(bound({{"past", past}}), 1000000u);
}

}  // namespace
}  // namespace lengthwise
