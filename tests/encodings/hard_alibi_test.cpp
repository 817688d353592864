#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

TEST(hard_alibi, head_h_sees_h_tokens_back) {
  const std::size_t n = 8, heads = 6;
  Harness<double> harness("hard_alibi", {}, {.width = heads * n, .heads = heads}, {counting(n)});
  const Array<double> weights = harness.weights(random_array<double>(n, heads * n, 1));
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const bool seen = j <= i && (h >= 3 || i - j <= h);
        EXPECT_EQ(weights(i, h * n + j) > 0, seen) << h << " " << i << " " << j;
      }
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(weights(i, i), 1);  // head 0 is the identity
}

TEST(hard_alibi, windows_count_rows_whatever_the_ids) {
  const std::size_t n = 6;
  const ModelShape shape{.width = 4 * n, .heads = 4};
  Harness<double> plain("hard_alibi", {}, shape, {counting(n)}),
      spread("hard_alibi", {}, shape, {{0, 7, 8, 30, 90, 91}});
  const Array<double> scores = random_array<double>(n, 4 * n, 1);
  EXPECT_EQ(largest_difference(plain.weights(scores), spread.weights(scores)), 0);
}

TEST(hard_alibi, without_windows_it_is_no_encoding) {
  const std::size_t n = 6;
  const ModelShape shape{.width = 2 * n, .heads = 2};
  Harness<double> mine("hard_alibi", {{"fraction", "0"}}, shape, {counting(n)}), none("none", {}, shape, {counting(n)});
  const Array<double> scores = random_array<double>(n, 2 * n, 1);
  EXPECT_EQ(largest_difference(mine.weights(scores), none.weights(scores)), 0);
}

TEST(hard_alibi, a_window_per_head_when_all_are_windowed) {
  const std::size_t n = 5;
  Harness<double> harness("hard_alibi", {{"fraction", "1"}}, {.width = 3 * n, .heads = 3}, {counting(n)});
  const Array<double> weights = harness.weights(zeros<double>(n, 3 * n));
  for (std::size_t j = 0; j < n; ++j) EXPECT_DOUBLE_EQ(weights(4, 2 * n + j), j < 2 ? 0 : 1.0 / 3);
}

}  // namespace
}  // namespace lengthwise
