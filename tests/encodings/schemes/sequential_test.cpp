#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

TEST(sequential, counts_from_0_in_every_sequence) {
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  const std::vector<std::size_t> offsets{0, 3, 4, 4, 6};
  Positions positions;
  scheme->assign({Phase::evaluate, offsets, nullptr, {}, 2}, positions);
  const auto ids = positions.channel("sequence");
  EXPECT_EQ(std::vector<double>(ids.begin(), ids.end()), std::vector<double>({0, 1, 2, 0, 0, 1}));
}

TEST(sequential, declares_what_it_does) {
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  EXPECT_TRUE(scheme->whole() && scheme->increasing());
  EXPECT_EQ(scheme->largest(9, 4, Phase::evaluate), 8);
  EXPECT_FALSE(schemes().at("sequential").rescales);
}

}  // namespace
}  // namespace lengthwise
