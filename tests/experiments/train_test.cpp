#include "experiments/train.h"

#include <gmock/gmock.h>

#include <cstring>

#include "core/error.h"
#include "core/ops/logistic_loss.h"
#include "core/parallel.h"
#include "experiments/evaluate.h"
#include "experiments/packed.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

TrainSettings settings() {
  TrainSettings s{
      .seed = 4, .task_name = "copy_repeat", .shards = 3, .batch = 7, .lengths = {2, 5, 9}, .micro_tokens = 20};
  s.schedule = {.kind = Schedule::Kind::cosine, .peak = 0.01, .warmup = 2, .total = 10, .final_share = 0.1};
  return s;
}

/// A trainer with all it refers to. Copies strings of up to 9 symbols: up to 20 tokens.
template <class T>
struct Training {
  explicit Training(const TrainSettings& of, double dropout = 0)
      : settings(of),
        task(make_task(of.task_name, Options(tasks().at(of.task_name).section), Layout::causal)),
        scheme(make_scheme("sequential", Options(schemes().at("sequential").section))),
        store(1),
        model(config(*task, dropout), store),
        trainer(settings, *task, *scheme, store, model) {}

  static ModelConfig config(const Task& task, double dropout) {
    ModelConfig config{.shape = {.layers = 2, .width = 16, .heads = 2, .train_positions = 20},
                       .vocabulary = static_cast<std::size_t>(task.vocabulary()),
                       .dropout = dropout,
                       .encodings = {"t5"}};
    config.options["t5"] = Options(encoding_info("t5").section);
    return config;
  }
  std::vector<T> parameters() { return {store.flat().data, store.flat().data + store.flat().cols}; }

  /// The sequences of a step, made again one by one.
  std::vector<Example> examples(std::size_t step) const {
    const Rng rng = Rng(settings.seed).at("lengths").at(step);
    std::vector<Example> all;
    for (std::size_t e = 0; e < settings.batch; ++e) {
      const std::size_t n = settings.lengths[rng.at(e).below(settings.lengths.size())];
      all.push_back(
          task->example(n, make_draw(settings.seed, Stream::train, settings.task_name, n, step * settings.batch + e)));
    }
    return all;
  }

  TrainSettings settings;
  std::unique_ptr<Task> task;
  std::unique_ptr<PositionScheme> scheme;
  ParameterStore<T> store;
  Transformer<T> model;
  Trainer<T> trainer;
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Losses, gradient norms and parameters of some steps, in one row.
template <class T>
std::vector<T> history(Training<T>& run, std::size_t steps) {
  std::vector<T> all;
  for (std::size_t s = 0; s < steps; ++s) {
    const StepRecord record = run.trainer.step();
    all.push_back(static_cast<T>(record.loss)), all.push_back(static_cast<T>(record.gradient_norm));
  }
  const auto parameters = run.parameters();
  all.insert(all.end(), parameters.begin(), parameters.end());
  return all;
}

std::vector<float> history_with(std::size_t thread_count, const TrainSettings& of, double dropout) {
  set_threads(thread_count);
  Training<float> run(of, dropout);
  const auto all = history(run, 4);
  set_threads(1);
  return all;
}

TEST(train, same_bits_at_any_thread_count) {
  for (const std::size_t shards : {1, 3, 20}) {  // 20: more than there are sequences
    TrainSettings of = settings();
    of.shards = shards;
    const auto first = history_with(1, of, 0.1);
    for (const std::size_t thread_count : {1, 2, 2, 3, 3})
      EXPECT_TRUE(same_bits(first, history_with(thread_count, of, 0.1)))
          << shards << " shards, " << thread_count << " threads";
  }
}

TEST(train, the_seed_decides) {
  TrainSettings other = settings();
  other.seed = 5;
  EXPECT_FALSE(same_bits(history_with(1, settings(), 0), history_with(1, other, 0)));
}

TEST(train, shards_and_micro_batches_change_rounding_alone) {
  Training<double> plain(settings(), 0.1);
  const auto expected = history(plain, 4);
  for (const std::size_t shards : {1, 4, 7})
    for (const std::size_t micro_tokens : {1, 1000}) {
      TrainSettings of = settings();
      of.shards = shards;
      of.micro_tokens = micro_tokens;
      Training<double> run(of, 0.1);
      const auto found = history(run, 4);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-8) << shards << " shards of micro-batches of " << micro_tokens;
    }
}

