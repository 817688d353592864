// What masked language modelling needs positions and segments for, shown by training.
#include <cmath>

#include "experiments/evaluate.h"
#include "experiments/train.h"
#include "tests/experiments/tasks/text_file.h"

namespace lengthwise {
namespace {

/// Trains a small bidirectional model and scores it on 64 fresh examples of length n. Loss in nats a token.
LengthScore trained(const Task& task, const std::string& encoding, std::size_t n, std::size_t steps) {
  ModelConfig config{
      .shape = {.layers = 2, .width = 32, .heads = 4, .causal = false, .train_positions = task.max_tokens(n)},
      .vocabulary = static_cast<std::size_t>(task.vocabulary()),
      .encodings = {encoding}};
  config.options[encoding] = Options(encoding_info(encoding).section);
  ParameterStore<float> store(1);
  Transformer<float> model(config, store);
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  TrainSettings settings{.seed = 1, .task_name = "probe", .shards = 4, .batch = 32, .lengths = {n}};
  settings.schedule = {.kind = Schedule::Kind::cosine, .peak = 0.004, .warmup = 50, .total = steps, .final_share = 0.1};
  Trainer<float> trainer(settings, task, *scheme, store, model);
  while (trainer.steps() < steps) trainer.step();
  const EvaluationSettings evaluation{.seed = 1, .task_name = "probe", .examples = 64, .longest = n};
  return summarize(evaluate_length(model, task, *scheme, n, evaluation, {}).examples, Rng(1));
}

// Sixteen letters round and round, in an order that is not the alphabet's: what stands beside a mask tells it, while a
// bag of all tokens tells no more than which letters are few.
TEST(MaskedLmTraining, NeedsPositions) {
  std::string bytes;
  for (int i = 0; i < 4000; ++i) bytes += static_cast<char>('a' + 5 * i % 16);
  const File file(bytes);
  const auto task =
      make_task("masked_lm", Options(tasks().at("masked_lm").section, {{"path", file.path()}, {"targets", "masked"}}),
                Layout::encoder);
  const LengthScore bag = trained(*task, "none", 32, 2000), placed = trained(*task, "bert", 32, 2000);
  EXPECT_LT(bag.token_accuracy.high, 0.5);
  EXPECT_GT(placed.token_accuracy.low, 0.8);
}

/// Bits, each to be repeated in segment 0 and flipped in segment 1; segments are drawn token by token, so that neither
/// content nor place tells them.
class SegmentProbe final : public Task {
 public:
  int vocabulary() const override { return 2; }
  std::size_t max_tokens(std::size_t n) const override { return n; }
  void check_length(std::size_t) const override {}
  Example example(std::size_t n, const Draw& draw) const override {
    Rng rng = draw.rng;
    Example example{.answer = n};
    for (std::size_t i = 0; i < n; ++i) {
      const int bit = rng.flip(), segment = rng.flip();
      example.tokens.push_back(bit);
      example.ids["segment"].push_back(segment);
      example.scored.push_back(i);
      example.targets.push_back(bit ^ segment);
    }
    return example;
  }
  double chance(std::size_t) const override { return 0.5; }
  std::string word(int token) const override { return std::to_string(token); }
};

TEST(SegmentTraining, NeedsSegmentEmbeddings) {
  const SegmentProbe task;
  EXPECT_GT(trained(task, "bert", 16, 300).token_accuracy.low, 0.99);
  for (const char* other : {"learned", "rope"}) {
    const Estimate accuracy = trained(task, other, 16, 300).token_accuracy;
    EXPECT_LT(accuracy.high, 0.6) << other;
    EXPECT_GT(accuracy.low, 0.4) << other;
  }
}

}  // namespace
}  // namespace lengthwise
