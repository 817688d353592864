// p-RoPE: which pairs stand still.
#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

const ModelShape variants_shape{.layers = 1, .width = 8, .heads = 1, .causal = true, .train_positions = 16};

TEST(rope_variants, p_rope_stops_the_slowest_pairs_and_leaves_the_others_their_frequencies) {
  const Array<double> x = random_array<double>(5, 8, 1);
  const Array<double> all = Harness<double>("rope", {}, variants_shape, {counting(5)}).rotate(x);
  for (const auto& [p, turning] :
       std::map<std::string, std::size_t>{{"0", 0}, {"0.25", 1}, {"0.5", 2}, {"0.75", 3}, {"0.9", 3}, {"1", 4}}) {
    const Array<double> some = Harness<double>("rope", {{"keep_fraction", p}}, variants_shape, {counting(5)}).rotate(x);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(some(i, c), c % 4 < turning ? all(i, c) : x(i, c)) << p;
  }
}

// Half of the pairs kept (frequencies 1, 0.1) is not half of the channels turned (frequencies 1, 0.01).
TEST(rope_variants, p_rope_is_not_partial_rotation) {
  Array<double> x = zeros<double>(2, 8);
  x(1, 1) = x(1, 5) = 1;  // the second pair of the whole head
  const Array<double> kept =
      Harness<double>("rope", {{"keep_fraction", "0.5"}}, variants_shape, {counting(2)}).rotate(x);
  EXPECT_NEAR(kept(1, 1), std::cos(0.1) - std::sin(0.1), 1e-15);
  x = zeros<double>(2, 8);
  x(1, 1) = x(1, 3) = 1;  // the second pair of its first half
  const Array<double> partial = Harness<double>("rope", {{"fraction", "0.5"}}, variants_shape, {counting(2)}).rotate(x);
  EXPECT_NEAR(partial(1, 1), std::cos(0.01) - std::sin(0.01), 1e-15);
}

}  // namespace
}  // namespace lengthwise