// Two steps, each made again as one batch of all sequences.
TEST(train, a_step_is_one_update_with_the_mean_over_scored_tokens) {
  Training<double> run(settings()), direct(settings());
  AdamW<double> optimizer(direct.store, settings().optimizer);
  for (std::size_t step = 0; step < 2; ++step) {
    const auto examples = direct.examples(step);
    const std::vector<Rng> streams(examples.size());
    const Batch batch = make_batch(examples, streams, *direct.scheme, Phase::train, 20);
    const double scored = static_cast<double>(batch.targets.size());
    std::vector<double> gradient(direct.store.flat().cols);
    const Matrix<double> row{gradient.data(), 1, gradient.size(), gradient.size()};
    ScoredRows rows;
    double expected_loss = 0;
    {
      Tape<double> tape(row);
      const Variable<double> loss =
          cross_entropy(direct.model.logits(batch, Phase::train), batch.targets, 1 / scored, &rows);
      expected_loss = loss.value()(0, 0);
      tape.backward(loss);
    }
    const double rate = learning_rate(settings().schedule, step), norm = optimizer.update(row, 1, rate);

    double right = 0, answers = 0;
    std::size_t tokens = 0, r = 0;
    for (const Example& example : examples) {
      tokens += example.tokens.size();
      for (std::size_t s = 0; s < example.scored.size(); ++s, ++r)
        if (s < example.answer) right += rows[r].correct, ++answers;  // EOS is trained on, but no token of the answer
    }
    EXPECT_EQ(answers, scored - 7);

    const StepRecord record = run.trainer.step();
    EXPECT_NEAR(record.loss, expected_loss, 1e-12);
    EXPECT_NEAR(record.token_accuracy, right / answers, 1e-15);
    EXPECT_EQ(record.tokens, tokens);
    EXPECT_EQ(record.learning_rate, rate);
    EXPECT_NEAR(record.gradient_norm, norm, 1e-12);
    EXPECT_EQ(run.trainer.steps(), step + 1);
  }
  const auto found = run.parameters(), expected = direct.parameters();
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-9) << i;
  EXPECT_EQ(learning_rate(settings().schedule, 0), 0.005);  // half way up in two steps of warmup
}

TEST(train, learns_sets_of_right_tokens) {
  TrainSettings tomita = settings();
  tomita.task_name = "tomita";
  Training<double> run(tomita);
  const auto examples = run.examples(0);
  const Batch batch = make_batch(examples, std::vector<Rng>(examples.size()), *run.scheme, Phase::train, 20);
  double loss = 0;
  for (const ScoredRow& row : score_sets(run.model.logits(batch, Phase::train).value(), batch.target_sets))
    loss += row.loss;
  EXPECT_NEAR(run.trainer.step().loss, loss / static_cast<double>(batch.target_sets.size()), 1e-12);
  for (int step = 1; step < 9; ++step) run.trainer.step();
  EXPECT_LT(run.trainer.step().loss, 0.7 * loss / static_cast<double>(batch.target_sets.size()));
}

// The loss of all rows, and the accuracy of the answers', by one pass a sequence over the model before the step.
void expect_every_token(Training<double>& run, const Task& task) {
  TrainSettings of = run.settings;
  of.every_token = true;
  Trainer<double> trainer(of, task, *run.scheme, run.store, run.model);
  double loss = 0, asked = 0, right = 0, answers = 0;
  const Rng rng = Rng(of.seed).at("lengths").at(0);
  for (std::size_t e = 0; e < of.batch; ++e) {
    const std::size_t n = of.lengths[rng.at(e).below(of.lengths.size())];
    Example example = task.example(n, make_draw(of.seed, Stream::train, of.task_name, n, e));
    std::map<std::size_t, std::size_t> own;  // scored rows, by place among them
    for (std::size_t i = 0; i < example.scored.size(); ++i) own[example.scored[i]] = i;
    const std::vector<int> targets = example.targets;
    const std::size_t answer = example.answer;
    example.scored.clear(), example.targets.clear();
    for (std::size_t row = 0; row < example.tokens.size(); ++row) {
      if (!own.count(row) && row + 1 == example.tokens.size()) continue;
      example.scored.push_back(row);
      example.targets.push_back(own.count(row) ? targets[own[row]] : example.tokens[row + 1]);
    }
    const Batch batch = make_batch({&example, 1}, std::vector<Rng>(1), *run.scheme, Phase::train, 20);
    const ScoredRows rows = score_rows(run.model.logits(batch, Phase::train).value(), batch.targets);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      loss += rows[r].loss, ++asked;
      if (const auto place = own.find(example.scored[r]); place != own.end() && place->second < answer)
        right += rows[r].correct, ++answers;
    }
  }
  ASSERT_GT(answers, 20);
  ASSERT_GT(asked, 1.4 * answers);
  const StepRecord record = trainer.step();
  EXPECT_NEAR(record.loss, loss / asked, 1e-12);
  EXPECT_NEAR(record.token_accuracy, right / answers, 1e-15);
}

