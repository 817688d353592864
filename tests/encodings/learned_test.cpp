#include <gmock/gmock.h>

#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

const ModelShape learned_shape{.width = 4, .train_positions = 8};

TEST(learned, position_0_reads_row_0_of_as_many_rows_as_training_had_tokens) {
  Harness<double> harness("learned", {}, learned_shape, {counting(8)});
  const ParameterInfo& info = harness.store().list().at(0);
  EXPECT_EQ(info.rows, 8u);
  EXPECT_EQ(info.cols, 4u);
  const Array<double> x = random_array<double>(8, 4, 1), y = harness.embed(x);
  const Matrix<double> table = harness.parameter("learned.table");
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(y(i, j), x(i, j) + table(i, j));
}

TEST(learned, initial_rows_have_the_asked_deviation) {
  Harness<double> harness("learned", {{"init_std", "0.5"}, {"positions", "1000"}}, learned_shape, {counting(1)});
  const Matrix<double> table = harness.parameter("learned.table");
  double square = 0;
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.cols; ++j) square += table(i, j) * table(i, j);
  EXPECT_NEAR(std::sqrt(square / 4000), 0.5, 4 * 0.5 / std::sqrt(8000.0));  // four standard errors
}

TEST(learned, beyond_the_table_is_refused) {
  Harness<double> nine("learned", {}, learned_shape, {counting(9)});
  const std::string message = refusal([&] { nine.embed(zeros<double>(9, 4)); });
  EXPECT_THAT(message, HasSubstr("position 8 is not a row of the table"));
  EXPECT_THAT(message, HasSubstr("rows 0 to 7"));
  EXPECT_THAT(message, HasSubstr("larger learned.positions, or evaluate shorter sequences"));
  for (const double id : {-1.0, 0.5, static_cast<double>(NAN)}) {
    Harness<double> harness("learned", {}, learned_shape, {{id}});
    EXPECT_THAT(refusal([&] { harness.embed(zeros<double>(1, 4)); }), HasSubstr("not a row of the table"));
  }
}

TEST(learned, a_larger_table_serves_longer_sequences) {
  Harness<double> harness("learned", {{"positions", "12"}}, learned_shape, {counting(12)});
  harness.embed(zeros<double>(12, 4));
  EXPECT_EQ(harness.parameter("learned.table").rows, 12u);
  EXPECT_EQ(encoding_info("learned").max_positions(encoding_options("learned", {{"positions", "12"}}), learned_shape),
            12u);
  EXPECT_EQ(encoding_info("learned").max_positions(encoding_options("learned"), learned_shape), 8u);
  EXPECT_THAT(refusal([] {
                Harness<double>("learned", {{"positions", "7"}}, learned_shape, {counting(1)});
              }),
              HasSubstr("learned.positions is 7, but training sequences have up to 8 tokens"));
}

// The gradient of a row is the sum over its uses, and 0 for rows no token reads.
TEST(learned, gradients_are_summed_over_uses) {
  Harness<double> harness("learned", {}, learned_shape, {{0, 2}, {2, 5}});
  std::vector<double> gradient(harness.store().flat().cols);
  {
    Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
    const Variable<double> y = harness.encoding().embed(constant(zeros<double>(4, 4)), harness.context());
    Array<double> upstream = uninitialized<double>(4, 4);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) upstream(i, j) = static_cast<double>(i + 1);
    tape.backward(y, upstream);
  }
  const double expected[8] = {1, 0, 2 + 3, 0, 0, 4, 0, 0};
  for (std::size_t r = 0; r < 8; ++r)
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_EQ(harness.store().list()[0].in(gradient.data())(r, j), expected[r]) << "row " << r;
}

}  // namespace
}  // namespace lengthwise
