#include <gmock/gmock.h>

#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

TEST(deberta, rows_by_hand) {
  const OptionValues clip{{"clip", "3"}};
  EXPECT_EQ(Harness<double>("deberta", clip, {.width = 2}, {counting(2)}).parameter("deberta.table").rows, 6u);
  for (const auto& [displacement, row] : std::map<double, double>{{0, 3}, {1, 4}, {4, 5}, {-2, 1}, {-95, 0}})
    EXPECT_EQ(deberta_row(clip, displacement), row) << displacement;
}

TEST(deberta, without_vectors_it_is_content_at_a_third_of_the_variance) {
  const std::size_t n = 5;
  Harness<double> deberta("deberta", {}, {.width = 4, .heads = 2}, {counting(n)});
  Harness<double> none("none", {}, {.width = 4, .heads = 2}, {counting(n)});
  fill(deberta.parameter("deberta.table"), 0.0);
  const Array<double> q = random_array<double>(n, 4, 1), k = random_array<double>(n, 4, 2),
                      v = random_array<double>(n, 4, 3);
  Array<double> smaller = q;
  rescale(view(smaller), 1 / std::sqrt(3.0));
  EXPECT_LT(largest_difference(attended(deberta, q, k, v, v).out, attended(none, smaller, k, v, v).out), 1e-14);
}

TEST(deberta, scale_counts_terms) {
  for (const auto& [options, terms] : std::vector<std::pair<OptionValues, double>>{
           {{}, 3}, {{{"content_to_position", "false"}}, 2}, {{{"position_to_content", "false"}}, 2}})
    EXPECT_NEAR(Harness<double>("deberta", options, {.width = 4}, {counting(2)}).encoding().scale(4),
                1 / std::sqrt(4 * terms), 1e-15);
}

TEST(deberta, settings_that_make_no_sense_are_refused) {
  const auto refused = [](const OptionValues& options) {
    return refusal([&] { encoding_info("deberta").check(encoding_options("deberta", options), {.width = 4}); });
  };
  EXPECT_THAT(refused({{"content_to_position", "false"}, {"position_to_content", "false"}}), HasSubstr("both false"));
  EXPECT_THAT(refused({{"buckets", "32"}, {"clip", "17"}}), HasSubstr("deberta.buckets is 32 and deberta.clip 17"));
  EXPECT_THAT(refused({{"buckets", "3"}}), HasSubstr("at least 4"));
}

}  // namespace
}  // namespace lengthwise
