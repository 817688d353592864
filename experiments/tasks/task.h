// A task: what a model is asked, what the right answer is, and how the answer is scored.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/random.h"

namespace lengthwise {

/// Token ids every symbolic task shares; its own alphabet starts at first_symbol.
enum Reserved : int { PAD = 0, BOS = 1, SEP = 2, EOS = 3, ANS = 4, first_symbol = 5 };

/// Disjoint sources of examples. Validation alone may select a checkpoint.
enum class Stream { train, validation, evaluation };

/// One sequence as the model sees it.
struct Example {
  std::vector<int> tokens;                            // the input rows
  std::map<std::string, std::vector<double>> ids;     // id channels the task hands to the position scheme, one value a row
  std::vector<std::size_t> scored;                    // rows whose output is scored, ascending
  std::vector<int> targets;                           // the right token of each scored row
  std::size_t answer = 0;                             // the first `answer` scored rows count as tokens; the rest (EOS) only for exact match
};

/// Which example is wanted: a function of these alone, so that any single one can be made again.
struct Draw {
  Stream stream = Stream::train;
  std::size_t index = 0;    // within the stream (and, outside training, within the length)
  Rng rng;                  // keyed by seed, stream, task, length and index
  std::size_t count = 0;    // evaluation: how many examples a length has
  std::size_t longest = 0;  // evaluation: the longest length of the protocol
  std::size_t last = 0;     // score only the last this many rows of a window (text); 0 scores all
};

/// How a causal or bidirectional model is asked (tasks.md conventions).
enum class Layout { causal, encoder };

class Task {
 public:
  virtual ~Task() = default;

  /// Ids are 0 .. vocabulary()-1, the reserved ones included where the task uses them.
  virtual int vocabulary() const = 0;
  /// Tokens the model reads for length n, at most.
  virtual std::size_t max_tokens(std::size_t n) const = 0;
  /// Throws InputError when the task is not defined for length n; says which lengths are.
  virtual void check_length(std::size_t n) const = 0;
  virtual Example example(std::size_t n, const Draw& draw) const = 0;
  /// Probability that a uniform guess over the plausible answers gets one answer token right.
  virtual double chance(std::size_t n) const = 0;
  /// How a person reads a token.
  virtual std::string word(int token) const = 0;
  /// Number of distinct inputs of length n where it is small enough to matter; nothing when it is astronomically large.
  virtual std::optional<double> space(std::size_t) const { return {}; }
};

/// A task given by prompt and target. Builds both layouts of tasks.md:
/// causal `BOS p SEP y EOS` (y and EOS scored), encoder `p ANS*|y|` (the slots scored).
class PromptTask : public Task {
 public:
  struct Sample {
    std::vector<int> prompt, target;
    std::map<std::string, std::vector<double>> ids;  // for prompt rows followed by target rows; empty when the task has none
  };

  explicit PromptTask(Layout layout) : layout_(layout) {}

  virtual Sample sample(std::size_t n, Rng rng) const = 0;
  /// The right answer worked out from the statement of the task, independently of sample().
  virtual std::vector<int> solve(const std::vector<int>& prompt) const = 0;

  virtual std::size_t prompt_tokens(std::size_t n) const = 0;  // the longest prompt of length n
  virtual std::size_t target_tokens(std::size_t n) const = 0;  // the longest target of length n

  std::size_t max_tokens(std::size_t n) const final;
  Example example(std::size_t n, const Draw& draw) const final;
  std::string word(int token) const final;  // reserved names, then symbol()
  virtual std::string symbol(int index) const = 0;  // index 0 is the alphabet's first symbol

 private:
  Layout layout_;
};

/// What the registry knows of a task.
struct TaskInfo {
  Section section;       // the task's name, one sentence, its options
  std::string length;    // what n counts: "symbols to copy"
  std::string source;    // where it is defined
};

using TaskFactory = std::function<std::unique_ptr<Task>(const Options&, Layout)>;

void register_task(TaskInfo info, TaskFactory make);
const std::map<std::string, TaskInfo>& tasks();
/// Throws InputError with the nearest known name.
std::unique_ptr<Task> make_task(const std::string& name, const Options& options, Layout layout);

/// `const bool registered = register_task<Copy>({...});` at the end of a task's file.
template <class T>
bool register_task(TaskInfo info) {
  register_task(std::move(info), [](const Options& options, Layout layout) -> std::unique_ptr<Task> {
    return std::make_unique<T>(options, layout);
  });
  return true;
}

}  // namespace lengthwise
