#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

TEST(NgramLookup, KeepsTheContract) {
  for (const char* key : {"suffix", "prefix"}) expect_task_contract("ngram_lookup", {{"key", key}}, {8, 9, 20, 80});
  expect_task_contract("ngram_lookup", {{"symbols", "4"}, {"gram", "2"}, {"answer", "1"}}, {4, 10, 16});
}

TEST(NgramLookup, AnswersByHand) {
  const Values two{{"answer", "2"}}, prefix{{"answer", "2"}, {"key", "prefix"}};
  EXPECT_EQ(solved(*prompt_task("ngram_lookup", two), "c a b a d b c | b a d"), "b c");
  EXPECT_EQ(solved(*prompt_task("ngram_lookup", prefix), "b a d | c a b a d b c"), "b c");
}

TEST(NgramLookup, AsksForWhatIsThereOnce) {
  const auto task = prompt_task("ngram_lookup", {{"symbols", "4"}});
  for (std::size_t i = 0; i < 500; ++i) {
    const std::string prompt = words(*task, task->sample(40, Rng(i)).prompt);
    const std::string string = prompt.substr(0, prompt.find(" |")), gram = prompt.substr(prompt.find("| ") + 2);
    EXPECT_NE(string.find(gram), std::string::npos);
    EXPECT_EQ(string.find(gram), string.rfind(gram)) << prompt;
  }
}

TEST(NgramLookup, ChanceIsAGuessOfASymbol) {
  for (const std::size_t n : {7, 40}) expect_chance(*task_with("ngram_lookup"), n, guess_symbol(26));
}

TEST(NgramLookup, RefusesLengthsWithoutUniqueGrams) {
  const auto task = task_with("ngram_lookup", {{"symbols", "3"}});
  EXPECT_NO_THROW(task->check_length(27));
  for (const std::size_t n : {6, 28})
    expect_input_error([&] { task->check_length(n); }, {"ngram_lookup", join("length ", n), "7 to 27"});
}

}  // namespace
}  // namespace lengthwise