TEST(train, asks_for_every_token) {
  Training<double> run(settings());
  for (int step = 0; step < 8; ++step) run.trainer.step();  // some answers are right
  expect_every_token(run, *run.task);
}

TEST(train, asks_for_every_token_of_packed_sequences) {
  TrainSettings of = settings();
  of.batch = 5;
  Training<double> run(of);
  for (int step = 0; step < 8; ++step) run.trainer.step();
  expect_every_token(run, *packed(make_task("copy_repeat", Options(tasks().at("copy_repeat").section), Layout::causal),
                                  of.lengths, 20));
}

TEST(train, sets_by_squared_error) {
  TrainSettings tomita = settings();
  tomita.task_name = "tomita";
  tomita.squared_sets = true;
  Training<double> run(tomita);
  const auto examples = run.examples(0);
  const Batch batch = make_batch(examples, std::vector<Rng>(examples.size()), *run.scheme, Phase::train, 20);
  const Variable<double> error =
      squared_set_error(run.model.logits(batch, Phase::train), batch.target_sets, 1. / batch.target_sets.size());
  const double first = run.trainer.step().loss;
  EXPECT_NEAR(first, error.value()(0, 0), 1e-12);
  EXPECT_LT(first, 0.3);  // about a quarter before training
  for (int step = 1; step < 20; ++step) run.trainer.step();
  EXPECT_LT(run.trainer.step().loss, 0.7 * first);
}

// The greedy answer equals the right one exactly when every arg-max on the way of the right one is right, which one
// teacher-forced pass tells.
TEST(train, writing_freely_gives_the_exact_matches_of_one_pass) {
  set_threads(2);
  TrainSettings of = settings();
  of.batch = 32, of.lengths = {2, 3, 4};
  of.schedule.total = 200;
  Training<float> run(of);
  for (int step = 0; step < 120; ++step) run.trainer.step();
  std::size_t right = 0, wrong = 0, partly = 0;
  for (const std::size_t n : {2, 3, 4}) {
    EvaluationSettings evaluation{.seed = 1, .task_name = of.task_name, .examples = 60};
    const auto forced = evaluate_length(run.model, *run.task, *run.scheme, n, evaluation).examples;
    evaluation.free_running = true;
    const auto free = evaluate_length(run.model, *run.task, *run.scheme, n, evaluation).examples;
    for (std::size_t e = 0; e < forced.size(); ++e) {
      EXPECT_EQ(free[e].exact, forced[e].exact) << "length " << n << ", example " << e;
      ++(forced[e].exact ? right : wrong);
      partly += !forced[e].exact && forced[e].tokens_right > 0;
    }
  }
  EXPECT_GT(right, 10u);
  EXPECT_GT(wrong, 10u);
  EXPECT_GT(partly, 10u);
  set_threads(1);
}

TEST(train, goes_on_from_parameters_moments_and_step_as_if_never_interrupted) {
  TrainSettings of = settings();
  of.law = {.stair_steps = 2, .per_batch = true};
  Training<float> straight(of, 0.1), first(of, 0.1), second(of, 0.1);
  const auto expected = history(straight, 6);
  history(first, 3);
  copy<float>(first.store.flat(), second.store.flat());
  copy<float>(first.trainer.optimizer().first_moment(), second.trainer.optimizer().first_moment());
  copy<float>(first.trainer.optimizer().second_moment(), second.trainer.optimizer().second_moment());
  second.trainer.restore(first.trainer.steps(), first.trainer.reached());
  const auto found = history(second, 3);
  EXPECT_TRUE(same_bits(found, {expected.begin() + 6, expected.end()}));
  EXPECT_EQ(second.trainer.reached(), straight.trainer.reached());
}

