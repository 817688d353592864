// A task: what a model is asked, what the right answer is, and how the answer is scored.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
  std::vector<int> tokens;                         // the input rows
  std::vector<float> features;                     // Task::features() values a row, projected and added to its token's
  std::map<std::string, std::vector<double>> ids;  // id channels handed to the position scheme, one value a row
  std::vector<std::size_t> first_seen;             // of each row, the first row that attention lets it see; empty: 0
  std::vector<std::size_t> scored;                 // rows whose output is scored, ascending
  std::vector<int> targets;                        // the right token of each scored row, or
  std::vector<std::uint64_t> target_sets;          // its right tokens: bit s says whether token s is one; at most 64
  std::size_t pad = 0;                             // the first `pad` scored rows are a scratch-pad
  std::size_t answer = 0;  // the next `answer` ones count as tokens; pad and rest (EOS) only for loss and exact match
  bool pooled = false;     // the one scored output is that of the mean of all rows, whichever row is named

  friend bool operator==(const Example&, const Example&) = default;
};

/// Which example is wanted: a function of these alone, so that any single one can be made again.
struct Draw {
  Stream stream = Stream::train;
  std::size_t index = 0;    // within the stream (and, outside training, within the length)
  Rng rng;                  // keyed by seed, stream, task, length and index
  std::size_t count = 0;    // evaluation: how many examples a length has
  std::size_t longest = 0;  // evaluation: the longest length of the protocol
  std::size_t last = 0;     // score only the last this many rows of a window (text); 0 scores all
  std::size_t stride = 0;   // windows of a text follow each other by this many rows, at most their length; 0: spread

  /// With a stride: the rows that `count` windows of the longest length score together.
  std::size_t covered() const { return longest + (count - 1) * std::min(stride, longest); }
};

/// The draw of example `index` of length n, its random numbers keyed. An evaluation adds count, longest and last.
Draw make_draw(std::uint64_t seed, Stream stream, const std::string& task, std::size_t n, std::size_t index);

/// How a causal or bidirectional model is asked; see PromptTask.
enum class Layout { causal, encoder, dense };

class Task {
 public:
  virtual ~Task() = default;

  /// Its name in the registry.
  const std::string& name() const { return name_; }
  /// Ids are 0 .. vocabulary()-1, the reserved ones included where the task uses them.
  virtual int vocabulary() const = 0;
  /// Real numbers that a row has besides its token (the pixels of a patch), the same for every row; 0: tokens only.
  virtual std::size_t features() const { return 0; }
  /// Tokens the model reads for length n, at most.
  virtual std::size_t max_tokens(std::size_t n) const = 0;
  /// Throws InputError when the task is not defined for length n; says which lengths are.
  virtual void check_length(std::size_t n) const = 0;
  /// Throws InputError when finite data (a text) cannot give the stream examples of length n; in evaluation `count`
  /// different ones. To be called before any work, for the longest length of training and each length of evaluation.
  virtual void check_supply(Stream, std::size_t /*n*/, std::size_t /*count*/) const {}
  /// How many examples of length n an evaluation has for a draw's protocol: its count, but for windows with a stride.
  virtual std::size_t examples(std::size_t /*n*/, const Draw& draw) const { return draw.count; }
  /// Never truncated. Safe to call from several threads.
  virtual Example example(std::size_t n, const Draw& draw) const = 0;
  /// Probability that a uniform guess over the plausible answers gets one answer token right; of sets, over those that
  /// occur.
  virtual double chance(std::size_t n) const = 0;
  /// How a person reads a token.
  virtual std::string word(int token) const = 0;
  /// An example as lines of text, where a list of its tokens would say little (an image); otherwise empty.
  virtual std::string picture(const Example&) const { return ""; }
  /// Number of distinct inputs of length n (infinity when a double cannot hold it); nothing where it has no meaning.
  virtual std::optional<double> space(std::size_t) const { return {}; }
  /// Examples are windows of one stream, of which Draw::last may score the end alone.
  virtual bool windows() const { return false; }
  /// The tokens that a causal model is given for a prompt as a person writes it: words of word(), with blanks between
  /// them unless the task says otherwise. Throws InputError for an unknown word, or when the task takes no prompts.
  virtual std::vector<int> read_prompt(const std::string& prompt) const;
  /// Whether an example of a causal model ends with an answer that the model can write freely: the scored rows are the
  /// last ones, and EOS is the last target.
  virtual bool ends_with_answer() const { return false; }
  /// One line on the data the examples come from: file and sizes. Empty for a generated task.
  virtual std::string data() const { return ""; }

