#include "experiments/train.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "experiments/model/loss.h"

namespace lengthwise {
namespace {

// A shard is one pass forward and backward of some sequences: small enough for its activations to stay near the core,
// large enough for its products to be efficient.
constexpr std::size_t default_micro_tokens = 256;

struct ShardTotals {
  double loss = 0;
  std::uint64_t right = 0, answer_tokens = 0, scored = 0, tokens = 0;
};

// Has every row of the batch scored that has a target of its own or a token after it. Returns which rows count as
// answer.
std::vector<char> ask_every_row(Batch& batch) {
  std::vector<std::size_t> scored, offsets{0};
  std::vector<int> targets;
  std::vector<char> answer;
  std::size_t next = 0;  // of the rows scored so far
  for (std::size_t b = 0; b < batch.sequences(); ++b) {
    for (std::size_t row = batch.offsets[b]; row < batch.offsets[b + 1]; ++row) {
      const bool own = next < batch.scored_offsets[b + 1] && batch.scored[next] == row;
      if (!own && row + 1 == batch.offsets[b + 1]) break;
      scored.push_back(row);
      targets.push_back(own ? batch.targets[next] : static_cast<int>(batch.tokens[row + 1]));
      answer.push_back(own && batch.in_answer(b, next));
      next += own;
    }
    offsets.push_back(scored.size());
  }
  batch.scored = std::move(scored), batch.targets = std::move(targets), batch.scored_offsets = std::move(offsets);
  return answer;
}

}  // namespace

template <class T>
Trainer<T>::Trainer(const TrainSettings& settings, const Task& task, const PositionScheme& scheme,
                    ParameterStore<T>& store, Transformer<T>& model)
    : settings_(settings),
      task_(task),
      scheme_(scheme),
      store_(store),
      model_(model),
      optimizer_(store, settings.optimizer),
      gradients_(store),
      reached_(nothing_reached(store)) {
  if (!settings_.origin.empty()) settings_.seed = Rng(settings_.seed).at(settings_.origin).bits(0);
  if (settings_.micro_tokens == 0) settings_.micro_tokens = default_micro_tokens;
}

template <class T>
std::vector<std::vector<std::size_t>> Trainer<T>::deal(const std::vector<std::size_t>& lengths) const {
  std::vector<std::size_t> tokens, order(lengths.size());
  for (const std::size_t n : lengths) tokens.push_back(task_.max_tokens(n));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t e) { return tokens[e]; });

  // As many shards as take all sequences when each goes into the first that has room,
  std::vector<std::size_t> room;
  for (const std::size_t e : order) {
    const auto fits = std::ranges::find_if(room, [&](std::size_t r) { return tokens[e] <= r; });
    if (fits != room.end())
      *fits -= tokens[e];
    else
      room.push_back(settings_.micro_tokens - std::min(settings_.micro_tokens, tokens[e]));
  }
  // filled evenly.
  std::vector<std::vector<std::size_t>> shards(std::max(room.size(), std::min(settings_.shards, lengths.size())));
  std::vector<std::size_t> sums(shards.size(), 0);
  for (const std::size_t e : order) {
    const auto emptiest = static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
    shards[emptiest].push_back(e);
    sums[emptiest] += tokens[e];
  }
  return shards;
}

template <class T>
StepRecord Trainer<T>::step() {
  const std::size_t step = steps();
  const Rng length_rng = Rng(settings_.seed).at("lengths").at(step);
  std::vector<std::size_t> lengths(settings_.batch);
  for (std::size_t e = 0; e < lengths.size(); ++e)
    lengths[e] = settings_.law.pick(settings_.lengths, step, length_rng.at(settings_.law.per_batch ? 0 : e));
  const auto shards = deal(lengths);

  std::vector<ShardTotals> totals(shards.size());
  const Rng step_rng = Rng(settings_.seed).at("step").at(step);
  std::optional<TransposedWeights<T>> weights(store_);
  gradients_.compute(shards.size(), [&](std::size_t shard, ParameterGradients<T>& gradients) {
    std::vector<Example> examples;
    std::vector<Rng> streams;
    for (const std::size_t e : shards[shard]) {
      examples.push_back(task_.example(lengths[e], make_draw(settings_.seed, Stream::train, settings_.task_name,
                                                             lengths[e], step * settings_.batch + e)));
      streams.push_back(step_rng.at(e));
    }
    Batch batch = make_batch(examples, streams, scheme_, Phase::train, model_.config().shape.original_length(),
                             step_rng.at("positions"));
    std::vector<char> of_answer;
    if (settings_.every_token) of_answer = ask_every_row(batch);
    Tape<T> tape(gradients);
    ScoredRows rows;
    const Variable<T> sum = loss(model_.logits(batch, Phase::train), batch, &rows, settings_.squared_sets);
    ShardTotals& total = totals[shard];
    for (std::size_t b = 0; b < batch.sequences(); ++b)
      for (std::size_t r = batch.scored_offsets[b]; r < batch.scored_offsets[b + 1]; ++r) {
        total.loss += rows[r].loss;
        const bool answer = settings_.every_token ? of_answer[r] : batch.in_answer(b, r);
        total.answer_tokens += answer;
        total.right += answer && rows[r].correct;
      }
    total.scored = rows.size();
    total.tokens = batch.tokens.size();
    if (std::isfinite(total.loss)) tape.backward(sum);
  });
  weights.reset();

  StepRecord record;
  std::uint64_t right = 0, answer_tokens = 0, scored = 0;
  for (const ShardTotals& total : totals) {
    record.loss += total.loss;
    record.tokens += total.tokens;
    right += total.right, answer_tokens += total.answer_tokens, scored += total.scored;
  }
  const double per_token = 1 / static_cast<double>(std::max<std::uint64_t>(scored, 1));
  record.loss *= per_token;
  if (!std::isfinite(record.loss))
    throw RunError(join("the loss of step ", step + 1, " is ", std::isnan(record.loss) ? "not a number" : "infinite",
                        "; no update was made. A smaller train.learning_rate or a longer train.warmup may help."));
  record.token_accuracy = static_cast<double>(right) / static_cast<double>(std::max<std::uint64_t>(answer_tokens, 1));
  record.learning_rate = learning_rate(settings_.schedule, step);
  record.gradient_norm = optimizer_.update(gradients_.total(), per_token, record.learning_rate);
  mark_reached<T>(store_, gradients_.total(), reached_);
  model_.after_update();
  return record;
}

template <class T>
void Trainer<T>::restore(std::uint64_t steps, Coverage reached) {
  optimizer_.restore_steps(steps);
  reached_ = std::move(reached);
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace lengthwise
