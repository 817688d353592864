#include "experiments/evaluate.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <numeric>
#include <optional>
#include <set>

#include "core/fnv1a.h"
#include "core/parallel.h"
#include "experiments/decode.h"
#include "experiments/model/loss.h"

namespace lengthwise {
namespace {

// Examples that go through the model together: some thousand tokens, at least one example.
constexpr std::size_t chunk_tokens = 2048;
// From here on a sequence is worked on by all threads at once; below, threads take chunks. Both give the same bits.
constexpr std::size_t long_sequence = 4096;

template <class T>
double share_of_other_rows(Matrix<const T> a, Matrix<const T> b) {
  std::size_t others = 0;
  for (std::size_t i = 0; i < a.rows; ++i) others += !std::equal(a.row(i), a.row(i) + a.cols, b.row(i));
  return a.rows ? static_cast<double>(others) / static_cast<double>(a.rows) : 0;
}

// Of a row of a window; see LengthScores::by_position.
std::size_t bucket_of(std::size_t position) { return static_cast<std::size_t>(std::bit_width(position)); }

}  // namespace

Draw EvaluationSettings::draw(std::size_t length, std::size_t index) const {
  Draw draw = make_draw(seed, stream, task_name, length, index);
  draw.count = examples;
  draw.longest = longest;
  draw.last = last;
  draw.stride = stride;
  return draw;
}

// What tells inputs from each other without keeping them.
static std::uint64_t hash_of_input(const Example& example) {
  Fnv1a hash;
  for (const int token : example.tokens) hash.add(static_cast<std::uint32_t>(token));
  for (const float feature : example.features) hash.add(std::bit_cast<std::uint32_t>(feature));
  return hash.value();
}

std::vector<std::size_t> distinct_examples(const Task& task, std::size_t length, const EvaluationSettings& settings) {
  std::set<std::uint64_t> seen;
  std::vector<std::size_t> distinct;
  const std::size_t count = task.examples(length, settings.draw(length, 0));
  for (std::size_t e = 0; e < count; ++e)
    if (seen.insert(hash_of_input(task.example(length, settings.draw(length, e)))).second) distinct.push_back(e);
  return distinct;
}

Written score_written(std::span<const int> tokens, std::span<const int> right, std::size_t pad, std::size_t answer) {
  Written written{.score = {.tokens_scored = static_cast<std::int64_t>(answer), .loss = NAN},
                  .stopped = !tokens.empty() && tokens.back() == EOS};
  if (written.stopped) tokens = tokens.first(tokens.size() - 1);
  const std::size_t before = pad == 0 || tokens.size() < answer ? 0 : tokens.size() - answer;
  for (std::size_t i = 0; i < answer && before + i < tokens.size(); ++i)
    written.score.tokens_right += tokens[before + i] == right[pad + i];
  written.score.exact = written.stopped == (right.back() == EOS) && tokens.size() == before + answer &&
                        written.score.tokens_right == written.score.tokens_scored;
  return written;
}

template <class T>
LengthScores evaluate_length(const Transformer<T>& model, const Task& task, const PositionScheme& scheme,
                             std::size_t length, const EvaluationSettings& settings, const Transformer<T>* disturbed) {
  const TransposedWeights<T> weights(model.store());
  std::optional<TransposedWeights<T>> disturbed_weights;  // the same bits where nothing differs
  if (disturbed) disturbed_weights.emplace(disturbed->store());
  std::vector<std::size_t> indices(settings.drop_repeats ? 0 : task.examples(length, settings.draw(length, 0)));
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  if (settings.drop_repeats) indices = distinct_examples(task, length, settings);
  const std::size_t count = indices.size();
  LengthScores result{.length = length, .examples = std::vector<ExampleScore>(count)};
  const std::size_t together =
      std::max<std::size_t>(1, chunk_tokens / std::max<std::size_t>(1, task.max_tokens(length)));
  const std::size_t chunks = (count + together - 1) / together;
  std::vector<std::size_t> tokens(count);  // of each example
  std::vector<std::uint8_t> stopped(count);
  std::vector<LayerSums> attention(chunks);
  const std::size_t buckets = task.windows() ? bucket_of(length - 1) + 1 : 0;
  std::vector<std::vector<PositionScore>> by_position(chunks, std::vector<PositionScore>(buckets));

  const auto batch_of = [&](std::size_t first, std::size_t end) {
    std::vector<Example> examples;
    std::vector<Rng> streams;
    for (std::size_t e = first; e < end; ++e) {
      const Draw draw = settings.draw(length, indices[e]);
      streams.push_back(draw.rng.at("positions"));
      examples.push_back(task.example(length, draw));
    }
    return make_batch(examples, streams, scheme, Phase::evaluate, model.config().shape.original_length(),
                      Rng(settings.seed).at("evaluation positions").at(length));
  };
  const auto score_chunk = [&](std::size_t chunk) {
    const std::size_t first = chunk * together, end = std::min(count, first + together);
    if (settings.free_running)
      for (std::size_t e = first; e < end; ++e) {
        const Batch one = batch_of(e, e + 1);
        tokens[e] = one.tokens.size();
        Decoder<T> decoder(model, one, one.scored[0] + 1);
        const Written written = score_written(write_tokens(decoder, one.scored.size(), true, {}, Rng(0)), one.targets,
                                              one.pad[0], one.answer[0]);
        result.examples[e] = written.score, stopped[e] = written.stopped;
      }
    const bool audited = disturbed && chunk == 0;
    if (settings.free_running && !settings.diagnostics && !audited) return;

    const Batch batch = batch_of(first, end);
    std::deque<HeadObserver<T>> watching;  // a block each, as applied
    std::vector<AttentionObserver<T>*> observers;
    const std::size_t blocks = model.config().shape.layers * model.config().loops;
    for (std::size_t at = 0; settings.diagnostics && at < blocks; ++at)
      observers.push_back(&watching.emplace_back(batch));
    const Variable<T> logits = model.logits(batch, Phase::evaluate, observers);
    for (const auto& block : watching) attention[chunk].push_back(block.heads());
    if (audited)
      result.untrained_fraction =
          share_of_other_rows(logits.value(), disturbed->logits(batch, Phase::evaluate).value());
    if (settings.free_running) return;
    for (std::size_t b = 0; b < batch.sequences(); ++b) tokens[first + b] = batch.offsets[b + 1] - batch.offsets[b];
    const ScoredRows rows = score(logits.value(), batch);
    for (std::size_t b = 0; b < batch.sequences(); ++b) {
      ExampleScore& score = result.examples[first + b];
      score.exact = true;
      for (std::size_t r = batch.scored_offsets[b]; r < batch.scored_offsets[b + 1]; ++r) {
        score.exact = score.exact && rows[r].correct;
        if (!batch.in_answer(b, r)) continue;
        ++score.tokens_scored;
        score.tokens_right += rows[r].correct;
        score.loss += rows[r].loss;
        if (buckets == 0) continue;
        PositionScore& at = by_position[chunk][bucket_of(batch.scored[r] - batch.offsets[b])];
        ++at.tokens;
        at.loss += rows[r].loss;
      }
    }
  };

  if (task.max_tokens(length) >= long_sequence) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) score_chunk(chunk);
  } else {
    parallel_for(chunks, score_chunk);
  }
  if (settings.free_running && count > 0)
    result.never_stopped = static_cast<double>(std::ranges::count(stopped, 0)) / static_cast<double>(count);
  for (const LayerSums& sums : attention) add(sums, result.attention);
  if (!tokens.empty()) result.tokens = std::ranges::max(tokens);
  result.by_position.resize(buckets);
  for (const auto& chunk : by_position)  // in order: the same bits at any thread count
    for (std::size_t b = 0; b < buckets; ++b) {
      result.by_position[b].tokens += chunk[b].tokens;
      result.by_position[b].loss += chunk[b].loss;
    }
  return result;
}

#define LENGTHWISE_INSTANTIATE(T)                                                                               \
  template LengthScores evaluate_length(const Transformer<T>&, const Task&, const PositionScheme&, std::size_t, \
                                        const EvaluationSettings&, const Transformer<T>*);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
