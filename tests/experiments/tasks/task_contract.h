// What every task promises, checked for whichever task and options a test names, and what the tests of tasks share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <thread>

#include "experiments/tasks/task.h"

namespace lengthwise {

using Values = TaskInfo::Values;

inline std::unique_ptr<Task> task_with(const std::string& name, const Values& values = {},
                                       Layout layout = Layout::causal) {
  return make_task(name, Options(tasks().at(name).section, values), layout);
}

/// A task that is known to be one of prompt and target.
std::unique_ptr<PromptTask> prompt_task(const std::string& name, const Values& values = {},
                                        Layout layout = Layout::causal);

/// A task that is known to be one of strings and labels.
std::unique_ptr<DenseTask> dense_task(const std::string& name, const Values& values = {},
                                      Layout layout = Layout::causal);

/// "3 7 + 8" and back, by the words of the task.
std::string words(const Task& task, const std::vector<int>& tokens);
std::vector<int> tokens(const Task& task, const std::string& text);
inline std::string solved(const PromptTask& task, const std::string& prompt) {
  return words(task, task.solve(tokens(task, prompt)));
}
/// The labels of a string, a word a position: "b", or "a|b|EOS" for a set; "." where there is none.
std::string words(const Task& task, const Labels& labels, std::size_t positions);
inline std::string solved(const DenseTask& task, const std::string& string) {
  const std::vector<int> read = tokens(task, string);
  return words(task, task.solve(read), read.size());
}

/// Fails unless `act` throws an InputError whose text has all the parts.
void expect_input_error(const std::function<void()>& act, const std::vector<std::string>& parts);

/// Examples 0 .. count-1 of each length, in the order asked for.
struct Draws {
  Stream stream = Stream::train;
  std::vector<std::size_t> lengths;
  std::size_t count = 0;
  std::uint64_t seed = 1;

  std::size_t size() const { return lengths.size() * count; }
  std::size_t length(std::size_t i) const { return lengths[i / count]; }
  Draw draw(const Task& task, std::size_t i) const {
    Draw draw = make_draw(seed, stream, task.name(), length(i), i % count);
    draw.count = count;
    draw.longest = *std::max_element(lengths.begin(), lengths.end());
    return draw;
  }
  Example example(const Task& task, std::size_t i) const { return task.example(length(i), draw(task, i)); }
  std::vector<Example> examples(const Task& task) const {
    std::vector<Example> all(size());
    for (std::size_t i = 0; i < size(); ++i) all[i] = example(task, i);
    return all;
  }
};

constexpr Stream every_stream[] = {Stream::train, Stream::validation, Stream::evaluation};

void expect_well_formed(const Task& task, const Example& example, std::size_t n);

/// The same examples in any order, from a second object and from four threads.
void expect_same_in_any_order(const std::string& name, const Values& values, const Draws& batch, Layout layout);

/// Streams, seeds and indices draw other examples.
void expect_independent_streams(const Task& task, std::size_t n);

/// Right answers, the layouts and bounds on the sizes, reached up to length `reached`. No prompt in two streams where
/// there are shares.
void expect_prompts_and_answers(const PromptTask& task, const Draws& shape,
                                std::size_t reached = std::numeric_limits<std::size_t>::max());

/// Right labels, both layouts and tight bounds on the sizes. No string in two streams where there are shares.
void expect_strings_and_labels(const DenseTask& task, const Draws& shape);

/// All of it: about 10,000 examples over the lengths, the three streams and the layouts the task has. The longest
/// prompt and target must be seen, up to length `reached` where longer lengths have them too rarely.
void expect_task_contract(const std::string& name, const Values& values, const std::vector<std::size_t>& lengths,
                          const std::vector<Layout>& layouts = {Layout::causal, Layout::encoder},
                          std::size_t reached = std::numeric_limits<std::size_t>::max());

/// A guesser that draws answer tokens at random meets chance(n) within five standard errors.
/// `guess(example, rng)` is uniform over what a solver would find plausible.
template <class Guess>
void expect_chance(const Task& task, std::size_t n, Guess guess) {
  Rng rng(2);
  const Draws batch{Stream::evaluation, {n}, 4000 / n + 200};
  double tokens = 0, right = 0;
  using Guessed = decltype(guess(Example(), rng));
  for (const Example& example : batch.examples(task))
    for (std::size_t i = 0; i < example.answer; ++i, ++tokens)
      right += example.target_sets.empty()
                   ? guess(example, rng) == static_cast<Guessed>(example.targets[example.pad + i])
                   : guess(example, rng) == static_cast<Guessed>(example.target_sets[example.pad + i]);
  const double chance = task.chance(n), error = std::sqrt(chance * (1 - chance) / tokens);
  EXPECT_NEAR(right / tokens, chance, 5 * error) << "length " << n;
}

/// A guess over the first `symbols` symbols of the alphabet.
inline auto guess_symbol(std::uint64_t symbols) {
  return [symbols](const Example&, Rng& rng) { return first_symbol + static_cast<int>(rng.below(symbols)); };
}

}  // namespace lengthwise