 protected:
  friend std::unique_ptr<Task> make_task(const std::string&, const Options&, Layout);
  std::string name_;
};

/// Whether the streams share a length of so many inputs among them; see PromptTask.
bool has_shares(std::optional<double> space);
/// The stream whose share an input is in, given by whatever tells it from other inputs.
Stream owner(const std::vector<int>& input);

/// What make(rng) gives at the first attempt whose input(made) belongs to the draw's stream. A share may hold few
/// inputs, or none where the options make most inputs rare: then the last attempt is taken whosever it is, and
/// overlap() shows it.
template <class Make, class Input>
auto pick_share(std::optional<double> space, const Draw& draw, Make make, Input input) {
  auto made = make(draw.rng.at(0));
  if (!has_shares(space)) return made;
  for (std::uint64_t attempt = 1; attempt < 1000 && owner(std::invoke(input, made)) != draw.stream; ++attempt)
    made = make(draw.rng.at(attempt));
  return made;
}

/// A task over an alphabet of its own, whose symbol s is token first_symbol + s.
class SymbolTask : public Task {
 public:
  explicit SymbolTask(Layout layout) : layout_(layout) {}

  virtual int symbols() const = 0;                  // size of the alphabet
  virtual std::string symbol(int index) const = 0;  // its symbol 0 .. symbols()-1 as a person reads it

  int vocabulary() const final { return first_symbol + symbols(); }
  std::string word(int token) const final;  // reserved names, then symbol()
  /// Defined from one symbol on; a task with a larger minimum or a maximum says so.
  void check_length(std::size_t n) const override;
  Layout layout() const { return layout_; }

 private:
  Layout layout_;
};

/// A task given by prompt p and target y. Builds these layouts:
///
///     causal    input  BOS p SEP y      scored: the rows of SEP and y, whose right outputs are y EOS
///     encoder   input  p ANS*slots      scored: the rows of the first |y| ANS, whose right outputs are y
///     dense     input  p                scored: every row; |y| = |p|, a label a row. A task asks for it in place of
///                                       encoder.
///
/// Where a task hides its prompt, rows behind the prompt's last one see that row, each other, and none before.
///
/// An encoder has target_tokens(n) slots, those of the longest answer, so that they do not tell how long this one is.
///
/// The streams share no prompt where a length has few enough inputs for a run to meet the same one twice, 16 <=
/// space(n) <= 2^32: there a hash of the prompt gives each input to one stream, about 2/8 to evaluation, 1/8 to
/// validation and 5/8 to training, and a stream's distribution is the task's own, conditioned on its share. Below 16
/// inputs a share could be empty, so that all streams draw from all inputs; overlap() tells how much they have in
/// common.
class PromptTask : public SymbolTask {
 public:
  struct Sample {
    std::vector<int> prompt, target;
    std::map<std::string, std::vector<double>> ids;  // prompt rows, SEP where it has one, target rows; may be empty
  };

  using SymbolTask::SymbolTask;

  virtual Sample sample(std::size_t n, Rng rng) const = 0;
  /// The right answer, without a scratch-pad, worked out from the statement of the task, independently of sample().
  virtual std::vector<int> solve(const std::vector<int>& prompt) const = 0;

  /// How many first tokens of a target, the task's or a model's own, are a scratch-pad before the answer.
  virtual std::size_t pad_tokens(const std::vector<int>& /*target*/) const { return 0; }

  /// Whether all that the answer's rows are told of the prompt has to pass through the row of its last token.
  virtual bool hides_prompt() const { return false; }

  virtual std::size_t prompt_tokens(std::size_t n) const = 0;  // the longest prompt of length n
  virtual std::size_t target_tokens(std::size_t n) const = 0;  // the longest target of length n

