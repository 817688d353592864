// Which position ids the tokens of a batch get. Schemes decide, encodings read; neither knows the other.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/random.h"

namespace lengthwise {

enum class Phase { train, evaluate };

/// Named channels of ids, one id a token of the batch: "sequence", "row", "column", "digit", "coupled", "segment". Ids
/// are real numbers in double: float holds no angle at position 1,000,000. A token may have no position (a class
/// token).
class Positions {
 public:
  void set(const std::string& channel, std::vector<double> ids) { channels_[channel] = std::move(ids); }
  bool has(const std::string& channel) const { return channels_.count(channel) > 0; }
  /// Throws InputError naming the channels there are.
  std::span<const double> channel(const std::string& channel) const;

  /// Empty when every token has a position.
  std::vector<bool> without_position;
  /// Of each sequence, what stands for a distance of k rows, k = 0 .. n - 1; empty: distances are differences of ids.
  std::vector<std::vector<double>> distance_of_rows;

  bool placed(std::size_t token) const { return without_position.empty() || !without_position[token]; }

  /// Of the first n tokens, in a batch of one sequence.
  Positions first(std::size_t n) const;

 private:
  std::map<std::string, std::vector<double>> channels_;
};

/// What a scheme may read.
struct SchemeInput {
  Phase phase = Phase::train;
  std::span<const std::size_t> offsets;                               // sequences of the ragged batch: B + 1
  const std::map<std::string, std::vector<double>>* hints = nullptr;  // ids the task hands over, one a token
  std::span<const Rng> sequence_rng;                                  // one stream a sequence
  std::size_t train_positions = 0;                                    // L in tokens
  Rng batch_rng{0};       // shared by all sequences of a training step, or of an evaluated length
  std::size_t layer = 0;  // of the model, for a scheme whose layers draw their own ids

  /// The ids the task hands over in a channel, one a token. Throws InputError when it hands over none.
  std::span<const double> hint(const std::string& channel) const;
  std::size_t sequences() const { return offsets.size() - 1; }
  std::size_t length(std::size_t sequence) const { return offsets[sequence + 1] - offsets[sequence]; }
};

class PositionScheme {
 public:
  virtual ~PositionScheme() = default;
  virtual void assign(const SchemeInput&, Positions&) const = 0;
  /// Channels it writes besides what the task hands over.
  virtual std::vector<std::string> channels() const { return {"sequence"}; }
  /// Channels it needs the task to hand over.
  virtual std::vector<std::string> hints() const { return {}; }
  /// Ids grow along every sequence.
  virtual bool increasing() const { return true; }
  /// Ids are whole numbers, in every channel it writes: rows of a table.
  virtual bool whole() const { return true; }
  /// Every layer draws its own ids.
  virtual bool per_layer() const { return false; }
  /// Distances are drawn apart from the ids: Positions::distance_of_rows.
  virtual bool maps_distances() const { return false; }
  /// Tokens of the longest sequence it can number; nothing, when unbounded.
  virtual std::optional<std::size_t> longest(Phase) const { return {}; }
  /// No "sequence" id of a sequence of n tokens is larger. `train_positions`: L.
  virtual double largest(std::size_t n, std::size_t train_positions, Phase phase) const = 0;
  /// No two "sequence" ids of a sequence of n tokens lie farther apart.
  virtual double farthest(std::size_t n, std::size_t train_positions, Phase phase) const {
    return largest(n, train_positions, phase);
  }
  /// Of another channel: the largest id that training may draw for sequences whose largest id in evaluation is this.
  virtual double largest_in_training(const std::string& /*channel*/, double in_evaluation) const {
    return in_evaluation;
  }
};

struct SchemeInfo {
  Section section;
  std::string source;
  bool rescales =
      false;  // squeezes longer sequences into the trained range: refused beside an encoding that does the same
};

using SchemeFactory = std::function<std::unique_ptr<PositionScheme>(const Options&)>;
void register_scheme(SchemeInfo info, SchemeFactory make);
const std::map<std::string, SchemeInfo>& schemes();
std::unique_ptr<PositionScheme> make_scheme(const std::string& name, const Options& options);

/// `const bool registered = register_scheme<Sequential>({...});`
template <class S>
bool register_scheme(SchemeInfo info) {
  register_scheme(std::move(info), [](const Options& options) -> std::unique_ptr<PositionScheme> {
    return std::make_unique<S>(options);
  });
  return true;
}

}  // namespace lengthwise
