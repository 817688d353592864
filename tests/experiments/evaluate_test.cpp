#include "experiments/evaluate.h"

#include <gmock/gmock.h>

#include <cstring>

#include "core/gradcheck.h"
#include "core/ops/cross_entropy.h"
#include "core/parallel.h"
#include "experiments/statistics.h"

namespace lengthwise {
namespace {

/// Examples as given, by index; `reported` decides how evaluation cuts them into chunks.
class Listed final : public Task {
 public:
  Listed(std::vector<Example> examples, int vocabulary, std::size_t reported)
      : examples_(std::move(examples)), vocabulary_(vocabulary), reported_(reported) {}
  int vocabulary() const override { return vocabulary_; }
  std::size_t max_tokens(std::size_t) const override { return reported_; }
  void check_length(std::size_t) const override {}
  Example example(std::size_t, const Draw& draw) const override { return examples_[draw.index]; }
  double chance(std::size_t) const override { return 0; }
  std::string word(int) const override { return ""; }

 private:
  std::vector<Example> examples_;
  int vocabulary_;
  std::size_t reported_;
};

constexpr std::size_t one_each = 2048, three_each = 600, four_each = 512, all_together = 1;  // tokens an example

struct Model {
  explicit Model(const std::string& encoding, std::size_t vocabulary = 11, std::size_t trained = 12)
      : store(1), transformer(config(encoding, vocabulary, trained), store) {}
  static ModelConfig config(const std::string& encoding, std::size_t vocabulary, std::size_t trained) {
    ModelConfig made{.shape = {.layers = 2, .width = 16, .heads = 2, .train_positions = trained},
                     .vocabulary = vocabulary,
                     .head_bias = true,
                     .encodings = {encoding}};
    made.options[encoding] = Options(encoding_info(encoding).section);
    return made;
  }
  /// Answers `token` to everything, with equal logits for all others.
  void always(std::size_t token, float sureness) {
    fill(store.values(*store.find("head.weight")), 0.0f);
    store.values (*store.find("head.bias"))(0, token) = sureness;
  }
  void stir() {
    for (const auto& info : store.list()) {
      const Array<float> noise = random_array<float>(info.rows, info.cols, 5 + info.offset);
      accumulate(view(noise), store.values(info), 0.4f);
    }
    transformer.after_update();
  }
  ParameterStore<float> store;
  Transformer<float> transformer;
};

LengthScores written(const Model& model, const Task& task, std::size_t examples) {
  const auto made = make_scheme("sequential", Options(schemes().at("sequential").section));
  return evaluate_length(model.transformer, task, *made, 5,
                         {.seed = 2, .task_name = "copy_repeat", .examples = examples, .free_running = true});
}

LengthScores scores(const Model& model, const Task& task, std::size_t examples, std::size_t length = 5,
                    const std::string& scheme = "sequential", const Transformer<float>* disturbed = nullptr) {
  const auto made = make_scheme(scheme, Options(schemes().at(scheme).section));
  return evaluate_length(model.transformer, task, *made, length,
                         {.seed = 2, .task_name = "copy_repeat", .examples = examples}, disturbed);
}

std::unique_ptr<Task> copy_task() {
  return make_task("copy_repeat", Options(tasks().at("copy_repeat").section), Layout::causal);
}

/// `tokens` tokens, the last `answer` of them scored against `target`, and, when asked for, one row more that must be
/// EOS.
Example asked(std::size_t tokens, std::size_t answer, int target, bool ends = false) {
  Example example{.tokens = std::vector<int>(tokens, 6), .answer = answer};
  for (std::size_t i = tokens - answer - ends; i < tokens; ++i)
    example.scored.push_back(i), example.targets.push_back(target);
  if (ends) example.targets.back() = EOS;
  return example;
}

bool same(const LengthScores& a, const LengthScores& b) {
  bool equal = a.examples.size() == b.examples.size() && a.tokens == b.tokens;
  for (std::size_t e = 0; equal && e < a.examples.size(); ++e)
    equal = a.examples[e].loss == b.examples[e].loss && a.examples[e].exact == b.examples[e].exact &&
            a.examples[e].tokens_right == b.examples[e].tokens_right &&
            a.examples[e].tokens_scored == b.examples[e].tokens_scored;
  return equal;
}

// A model that answers 0, the id of padding, against answers of 2 and 8 tokens: nothing right out of 10.
TEST(evaluate, counts_answer_tokens_and_nothing_else) {
  Model model("none");
  model.always(PAD, 5);
  const Listed task({asked(3, 2, 7), asked(9, 8, 7)}, 11, all_together);
  const LengthScores found = scores(model, task, 2);
  ASSERT_EQ(found.examples.size(), 2u);
  EXPECT_EQ(found.tokens, 9u);
  for (const std::size_t e : {0, 1}) {
    EXPECT_EQ(found.examples[e].tokens_scored, e ? 8 : 2);
    EXPECT_EQ(found.examples[e].tokens_right, 0);
    EXPECT_FALSE(found.examples[e].exact);
    EXPECT_NEAR(found.examples[e].loss, (e ? 8 : 2) * std::log(std::exp(5.0) + 10), 1e-5);
  }
}

// A pad of two rows that the model gets wrong before an answer of three that it gets right: the pad counts for the
// exact match alone.
TEST(evaluate, a_scratch_pad_counts_for_the_exact_match_alone) {
  Model model("none");
  model.always(7, 5);
  Example example = asked(8, 5, 7);
  example.targets[0] = example.targets[1] = 6;
  example.pad = 2, example.answer = 3;
  const auto found = scores(model, Listed({example}, 11, all_together), 1).examples[0];
  EXPECT_FALSE(found.exact);
  EXPECT_EQ(found.tokens_scored, 3);
  EXPECT_EQ(found.tokens_right, 3);
  EXPECT_NEAR(found.loss, 3 * std::log(1 + 10 * std::exp(-5.0)), 1e-5);
}

TEST(evaluate, drops_examples_with_the_input_of_an_earlier_one) {
  Model model("none");
  model.stir();
  const Listed task({asked(3, 2, 7), asked(5, 2, 7), asked(3, 2, 7), asked(4, 2, 8), asked(5, 2, 7)}, 11, all_together);
  const auto made = make_scheme("sequential", Options(schemes().at("sequential").section));
  EvaluationSettings settings{.seed = 2, .task_name = "copy_repeat", .examples = 5};
  EXPECT_EQ(distinct_examples(task, 5, settings), (std::vector<std::size_t>{0, 1, 3}));
  const auto all = evaluate_length(model.transformer, task, *made, 5, settings).examples;
  settings.drop_repeats = true;
  const auto distinct = evaluate_length(model.transformer, task, *made, 5, settings).examples;
  ASSERT_EQ(distinct.size(), 3u);
  for (const std::size_t e : {0, 1, 2}) EXPECT_NEAR(distinct[e].loss, all[e == 2 ? 3 : e].loss, 1e-5);
}

TEST(evaluate, counts_what_never_stops) {
  const Listed task({asked(6, 3, 7, true), asked(9, 3, 7, true)}, 11, all_together);
  Model model("none");
  model.always(7, 5);
  const LengthScores endless = written(model, task, 2);
  EXPECT_EQ(endless.never_stopped, 1);
  EXPECT_FALSE(endless.examples[0].exact);
  EXPECT_EQ(endless.examples[0].tokens_right, 3);
  model.always(EOS, 50);
  const LengthScores silent = written(model, task, 2);
  EXPECT_EQ(silent.never_stopped, 0);
  EXPECT_FALSE(silent.examples[0].exact);
  EXPECT_EQ(silent.examples[0].tokens_right, 0);
}

TEST(score_written, without_a_pad_every_token_stands_in_its_place) {
  const std::vector<int> right{7, 8, 9, EOS};
  const auto judged = [&](const std::vector<int>& tokens) { return score_written(tokens, right, 0, 3); };
  EXPECT_TRUE(judged({7, 8, 9, EOS}).score.exact);
  EXPECT_EQ(judged({7, 8, 9, EOS}).score.tokens_scored, 3);
  EXPECT_FALSE(judged({7, 8, 9, 5}).score.exact);
  EXPECT_FALSE(judged({7, 8, 9, 5}).stopped);
  EXPECT_EQ(judged({7, 8, 9, 5}).score.tokens_right, 3);
  EXPECT_EQ(judged({5, 7, 8, 9}).score.tokens_right, 0);
  EXPECT_FALSE(judged({7, 8, EOS}).score.exact);
  EXPECT_EQ(judged({7, 8, EOS}).score.tokens_right, 2);
  EXPECT_EQ(judged({EOS}).score.tokens_right, 0);
}

TEST(score_written, after_a_pad_of_its_own_the_answer_is_what_the_writing_ends_with) {
  const std::vector<int> right{5, 5, 5, 7, 8, EOS};
  const auto judged = [&](const std::vector<int>& tokens) { return score_written(tokens, right, 3, 2); };
  for (const std::vector<int>& tokens : {right, {5, 6, 5, 7, 8, EOS}, {5, 7, 8, EOS}, {7, 8, EOS}}) {
    EXPECT_TRUE(judged(tokens).score.exact);
    EXPECT_EQ(judged(tokens).score.tokens_right, 2);
  }
  EXPECT_FALSE(judged({5, 5, 5, 7, 8, 9}).score.exact);  // no end
  EXPECT_EQ(judged({5, 5, 5, 7, 8, 9}).score.tokens_right, 0);
  EXPECT_FALSE(judged({5, 5, 5, 6, 8, EOS}).score.exact);
  EXPECT_EQ(judged({5, 5, 5, 6, 8, EOS}).score.tokens_right, 1);
  EXPECT_FALSE(judged({8, EOS}).score.exact);
}

// The end of the answer is part of an exact match, but not a token of the answer.
TEST(evaluate, an_exact_match_asks_for_the_end) {
  Model model("none");
  model.always(7, 5);
  const Listed task({asked(6, 3, 7, true), asked(6, 3, 7)}, 11, all_together);
  const auto found = scores(model, task, 2).examples;
  EXPECT_FALSE(found[0].exact);
  EXPECT_TRUE(found[1].exact);
  for (const ExampleScore& e : found) {
    EXPECT_EQ(e.tokens_scored, 3);
    EXPECT_EQ(e.tokens_right, 3);
  }
}

// A row is right when all its decisions are: 7 and nothing else.
TEST(evaluate, a_set_is_right_as_a_whole) {
  Model model("none");
  model.always(7, 3);
  for (std::size_t token = 0; token < 11; ++token)
    if (token != 7) model.store.values (*model.store.find("head.bias"))(0, token) = -3;
  Example right{.tokens = {6, 6, 6}, .scored = {1, 2}, .target_sets = {1 << 7, 1 << 7}, .answer = 2}, wrong = right;
  wrong.target_sets[1] = 1 << 7 | 1 << 8;
  const auto found = scores(model, Listed({right, wrong}, 11, all_together), 2).examples;
  const double loss = 11 * std::log1p(std::exp(-3.0));
  EXPECT_TRUE(found[0].exact);
  EXPECT_EQ(found[0].tokens_right, 2);
  EXPECT_NEAR(found[0].loss, 2 * loss, 1e-5);
  EXPECT_FALSE(found[1].exact);
  EXPECT_EQ(found[1].tokens_right, 1);
  EXPECT_EQ(found[1].tokens_scored, 2);
  EXPECT_NEAR(found[1].loss, 2 * loss + 3, 1e-5);
}

// 8 of 10 right, however the ten are cut: batches of 4, 4 and 2 would have a mean of batch means of 0.667.
TEST(evaluate, an_incomplete_last_batch_weighs_what_it_holds) {
  Model model("none");
  model.always(7, 5);
  std::vector<Example> examples(8, asked(4, 1, 7));
  examples.resize(10, asked(4, 1, 8));
  for (const std::size_t reported : {one_each, three_each, four_each, all_together}) {
    const auto found = scores(model, Listed(examples, 11, reported), 10).examples;
    ASSERT_EQ(found.size(), 10u);
    std::size_t exact = 0;
    for (const ExampleScore& e : found) exact += e.exact;
    EXPECT_EQ(wilson(exact, found.size()).value, 0.8);
  }
}

// The tasks here hand no other ids over.
bool reads_order_alone(const EncodingInfo& info) {
  return std::ranges::all_of(info.channels, [](const std::string& channel) { return channel == "sequence"; });
}

TEST(evaluate, scores_do_not_depend_on_what_is_evaluated_together) {
  const auto task = copy_task();
  std::vector<Example> examples;
  for (std::size_t e = 0; e < 10; ++e)
    examples.push_back(task->example(2 + e, make_draw(2, Stream::evaluation, "copy_repeat", 2 + e, e)));
  for (const auto& [name, info] : encodings()) {
    if (!reads_order_alone(info)) continue;
    Model model(name, 11, 24);
    model.stir();
    const auto alone = scores(model, Listed(examples, 11, one_each), 10);
    for (const std::size_t reported : {three_each, four_each, all_together}) {
      const auto together = scores(model, Listed(examples, 11, reported), 10);
      for (std::size_t e = 0; e < 10; ++e) {
        EXPECT_NEAR(together.examples[e].loss, alone.examples[e].loss, 1e-6 * alone.examples[e].loss) << name;
        EXPECT_EQ(together.examples[e].tokens_right, alone.examples[e].tokens_right) << name;
        EXPECT_EQ(together.examples[e].exact, alone.examples[e].exact) << name;
      }
    }
  }
}

TEST(evaluate, agrees_with_the_model_called_directly) {
  const auto task = copy_task();
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  Model model("rope");
  model.stir();
  const auto found = scores(model, *task, 5, 4).examples;
  for (std::size_t e = 0; e < 5; ++e) {
    const std::vector<Example> example{task->example(4, make_draw(2, Stream::evaluation, "copy_repeat", 4, e))};
    const Batch batch = make_batch(example, std::vector<Rng>(1), *scheme, Phase::evaluate, 12);
    const auto rows = score_rows(model.transformer.logits(batch, Phase::evaluate).value(), batch.targets);
    double loss = 0;
    std::int64_t right = 0;
    for (std::size_t r = 0; r < 4; ++r) loss += rows[r].loss, right += rows[r].correct;
    EXPECT_NEAR(found[e].loss, loss, 1e-5);
    EXPECT_EQ(found[e].tokens_right, right);
    EXPECT_EQ(found[e].tokens_scored, 4);
  }
}

// Lengths are evaluated one after another in one process; none leaves anything behind.
TEST(evaluate, leaves_no_state_between_lengths) {
  const auto task = copy_task();
  for (const auto& [name, info] : encodings())
    for (const char* scheme : {"sequential", "interpolated"}) {
      if (info.past_length == PastLength::error || !reads_order_alone(info)) continue;
      if (info.needs_whole_ids && scheme != std::string("sequential")) continue;
      Model model(name);
      model.stir();
      const auto at = [&](std::size_t n) { return scores(model, *task, 6, n, scheme); };
      const LengthScores short_first = at(5), long_after = at(60), short_again = at(5);
      EXPECT_TRUE(same(short_first, short_again)) << name << ", " << scheme;
      EXPECT_TRUE(same(long_after, at(60))) << name << ", " << scheme;
      Model fresh(name);
      fresh.stir();
      EXPECT_TRUE(same(long_after, scores(fresh, *task, 6, 60, scheme))) << name << ", " << scheme;
    }
}

// From 4096 tokens on, threads share the work inside a sequence; below, they take sequences. The reported number
// decides.
TEST(evaluate, long_sequences_give_the_same_bits_either_way_at_any_thread_count) {
  const auto task = copy_task();
  std::vector<Example> examples;
  for (std::size_t e = 0; e < 3; ++e)
    examples.push_back(task->example(600, make_draw(2, Stream::evaluation, "copy_repeat", 600, e)));  // 1202 tokens
  Model model("t5");
  model.stir();
  const LengthScores expected = scores(model, Listed(examples, 11, 4095), 3);
  for (const std::size_t thread_count : {1, 2, 3}) {
    set_threads(thread_count);
    for (const std::size_t reported : {4095, 4096})
      EXPECT_TRUE(same(expected, scores(model, Listed(examples, 11, reported), 3)))
          << thread_count << " threads, " << reported;
  }
  set_threads(1);
}

// 5 bytes without a start token have 4 predicted ones, each of loss ln 256 to a model that knows nothing.
TEST(evaluate, a_uniform_model_has_the_loss_of_its_alphabet) {
  Model model("none", 256);
  model.always(0, 0);
  Example text{.tokens = {'b', 'y', 't', 'e'}, .scored = {0, 1, 2, 3}, .targets = {'y', 't', 'e', 's'}, .answer = 4};
  const auto found = scores(model, Listed({text}, 256, all_together), 1).examples;
  EXPECT_EQ(found[0].tokens_scored, 4);
  EXPECT_EQ(found[0].tokens_right, 0);  // a tie is not a right answer
  EXPECT_NEAR(found[0].loss / 4, 5.545177, 1e-6);
}

TEST(evaluate, the_untrained_share_is_that_of_outputs_which_differ) {
  Model model("learned"), other("learned");
  model.stir(), other.stir();
  other.store.values (*other.store.find("learned.table"))(3, 0) += 1;
  const Listed task({asked(2, 2, 7), asked(6, 5, 7)}, 11, all_together);
  EXPECT_EQ(scores(model, task, 1, 5, "sequential", &other.transformer).untrained_fraction, 0);
  // Of the 2 and 5 scored tokens, those from position 3 on: 3, 4 and 5.
  EXPECT_EQ(scores(model, task, 2, 5, "sequential", &other.transformer).untrained_fraction, 3.0 / 7);
  EXPECT_EQ(scores(model, task, 2).untrained_fraction, 0);
}

}  // namespace
}  // namespace lengthwise
