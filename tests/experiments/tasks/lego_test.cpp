#include "experiments/axis.h"
#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(Lego, KeepsTheContract) {
  expect_task_contract("lego", {}, {2, 3, 8, 16, 26});
  expect_task_contract("lego", {{"order", "chain"}, {"variables", "40"}, {"hop", "2"}}, {3, 8, 40});
}

TEST(Lego, WithAPadKeepsTheContract) {
  for (const char* order : {"shuffled", "chain"}) {
    const auto task = prompt_task("lego", {{"scratchpad", "icovr"}, {"order", order}});
    for (const std::size_t n : {2, 5, 16}) expect_prompts_and_answers(*task, {Stream::train, {n}, 100});
  }
}

TEST(Lego, AnswersByHand) {
  const auto task = prompt_task("lego");
  EXPECT_EQ(solved(*task, "b = - a ; a = + 1 ; c = - b ; c ?"), "+");
  EXPECT_EQ(solved(*task, "b = - a ; a = + 1 ; c = - b ; b ?"), "-");
  EXPECT_EQ(solved(*task, "z = - 1 ; q = + z ; q ?"), "-");
}

// The pad of "a then b", whichever clause stands first and whatever the names and signs.
TEST(Lego, WritesItsSteps) {
  const auto task = prompt_task("lego", {{"scratchpad", "icor"}, {"hop", "2"}});
  for (std::size_t i = 0; i < 100; ++i) {
    const auto sample = task->sample(2, Rng(i));
    const bool in_order = task->word(sample.prompt[3]) == "1";
    const auto clause = [&](std::size_t place) {
      return std::vector<int>(sample.prompt.begin() + (in_order == (place == 0) ? 0 : 5),
                              sample.prompt.begin() + (in_order == (place == 0) ? 5 : 10));
    };
    const std::string a = task->word(clause(0)[0]), b = task->word(clause(1)[0]), a_sign = task->word(clause(0)[2]),
                      b_sign = task->word(clause(1)[2]), answer = a_sign == b_sign ? "+" : "-";
    EXPECT_EQ(words(*task, sample.target), ">> " + a + " :: " + a_sign + " 1 == " + a_sign + " => " +
                                               words(*task, clause(1)) + " # >> " + b + " :: " + b_sign + " " + a_sign +
                                               " == " + answer + " => # ANSWER " + answer);
  }
}

TEST(Lego, AsksForTheSecondHalf) {
  const auto task = prompt_task("lego", {{"order", "chain"}});
  std::map<int, double> places;
  for (std::size_t i = 0; i < 3000; ++i) {
    const auto sample = task->sample(6, Rng(i));
    for (int place = 0; place < 6; ++place)
      places[place] += sample.prompt[static_cast<std::size_t>(5 * place)] == sample.prompt[30];
  }
  for (int place = 0; place < 3; ++place) EXPECT_EQ(places[place], 0);
  for (int place = 3; place < 6; ++place) EXPECT_NEAR(places[place], 1000, 5 * std::sqrt(3000 * 2. / 9));
}

TEST(Lego, CountsItsInputs) {  // names, signs, the variable asked for, orders
  EXPECT_EQ(task_with("lego", {{"variables", "3"}})->space(2), 3 * 2 * 4 * 1 * 2);
  EXPECT_EQ(task_with("lego", {{"variables", "3"}, {"order", "chain"}})->space(3), 6 * 8 * 2);
  EXPECT_EQ(task_with("lego", {{"variables", "3"}, {"order", "chain"}, {"hop", "1"}})->space(3), 6 * 8);
}

TEST(Lego, ChanceIsACoin) { expect_chance(*task_with("lego"), 10, guess_symbol(2)); }

TEST(Lego, RefusesWhatItHasNot) {
  const auto task = task_with("lego", {{"hop", "5"}});
  expect_input_error([&] { task->check_length(1); }, {"lego", "1", "2 ..", "26"});
  expect_input_error([&] { task->check_length(27); }, {"lego", "27", "lego.variables"});
  expect_input_error([&] { task->check_length(4); }, {"lego.hop is 5", "length 4"});
}

// As an axis of an evaluation: each place of the chain has examples of its own, which ask for its variable.
TEST(Lego, AsksForEveryHopOfAnAxis) {
  const Options options(tasks().at("lego").section, {{"order", "chain"}});
  const TaskAxis axis = make_axis("hop: 1..6", "--evaluate.axis", "lego", options, Layout::causal);
  ASSERT_EQ(axis.tasks.size(), 6u);
  for (std::size_t hop = 1; hop <= 6; ++hop)
    for (std::size_t i = 0; i < 20; ++i) {
      const Task& task = *axis.tasks[hop - 1];
      const Example example = task.example(6, make_draw(0, Stream::evaluation, axis.draw_name(hop - 1), 6, i));
      EXPECT_EQ(example.tokens[1 + 5 * 6], example.tokens[1 + 5 * (hop - 1)]) << words(task, example.tokens);
    }
  expect_input_error([&] { axis.tasks[5]->check_length(5); }, {"lego.hop is 6", "length 5"});
}

}  // namespace
}  // namespace lengthwise