// With a gain of 0 the logits are 0 whatever the head holds, so that the loss is finite; the gradient of the last norm,
// the sum over tokens of what the head passes back, overflows.
TEST(train, a_gradient_that_is_not_finite_changes_nothing) {
  Training<float> run(settings());
  history(run, 2);
  fill(run.store.values(*run.store.find("final.norm.gain")), 0.0f);
  fill(run.store.values(*run.store.find("final.norm.bias")), 0.0f);
  fill(run.store.values(*run.store.find("head.weight")).block_rows(EOS, 1), 3e38f);
  const auto before = run.parameters();
  const Matrix<float> moment = run.trainer.optimizer().first_moment();
  const std::vector<float> moments(moment.data, moment.data + moment.cols);
  try {
    run.trainer.step();
    FAIL() << "an update was made";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("final.norm."));
    EXPECT_THAT(error.what(), HasSubstr("update 3"));
    EXPECT_THAT(error.what(), HasSubstr("no update was made"));
  }
  EXPECT_TRUE(same_bits(before, run.parameters()));
  EXPECT_TRUE(same_bits(moments, {moment.data, moment.data + moment.cols}));
  EXPECT_EQ(run.trainer.steps(), 2u);
}

TEST(train, stops_at_the_first_loss_that_is_not_finite) {
  TrainSettings of = settings();
  of.schedule = {.kind = Schedule::Kind::constant, .peak = 1e6};
  for (const std::size_t thread_count : {1, 2}) {
    set_threads(thread_count);
    Training<float> run(of);
    std::string message;
    std::size_t steps = 0;
    for (; message.empty() && steps < 100; ++steps) try {
        EXPECT_TRUE(std::isfinite(run.trainer.step().loss));
      } catch (const RunError& error) {
        message = error.what();
      }
    EXPECT_EQ(run.trainer.steps(), steps - 1);
    EXPECT_THAT(message, testing::AnyOf(HasSubstr(join("the loss of step ", steps, " is ")),
                                        HasSubstr(join("in update ", steps))));
    const auto before = run.parameters();
    EXPECT_THROW(run.trainer.step(), RunError);
    EXPECT_TRUE(same_bits(before, run.parameters()));
  }
  set_threads(1);
}

/// Notes the length of each example that training asks copy_repeat for, by the example's index.
class Noting final : public Task {
 public:
  explicit Noting(std::map<std::size_t, std::size_t>& lengths)
      : lengths_(lengths),
        task_(make_task("copy_repeat", Options(tasks().at("copy_repeat").section), Layout::causal)) {}
  int vocabulary() const override { return task_->vocabulary(); }
  std::size_t max_tokens(std::size_t n) const override { return task_->max_tokens(n); }
  void check_length(std::size_t n) const override { task_->check_length(n); }
  Example example(std::size_t n, const Draw& draw) const override {
    lengths_[draw.index] = n;
    return task_->example(n, draw);
  }
  double chance(std::size_t n) const override { return task_->chance(n); }
  std::string word(int token) const override { return task_->word(token); }

 private:
  std::map<std::size_t, std::size_t>& lengths_;
  std::unique_ptr<Task> task_;
};

/// The lengths of the sequences of so many steps, in their order.
std::vector<std::size_t> lengths_of(const LengthLaw& law, int steps) {
  set_threads(1);
  TrainSettings of = settings();
  of.law = law;
  Training<float> made(of);
  std::map<std::size_t, std::size_t> noted;
  const Noting task(noted);
  Trainer<float> trainer(made.settings, task, *made.scheme, made.store, made.model);
  for (int step = 0; step < steps; ++step) trainer.step();
  std::vector<std::size_t> lengths;
  for (const auto& [index, n] : noted) lengths.push_back(n);
  EXPECT_EQ(lengths.size(), 7u * static_cast<std::size_t>(steps));
  return lengths;
}

