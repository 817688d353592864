#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

ModelShape bert_shape(std::size_t width) {
  return {.layers = 1, .width = width, .heads = 1, .causal = false, .train_positions = 5};
}

TEST(bert, without_segments_all_tokens_are_of_the_first) {
  const Array<double> x = random_array<double>(5, 4, 1);
  Harness<double> without("bert", {}, bert_shape(4), {counting(5)}), first("bert", {}, bert_shape(4), {counting(5)}),
      second("bert", {}, bert_shape(4), {counting(5)});
  first.positions().set("segment", std::vector<double>(5, 0.0));
  second.positions().set("segment", {0, 0, 0, 1, 1});
  const Array<double> y = without.embed(x), changed = second.embed(x);
  expect_close(first.embed(x), y, 0);
  expect_close(view(changed).block_rows(0, 3), view(y).block_rows(0, 3), 0);
  EXPECT_GT(std::abs(changed(3, 0) - y(3, 0)), 1e-4);
}

TEST(bert, refuses_what_its_tables_do_not_hold) {
  Harness<double> positions("bert", {{"positions", "5"}}, bert_shape(4), {counting(6)}),
      segments("bert", {}, bert_shape(4), {counting(2)});
  segments.positions().set("segment", {0, 2});
  EXPECT_THAT(refusal([&] { positions.embed(zeros<double>(6, 4)); }), HasSubstr("bert: position 5 is not a row"));
  EXPECT_THAT(refusal([&] { segments.embed(zeros<double>(2, 4)); }), HasSubstr("bert: segment 2 is not a row"));
  EXPECT_THAT(refusal([] {
                Harness<double>("bert", {{"positions", "4"}}, bert_shape(4), {counting(2)});
              }),
              HasSubstr("bert.positions is 4"));
}

}  // namespace
}  // namespace lengthwise
