// Formal languages: at every position of a word, the symbols that can come next.
#pragma once

#include <functional>
#include <mutex>

#include "experiments/tasks/task.h"

namespace lengthwise {

/// An index, drawn with a probability proportional to its share.
inline std::size_t weighted(Rng& rng, const std::vector<double>& shares) {
  double left = rng.uniform() * std::accumulate(shares.begin(), shares.end(), 0.0);
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < shares.size() && left >= 0; ++i) {
    if (shares[i] == 0) continue;  // not to be drawn, however the sum was rounded
    drawn = i;
    left -= shares[i];
  }
  return drawn;
}

/// The label after x_1 .. x_t is the set of symbols s for which some word of the language, of any length, begins with
/// x_1 .. x_t s, and EOS where x_1 .. x_t is a word. Strings are words of length n.
class LanguageTask : public DenseTask {
 public:
  LanguageTask(Layout layout, std::vector<std::string> alphabet) : DenseTask(layout), alphabet_(std::move(alphabet)) {}

  int symbols() const final { return static_cast<int>(alphabet_.size()); }
  std::string symbol(int index) const final { return alphabet_[static_cast<std::size_t>(index)]; }

 protected:
  static constexpr std::uint64_t end = std::uint64_t{1} << EOS;
  static std::uint64_t only(int symbol) { return std::uint64_t{1} << (first_symbol + symbol); }

  static Labels at_every_position(std::vector<std::uint64_t> sets) {
    Labels labels{.at = std::vector<std::size_t>(sets.size()), .tokens = {}, .sets = std::move(sets)};
    std::iota(labels.at.begin(), labels.at.end(), std::size_t{0});
    return labels;
  }

 private:
  std::vector<std::string> alphabet_;
};

/// A language that a deterministic machine with states 0, 1, 2, ... reads: a finite automaton, or a counter whose state
/// is its value.
class MachineTask : public LanguageTask {
 public:
  using LanguageTask::LanguageTask;

  virtual std::size_t start() const { return 0; }
  /// The state after one more symbol; nothing where no word goes on like that.
  virtual std::optional<std::size_t> next(std::size_t state, int symbol) const = 0;
  virtual bool accepts(std::size_t state) const = 0;
  /// Words of length n pass through states below this one alone.
  virtual std::size_t states(std::size_t n) const = 0;
  /// A word of length n is drawn with a probability proportional to the product of its symbols' weights.
  virtual double weight(int /*symbol*/) const { return 1; }

  Sample sample(std::size_t n, Rng rng) const final;
  std::optional<double> space(std::size_t n) const final { return table(n).words; }
  /// One over the number of different sets in words of length n.
  double chance(std::size_t n) const final;
  /// Throws InputError, with the nearest lengths that have words, when no word has length n.
  void check_length(std::size_t n) const final;

 private:
  struct Table {
    std::vector<std::vector<double>> to_go;  // [r][state]: weight of all ways to end in r symbols, scaled for each r
    double words = 0;                        // of length n
  };
  const Table& table(std::size_t n) const;
  std::uint64_t set_after(std::size_t state) const;

  mutable std::mutex mutex_;
  mutable std::map<std::size_t, Table> tables_;  // made when first asked for
};

/// A regular language by its automaton, and by a sentence on its prefixes that the automaton is checked against.
struct Automaton {
  static constexpr int no = -1;                                 // no word goes on like that
  std::string alphabet;                                         // a symbol a character
  std::vector<std::vector<int>> next;                           // [state][symbol]; starts in state 0
  std::vector<std::size_t> accepting;                           // states
  std::function<std::string(const std::string& prefix)> after;  // the symbols that can follow, $ for the end
};

class AutomatonTask : public MachineTask {
 public:
  AutomatonTask(Layout layout, const Automaton& automaton);

  std::optional<std::size_t> next(std::size_t state, int symbol) const final;
  bool accepts(std::size_t state) const final;
  std::size_t states(std::size_t) const final { return automaton_.next.size(); }
  Labels solve(const std::vector<int>& string) const final;

 private:
  const Automaton& automaton_;
};

}  // namespace lengthwise
