#include <gmock/gmock.h>

#include <set>

#include "tests/encodings/schemes/assigned.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

// $ 6 5 3 + 0 4 9 = 2 0 7: the sum reversed, operands plain. Digits of equal significance share an id, + and = come
// first.
const std::vector<double> sum{0, 4, 3, 2, 1, 4, 3, 2, 1, 2, 3, 4};

TEST(coupled_ids, evaluation_starts_at_1) {
  const Positions positions = Assigned{.hints = {{"coupled", sum}}, .phase = Phase::evaluate}("coupled_ids", {}, {12});
  EXPECT_EQ(ids_of(positions, "coupled"), sum);
  EXPECT_EQ(ids_of(positions), counting(12));
}

TEST(coupled_ids, training_starts_anywhere_that_fits) {
  std::set<double> starts;
  bool differ = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<double> two = sum;
    two.insert(two.end(), {0, 0, 1, 2});
    const auto ids =
        ids_of(Assigned{.hints = {{"coupled", two}}, .seed = seed}("coupled_ids", {{"max_position", "6"}}, {12, 4}),
               "coupled");
    const double s = ids[4];
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(ids[i], sum[i] == 0 ? 0 : sum[i] + s - 1);
    EXPECT_EQ(part(ids, 12, 14), (std::vector<double>{0, 0}));
    EXPECT_LE(std::ranges::max(ids), 6);
    starts.insert(s);
    differ = differ || ids[14] != s;
  }
  EXPECT_EQ(starts, (std::set<double>{1, 2, 3}));
  EXPECT_TRUE(differ);
  EXPECT_EQ(Assigned::scheme_of("coupled_ids", {{"max_position", "6"}})->largest_in_training("coupled", 4), 6);
}

TEST(coupled_ids, evaluation_may_start_anywhere_too) {
  std::set<double> starts;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    starts.insert(ids_of(Assigned{.hints = {{"coupled", sum}}, .phase = Phase::evaluate, .seed = seed}(
                             "coupled_ids", {{"max_position", "6"}, {"start", "random"}}, {12}),
                         "coupled")[4]);
  EXPECT_EQ(starts, (std::set<double>{1, 2, 3}));
}

TEST(coupled_ids, any_encoding_can_read_them) {
  const OptionValues options{{"sequence", "coupled"}, {"max_position", "9"}};
  const Positions positions =
      Assigned{.hints = {{"coupled", sum}}, .phase = Phase::evaluate}("coupled_ids", options, {12});
  EXPECT_EQ(ids_of(positions), sum);
  const auto scheme = Assigned::scheme_of("coupled_ids", options);
  EXPECT_FALSE(scheme->increasing());
  EXPECT_EQ(scheme->largest(12, 12, Phase::train), 9);
  EXPECT_TRUE(Assigned::scheme_of("coupled_ids")->increasing());
}

// The axes start independently; where a task has only one, there is no second.
TEST(coupled_ids, a_second_axis_has_a_start_of_its_own) {
  std::set<std::pair<double, double>> starts;
  const std::map<std::string, std::vector<double>> hints{{"coupled", {0, 1, 2}}, {"operand", {0, 1, 1}}};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Positions positions =
        Assigned{.hints = hints, .seed = seed}("coupled_ids", {{"max_position", "4"}, {"max_operand", "2"}}, {3});
    const auto coupled = ids_of(positions, "coupled"), operand = ids_of(positions, "operand");
    EXPECT_EQ(coupled[0], 0);
    EXPECT_EQ(operand[0], 0);
    EXPECT_EQ(operand[2], operand[1]);
    starts.insert({coupled[1], operand[1]});
  }
  EXPECT_EQ(starts.size(), 6u);
  EXPECT_EQ(Assigned::scheme_of("coupled_ids", {{"max_operand", "9"}})->largest_in_training("operand", 4), 9);
  EXPECT_FALSE((Assigned{.hints = {{"coupled", sum}}}("coupled_ids", {}, {12}).has("operand")));
  EXPECT_THAT(refusal([&] {
                Assigned{.hints = {{"coupled", {1}}, {"operand", {70}}}}("coupled_ids", {}, {1});
              }),
              HasSubstr("needs 70 operand positions, and there are 62; enlarge coupled_ids.max_operand"));
}

TEST(coupled_ids, refuses_what_does_not_fit_or_is_not_coupled) {
  const auto message = [](std::map<std::string, std::vector<double>> hints) {
    return refusal([&] { Assigned{.hints = std::move(hints)}("coupled_ids", {{"max_position", "3"}}, {12}); });
  };
  EXPECT_THAT(message({{"coupled", sum}}),
              HasSubstr("needs 4 coupled positions, and there are 3; enlarge coupled_ids.max_position"));
  EXPECT_THAT(message({}), HasSubstr("which hands over: none"));
  EXPECT_EQ(ids_of(Assigned{.hints = {{"coupled", {0, 0}}}}("coupled_ids", {}, {2}), "coupled"),
            (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace lengthwise
