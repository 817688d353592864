// Scores of a trained model at one length, example by example.
#pragma once

#include <span>

#include "experiments/diagnostics.h"
#include "experiments/model/transformer.h"
#include "experiments/run_file.h"

namespace lengthwise {

struct EvaluationSettings {
  std::uint64_t seed = 0;
  std::string task_name;
  Stream stream = Stream::evaluation;
  std::size_t examples = 512;  // a length
  std::size_t longest = 0;     // the longest length of the protocol (text places its windows by it)
  std::size_t last = 0;        // score only the last rows of a window; 0: all
  bool diagnostics = false;    // look at what heads attend to
  std::size_t stride = 0;      // of windows; 0: spread
  bool free_running = false;   // the model reads what it wrote itself instead of the right answer
  bool drop_repeats = false;   // of examples with the same input, the first alone counts

  Draw draw(std::size_t length, std::size_t index) const;
};

/// Which of a length's examples have an input that none before has, ascending.
std::vector<std::size_t> distinct_examples(const Task& task, std::size_t length, const EvaluationSettings& settings);

/// What was scored at some positions of windows.
struct PositionScore {
  std::int64_t tokens = 0;
  double loss = 0;  // nats, summed
};

struct LengthScores {
  std::size_t length = 0;  // n
  std::size_t tokens = 0;  // of the longest example
  std::vector<ExampleScore> examples;
  // Free-running: share of answers without an end where the right one has its own, or before.
  double never_stopped = std::numeric_limits<double>::quiet_NaN();
  double untrained_fraction = 0;  // share of scored tokens whose output depends on entries that training never reached
  LayerSums attention;            // with diagnostics
  // Of windows (Task::windows()): bucket b holds the positions 2^(b-1) .. 2^b - 1 of a window, the first one 0 alone.
  std::vector<PositionScore> by_position;
};

/// What a model wrote itself.
struct Written {
  ExampleScore score;
  bool stopped = false;  // by EOS
};

/// Judges written tokens by the right ones: `pad` of a scratch-pad, `answer` of the answer, EOS if it ends so. Without
/// a pad every token must stand in its place. With one, the model may use the pad as it likes: the answer is the last
/// `answer` tokens of what it wrote.
Written score_written(std::span<const int> tokens, std::span<const int> right, std::size_t pad, std::size_t answer);

/// Teacher-forced: one pass over prompt and answer. Losses and tokens count the answer; an exact match asks for EOS
/// too. Free-running: the model reads the prompt and writes, at most as many tokens as the right answer has, EOS among
/// them; what it wrote is judged by score_written(), and there is no loss. Memory grows with `length`, not with its
/// square. The same bits at any thread count. `disturbed`: the model with other values where training never reached;
/// the first examples go through it, too. Null when there is no such place.
template <class T>
LengthScores evaluate_length(const Transformer<T>& model, const Task& task, const PositionScheme& scheme,
                             std::size_t length, const EvaluationSettings& settings,
                             const Transformer<T>* disturbed = nullptr);

}  // namespace lengthwise