  /// What example() lays out: a sample of the stream's share of the inputs.
  Sample pick(std::size_t n, const Draw& draw) const;

  std::size_t max_tokens(std::size_t n) const final;
  std::vector<int> read_prompt(const std::string& prompt) const final;
  bool ends_with_answer() const final { return layout() == Layout::causal; }
  Example example(std::size_t n, const Draw& draw) const final;
};

/// What is right at some positions of a string: a token each, or a set of tokens each.
struct Labels {
  std::vector<std::size_t> at;  // the positions, ascending
  std::vector<int> tokens;
  std::vector<std::uint64_t> sets;  // bit s: token s; needs a vocabulary of at most 64

  friend bool operator==(const Labels&, const Labels&) = default;
};

/// A task given by a string x and labels of its positions. Builds both layouts:
///
///     causal    input  BOS x     scored: the labelled rows of x, each told what came before it and itself
///     encoder   input  x         scored: the labelled rows of x, each told the whole string
///
/// BOS gives attention a place to rest and tells models without positions where a string begins. All labels count as
/// answer tokens. The streams share strings as those of a PromptTask share prompts.
class DenseTask : public SymbolTask {
 public:
  struct Sample {
    std::vector<int> string;
    Labels labels;
  };

  using SymbolTask::SymbolTask;

  virtual Sample sample(std::size_t n, Rng rng) const = 0;
  /// The right labels worked out from the statement of the task, independently of sample().
  virtual Labels solve(const std::vector<int>& string) const = 0;

  virtual std::size_t string_tokens(std::size_t n) const { return n; }  // the longest string of length n

  /// What example() lays out: a sample of the stream's share of the strings.
  Sample pick(std::size_t n, const Draw& draw) const;

  std::size_t max_tokens(std::size_t n) const final { return string_tokens(n) + (layout() == Layout::causal); }
  Example example(std::size_t n, const Draw& draw) const final;
};

/// Share of one task's evaluation examples 0 .. count-1 of length n that are among another's (or the same one's)
/// training examples 0 .. count-1 of length n.
double overlap(const Task& evaluated, const Task& trained, std::size_t n, std::uint64_t seed, std::size_t count);
inline double overlap(const Task& task, std::size_t n, std::uint64_t seed, std::size_t count) {
  return overlap(task, task, n, seed, count);
}

/// What the registry knows of a task.
struct TaskInfo {
  using Values = std::map<std::string, std::string>;

  Section section;         // the task's name, one sentence, its options
  std::string length;      // what n counts: "symbols to copy"
  std::string source;      // where it is defined
  std::string notes = {};  // for readers of examples, besides the statement: words, order, ties; free to change
  std::string definition;  // version and statement; changes exactly when some example changes
  bool hintable = false;   // a PromptTask that takes index hints; gives it the option `hints` (index_hints.h)
  /// Options younger than the definition, out of its hash while at their defaults, which leave the examples as they
  /// were.
  std::set<std::string> later = {};
  /// The option values as definition_hash() sees them, where they are not what decides the examples (a file's path).
  std::function<Values(const Options&)> identity = [](const Options& options) { return options.values(); };
};

using TaskFactory = std::function<std::unique_ptr<Task>(const Options&, Layout)>;

void register_task(TaskInfo info, TaskFactory make);
const std::map<std::string, TaskInfo>& tasks();
/// Throws InputError with the nearest known name, or when the options make no task.
std::unique_ptr<Task> make_task(const std::string& name, const Options& options, Layout layout);
/// Two results are of the same task exactly when their hashes agree. The same on every machine.
std::uint64_t definition_hash(const TaskInfo& info, const Options& options);
std::uint64_t definition_hash(const std::string& name, const Options& options);

/// `const bool registered = register_task<Copy>({...});` at the end of a task's file.
template <class T>
bool register_task(TaskInfo info) {
  register_task(std::move(info), [](const Options& options, Layout layout) -> std::unique_ptr<Task> {
    return std::make_unique<T>(options, layout);
  });
  return true;
}

}  // namespace lengthwise
