// Positions around a million: nothing is formed in single precision but what is added or multiplied at the end.
#include <cmath>

#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

constexpr double far = 1e6;

// Two tokens a million apart, and some next to each other out there.
std::vector<double> far_ids() { return {0, far, far + 1, far + 2, far + 7}; }

ModelShape far_shape() { return {.width = 16, .heads = 2, .train_positions = 4}; }

// Tables that end are asked for as many rows; ids are relative to the middle for what grows exponentially.
OptionValues options(const std::string& name) {
  const EncodingInfo& info = encoding_info(name);
  for (const OptionSpec& option : info.section.options)
    if (option.name == "positions" && info.max_positions) return {{"positions", "1000016"}};
  if (name == "xpos") return {{"scale_base", "1e5"}};
  return {};
}

std::vector<std::string> one_dimensional() {
  std::vector<std::string> names;
  for (const auto& [name, info] : encodings())
    if (info.channels.empty() || info.channels == std::vector<std::string>{"sequence"}) names.push_back(name);
  return names;
}

template <class T>
Array<double> far_output(const std::string& name) {
  const std::vector<double> ids = far_ids();
  Harness<T> harness(name, options(name), far_shape(), {ids});
  const auto input = [&](std::uint64_t seed) {
    const Array<float> same = random_array<float>(ids.size(), 16, seed);  // what both precisions hold
    return converted<T>(same);
  };
  for (const ParameterInfo& info : harness.store().list())
    if (info.rows < 1000) {
      const Array<T> same = converted<T>(random_array<float>(info.rows, info.cols, 4));
      copy(view(same), harness.parameter(info.name));
    }
  harness.clamp();
  const Variable<T> x = constant(harness.embed(input(1)));
  const Variable<T> y = attend<T>(harness, {x, constant(input(2))}, constant(input(3)), x);
  Array<double> out = uninitialized<double>(y.rows(), y.cols());
  for (std::size_t i = 0; i < y.rows(); ++i) std::copy_n(y.value().row(i), y.cols(), &out(i, 0));
  return out;
}

TEST(far_positions, both_precisions_agree_with_every_encoding) {
  for (const std::string& name : one_dimensional())
    EXPECT_LT(largest_difference(far_output<float>(name), far_output<double>(name)), 1e-5) << name;
}

// Unit vectors show the cosines and sines that queries are turned by; xpos also scales a pair, but not its angle.
TEST(far_positions, angles_of_rotations_are_right_to_1e_6) {
  for (const std::string name : {"rope", "xpos"}) {
    Harness<float> harness(name, {{"layout", "half"}}, {.width = 16}, {{far, far + 1, far + 2, far + 3, far + 4}});
    Array<float> x = zeros<float>(5, 16);
    for (std::size_t i = 0; i < 5; ++i) std::fill_n(&x(i, 0), 8, 1.0f);
    const Array<float> y = harness.rotate(x);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t m = 0; m < 8; ++m) {
        const double angle = (far + static_cast<double>(i)) * std::pow(10000, -static_cast<double>(m) / 8);
        const double length = name == "rope" ? 1 : std::hypot(y(i, m), y(i, m + 8));
        EXPECT_NEAR(y(i, m) / length, std::cos(angle), 1e-6) << name << " " << i << " " << m;
        EXPECT_NEAR(y(i, m + 8) / length, std::sin(angle), 1e-6) << name << " " << i << " " << m;
      }
  }
}

TEST(far_positions, sinusoids_are_right_to_1e_6) {
  Harness<float> absolute("sinusoidal", {}, {.width = 16}, {{far, far + 3}});
  const Array<float> added = absolute.embed(zeros<float>(2, 16));
  for (std::size_t m = 0; m < 8; ++m) {
    const double angle = (far + 3) * std::pow(10000, -static_cast<double>(m) / 8);
    EXPECT_NEAR(added(1, 2 * m), std::sin(angle), 1e-6);
    EXPECT_NEAR(added(1, 2 * m + 1), std::cos(angle), 1e-6);
  }
  // Of distances: with W_R = I and v a unit vector, a query of zeros scores one entry of R.
  for (std::size_t f = 0; f < 8; ++f) {
    Harness<float> relative("transformer_xl", {}, {.width = 8}, {{0, far}});
    const Matrix<float> projection = relative.parameter("blocks.0.transformer_xl.projection");
    fill(projection, 0.0f);
    for (std::size_t c = 0; c < 8; ++c) projection(c, c) = 1;
    fill(relative.parameter("transformer_xl.position_bias"), 0.0f);
    relative.parameter("transformer_xl.position_bias")(0, f) = 1;
    const auto terms = relative.encoding().terms({}, relative.context()).scores;
    const std::vector<std::size_t> rows{1};
    const std::vector<KeyRange> visible{{0, 2}};
    const Array<float> nothing = zeros<float>(2, 8);
    Tile<float> tile{.length = 2, .query_rows = rows, .visible = visible};
    tile.q = view(nothing).block_rows(1, 1), tile.k = view(nothing), tile.v = view(nothing);
    Array<float> score = zeros<float>(1, 2);
    for (const auto& term : terms) {
      Scratch<float> scratch;
      term->forward(tile, view(score), scratch);
    }
    const double angle = far * std::pow(10000, -static_cast<double>(f % 4) / 4);
    EXPECT_NEAR(score(0, 0), f < 4 ? std::sin(angle) : std::cos(angle), 1e-6) << f;
  }
}

}  // namespace
}  // namespace lengthwise