// What a run of these settings has always drawn: files of earlier runs rely on it.
TEST(Trainer, draws_the_same_lengths_as_ever) {
  EXPECT_EQ(lengths_of({}, 3),
            (std::vector<std::size_t>{2, 9, 2, 5, 9, 5, 9, 5, 5, 2, 9, 5, 9, 5, 2, 5, 9, 9, 5, 2, 2}));
}

TEST(Trainer, a_step_may_share_its_length) {
  const auto lengths = lengths_of({.per_batch = true}, 20);
  std::set<std::size_t> met;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    EXPECT_EQ(lengths[i], lengths[i / 7 * 7]) << i;
    met.insert(lengths[i]);
  }
  EXPECT_EQ(met, (std::set<std::size_t>{2, 5, 9}));
}

// Stairs of four steps: 2 alone, then 2 and 5, then all three.
TEST(Trainer, lengths_join_step_by_step) {
  const auto lengths = lengths_of({.stair_steps = 4}, 40), newest = lengths_of({.stair_steps = 4, .newest = true}, 16);
  std::map<std::size_t, std::map<std::size_t, int>> counts;  // of stair and length
  for (std::size_t i = 0; i < lengths.size(); ++i) ++counts[std::min<std::size_t>(i / 7 / 4, 2)][lengths[i]];
  EXPECT_EQ(counts[0], (std::map<std::size_t, int>{{2, 28}}));
  EXPECT_EQ(counts[1].size(), 2u);
  EXPECT_NEAR(counts[1][5], 14, 5 * 2.7);
  EXPECT_EQ(counts[2].size(), 3u);
  for (const auto& [n, count] : counts[2]) EXPECT_NEAR(count, 224 / 3., 5 * 7.1) << n;
  for (std::size_t i = 0; i < newest.size(); ++i) EXPECT_EQ(newest[i], i / 7 < 4 ? 2u : i / 7 < 8 ? 5u : 9u) << i;
}

TEST(LengthLaw, falls_or_rises_with_length) {
  const std::vector<std::size_t> listed{2, 5, 9};
  for (const double tau : {0.7, 1.0, 1.4}) {
    const LengthLaw law{.up_to = exponential_shares(listed, tau)};
    double sum = 0;
    for (const std::size_t n : listed) sum += std::pow(tau, n);
    constexpr int draws = 30000;
    std::map<std::size_t, int> counts;
    for (std::uint64_t i = 0; i < draws; ++i) ++counts[law.pick(listed, 0, Rng(1).at(i))];
    for (const std::size_t n : listed) {
      const double p = std::pow(tau, n) / sum;
      EXPECT_NEAR(counts[n], draws * p, 5 * std::sqrt(draws * p * (1 - p))) << n << " at tau " << tau;
    }
  }
  EXPECT_EQ(exponential_shares({1, 100000}, 3).front(), 0);  // nothing overflows
  EXPECT_EQ(exponential_shares({1, 100000}, 0.5).front(), 1);
}

// A listed length is drawn as often as any other: 560 draws of three, 187 each with a standard deviation of 11.
TEST(Trainer, draws_the_lengths_of_the_settings_alike) {
  const TrainSettings made = settings();
  std::map<std::size_t, int> counts;
  for (const std::size_t n : lengths_of({}, 80)) ++counts[n];
  ASSERT_EQ(counts.size(), 3u);
  for (const auto& [n, count] : counts) {
    EXPECT_EQ(std::ranges::count(made.lengths, n), 1) << n;
    EXPECT_NEAR(count, 560 / 3., 5 * 11.2) << n;
  }
}

// Dropout follows the phase and the step: an evaluation in between draws nothing of it and leaves nothing behind.
TEST(Trainer, goes_on_the_same_after_an_evaluation) {
  set_threads(1);
  const auto losses = [](bool evaluated, std::uint64_t seed) {
    TrainSettings of = settings();
    of.seed = seed;
    Training<float> made(of, 0.3);
    std::vector<double> found{made.trainer.step().loss};
    if (evaluated)
      evaluate_length(made.model, *made.task, *made.scheme, 5, {.seed = 1, .task_name = "copy_repeat", .examples = 9});
    found.push_back(made.trainer.step().loss);
    return found;
  };
  EXPECT_EQ(losses(true, 4), losses(false, 4));
  EXPECT_NE(losses(true, 4), losses(true, 5));
}

}  // namespace
}  // namespace lengthwise
