#include <set>

#include "tests/encodings/schemes/assigned.h"

namespace lengthwise {
namespace {

TEST(shifted, every_training_sequence_starts_somewhere_in_0_to_max_shift) {
  std::set<double> starts;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto ids = ids_of(Assigned{.seed = seed}("shifted", {{"max_shift", "3"}}, {4, 2}));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(ids[i], ids[0] + static_cast<double>(i));
    EXPECT_EQ(ids[5], ids[4] + 1);
    starts.insert({ids[0], ids[4]});
  }
  EXPECT_EQ(starts, (std::set<double>{0, 1, 2, 3}));
}

TEST(shifted, sequences_draw_their_own_and_evaluation_starts_at_0) {
  const auto ids = ids_of(Assigned{}("shifted", {}, {2, 2, 2}));
  EXPECT_GT((std::set<double>{ids[0], ids[2], ids[4]}.size()), 1u);
  EXPECT_EQ(ids_of(Assigned{}("shifted", {}, {2, 2, 2})), ids);
  EXPECT_EQ(ids_of(Assigned{.phase = Phase::evaluate}("shifted", {}, {3, 2})), (std::vector<double>{0, 1, 2, 0, 1}));
  const auto scheme = Assigned::scheme_of("shifted");
  EXPECT_EQ(scheme->largest(10, 0, Phase::train), 509);
  EXPECT_EQ(scheme->largest(10, 0, Phase::evaluate), 9);
  EXPECT_EQ(scheme->farthest(10, 0, Phase::train), 9);
}

}  // namespace
}  // namespace lengthwise
