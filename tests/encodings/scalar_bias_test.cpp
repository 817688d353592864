#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

// A harness with b[h, c] = 10 h + c: every entry tells which parameter it read.
std::unique_ptr<Harness<double>> numbered(const OptionValues& options, bool causal, std::vector<double> ids) {
  auto harness = std::make_unique<Harness<double>>(
      "scalar_bias", options, ModelShape{.width = 4, .heads = 2, .causal = causal, .train_positions = 8},
      std::vector<std::vector<double>>{std::move(ids)});
  const Matrix<double> table = harness->parameter("scalar_bias.table");
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t c = 0; c < table.cols; ++c) table(h, c) = 10 * static_cast<double>(h) + static_cast<double>(c);
  return harness;
}

TEST(scalar_bias, reads_the_clipped_distance) {
  const auto harness = numbered({{"max_distance", "2"}}, false, counting(4));
  const Variable<double> bias = harness->bias();
  expect_close(bias.value().block_rows(0, 4), array<double>({{2, 1, 0, 0}, {3, 2, 1, 0}, {4, 3, 2, 1}, {4, 4, 3, 2}}),
               0);
  expect_close(bias.value().block_rows(4, 4),
               array<double>({{12, 11, 10, 10}, {13, 12, 11, 10}, {14, 13, 12, 11}, {14, 14, 13, 12}}), 0);
}

TEST(scalar_bias, a_causal_model_never_reads_the_future) {
  const auto harness = numbered({{"max_distance", "2"}}, true, counting(4));
  expect_close(harness->bias().value().block_rows(0, 4),
               array<double>({{2, 0, 0, 0}, {3, 2, 0, 0}, {4, 3, 2, 0}, {4, 4, 3, 2}}), 0);
}

TEST(scalar_bias, distances_are_those_of_ids) {
  const auto harness = numbered({{"max_distance", "4"}}, true, {3, 4, 7, 100});
  expect_close(harness->bias().value().block_rows(0, 4),
               array<double>({{4, 0, 0, 0}, {5, 4, 0, 0}, {8, 7, 4, 0}, {8, 8, 8, 4}}), 0);
}

TEST(scalar_bias, beyond_the_table) {
  const auto zero = numbered({{"max_distance", "2"}, {"clip_mode", "zero"}}, false, counting(4));
  expect_close(zero->bias().value().block_rows(0, 4),
               array<double>({{2, 1, 0, 0}, {3, 2, 1, 0}, {4, 3, 2, 1}, {0, 4, 3, 2}}), 0);
  const OptionValues strict{{"max_distance", "2"}, {"clip_mode", "error"}};
  EXPECT_EQ(numbered(strict, true, counting(3))->bias().value()(2, 0), 4);
  EXPECT_THAT(refusal([&] { numbered(strict, true, counting(4))->bias(); }), testing::HasSubstr("3 positions apart"));
  const EncodingInfo& info = encoding_info("scalar_bias");
  EXPECT_EQ(info.max_positions(encoding_options("scalar_bias", strict), {}), 3u);
  EXPECT_EQ(info.max_positions(encoding_options("scalar_bias"), {}), unbounded);
}

// The gradient of b[h, r] is the sum along its diagonal; at the ends, over the whole clipped triangle.
TEST(scalar_bias, gradients_are_sums_of_diagonals) {
  const auto harness = numbered({{"max_distance", "2"}}, false, counting(5));
  std::vector<double> gradient(harness->store().flat().cols, 0.0);
  const Array<double> weights = random_array<double>(10, 5, 3);
  {
    Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
    tape.backward(harness->bias(), Array<double>(weights));
  }
  const ParameterInfo& table = *harness->store().find("scalar_bias.table");
  for (std::size_t h = 0; h < 2; ++h) {
    std::vector<double> expected(5, 0.0);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j)
        expected[static_cast<std::size_t>(std::clamp(i - j, -2, 2) + 2)] +=
            weights(h * 5 + static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    for (std::size_t c = 0; c < 5; ++c) EXPECT_NEAR(table.in(gradient.data())(h, c), expected[c], 1e-13);
  }
}

TEST(scalar_bias, a_constant_table_changes_nothing) {
  const std::size_t n = 5;
  Harness<double> harness("scalar_bias", {}, {.width = n}, {counting(n)});
  const Array<double> scores = random_array<double>(n, n, 1), before = harness.weights(scores);
  fill(harness.parameter("scalar_bias.table"), 3.0);
  EXPECT_LT(largest_difference(harness.weights(scores), before), 1e-15);
}

// It contains every bias of distances: with the values of ALiBi, or of T5's buckets, it is ALiBi or T5.
TEST(scalar_bias, contains_alibi_and_t5) {
  const std::size_t n = 9;
  const ModelShape shape{.width = 2, .heads = 2, .causal = false, .train_positions = n};
  for (const char* name : {"alibi", "t5"}) {
    Harness<double> other(name, {}, shape, {counting(n)}),
        mine("scalar_bias", {{"max_distance", "8"}}, shape, {counting(n)});
    if (const ParameterInfo* table = other.store().find("t5.table"))
      copy(view(random_array<double>(2, table->cols, 4)), other.store().values(*table));
    const Array<double> bias = Harness<double>::copied(other.bias().value());
    const Matrix<double> table = mine.parameter("scalar_bias.table");
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t d = 0; d < n; ++d) {
        table(h, 8 + d) = bias(h * n + d, 0);
        table(h, 8 - d) = bias(h * n, d);
      }
    EXPECT_EQ(largest_difference(Harness<double>::copied(mine.bias().value()), bias), 0) << name;
  }
}

TEST(scalar_bias, layers_share_a_table_unless_told) {
  ParameterStore<float> store(1);
  const ModelShape shape{.layers = 2, .width = 4, .heads = 2};
  for (const char* sharing : {"per_model", "per_layer"})
    for (std::size_t layer : {0, 1})
      make_encoding<float>("scalar_bias",
                           {shape, layer, {0, 2}, encoding_options("scalar_bias", {{"sharing", sharing}}), store});
  std::vector<std::string> names;
  for (const ParameterInfo& info : store.list()) names.push_back(info.name);
  EXPECT_THAT(names,
              testing::ElementsAre("scalar_bias.table", "blocks.0.scalar_bias.table", "blocks.1.scalar_bias.table"));
}

}  // namespace
}  // namespace lengthwise
