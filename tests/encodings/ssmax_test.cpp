#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

// (ln 1 + ln 2 + ... + ln 1024) / 1024 = ln(1024!) / 1024 = 5.9354.
TEST(ssmax, starts_near_softmax) {
  Harness<double> harness("ssmax", {}, {.width = 2, .train_positions = 1024}, {counting(2)});
  EXPECT_NEAR(harness.parameter("blocks.0.ssmax.scale")(0, 0), 1024 / std::lgamma(1025.0), 1e-12);
  EXPECT_NEAR(harness.parameter("blocks.0.ssmax.scale")(0, 0), 0.168, 5e-4);
  Harness<double> one("ssmax", {}, {.width = 2, .train_positions = 1}, {counting(2)});
  EXPECT_EQ(one.parameter("blocks.0.ssmax.scale")(0, 0), 1);
  Harness<double> given("ssmax", {{"init", "0.4"}}, {.width = 2, .train_positions = 1024}, {counting(2)});
  EXPECT_EQ(given.parameter("blocks.0.ssmax.scale")(0, 0), 0.4);
}

TEST(ssmax, scope_decides_whether_biases_are_scaled) {
  const auto stage = [](const char* scope) {
    Harness<double> harness("ssmax", {{"scope", scope}}, {.width = 2}, {counting(2)});
    return harness.encoding().terms({}, harness.context()).scores.at(0)->stage();
  };
  EXPECT_EQ(stage("content"), Stage::content_scale);
  EXPECT_EQ(stage("all"), Stage::row_scale);
}

}  // namespace
}  // namespace lengthwise
