#include <gmock/gmock.h>

#include <set>

#include "tests/encodings/schemes/assigned.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

TEST(abacus_ids, runs_end_with_their_sequence_and_significance_is_taken_as_it_is) {
  const Assigned assign{.hints = {{"digit", {3, 2, 1, 0, 5, 4}}}, .phase = Phase::evaluate};
  EXPECT_EQ(ids_of(assign("abacus_ids", {}, {2, 4}), "digit"), (std::vector<double>{1, 2, 1, 0, 1, 2}));
  EXPECT_EQ(ids_of(assign("abacus_ids", {{"ids", "significance"}}, {2, 4}), "digit"),
            (std::vector<double>{3, 2, 1, 0, 5, 4}));
  EXPECT_EQ(ids_of(assign("abacus_ids", {}, {2, 4})), (std::vector<double>{0, 1, 0, 1, 2, 3}));
}

TEST(abacus_ids, training_draws_one_offset_a_batch_or_a_sequence) {
  std::set<double> offsets;
  bool differ = false;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Assigned assign{.hints = {{"digit", {1, 1, 0, 1, 0, 1}}}, .seed = seed};
    const auto shared = ids_of(assign("abacus_ids", {{"max_offset", "4"}}, {3, 3}), "digit");
    const double k = shared[0] - 1;
    EXPECT_EQ(shared, (std::vector<double>{1 + k, 2 + k, 0, 1 + k, 0, 1 + k}));
    offsets.insert(k);
    const auto own = ids_of(assign("abacus_ids", {{"max_offset", "4"}, {"share", "sequence"}}, {3, 3}), "digit");
    differ = differ || own[0] != own[3];
    EXPECT_EQ(own[2], 0);
  }
  EXPECT_EQ(offsets, (std::set<double>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(differ);
  EXPECT_EQ(Assigned::scheme_of("abacus_ids", {{"max_offset", "4"}})->largest_in_training("digit", 2), 6);
}

TEST(abacus_ids, needs_the_tasks_digits) {
  EXPECT_THAT(refusal([] {
                Assigned{.hints = {{"row", {0}}}}("abacus_ids", {}, {1});
              }),
              HasSubstr("ids of channel 'digit' from the task, which hands over: row"));
}

}  // namespace
}  // namespace lengthwise
