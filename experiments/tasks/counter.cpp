// Counter languages:  a^m b^m, a^m b^m c^m, a^m b^m c^m d^m, ... for m >= 1.
//
// Source   Bhattamishra et al. 2020 (arXiv:2009.11264), Counter-k; Gers and Schmidhuber 2001.
// n        symbols, a multiple of the number of letters. One word a length: training and evaluation share it where they
//          share a length.
// Options  letters (3).
// Chance   one over the number of different sets in the word of length n.
#include "experiments/tasks/language.h"
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class Counter final : public LanguageTask {
 public:
  Counter(const Options& options, Layout layout)
      : LanguageTask(layout, symbols_and(static_cast<int>(options.integer("letters")), "")) {}

  Sample sample(std::size_t n, Rng) const override {
    const std::size_t m = n / letters();
    Sample sample;
    std::vector<std::uint64_t> sets;
    for (int s = 0; s < symbols(); ++s)
      for (std::size_t i = 1; i <= m; ++i) {
        sample.string.push_back(first_symbol + s);
        const std::uint64_t after = s + 1 < symbols() ? only(s + 1) : end;
        sets.push_back(s == 0 ? only(0) | only(1) : i < m ? only(s) : after);
      }
    sample.labels = at_every_position(std::move(sets));
    return sample;
  }

  // Among the letters read, those after the first must become as many as the first.
  Labels solve(const std::vector<int>& string) const override {
    std::vector<std::uint64_t> sets;
    std::vector<std::size_t> counts(letters());
    for (const int token : string) {
      ++counts[static_cast<std::size_t>(token - first_symbol)];
      std::uint64_t set = counts[1] == 0 ? only(0) | only(1) : end;
      for (std::size_t s = letters(); --s > 0;)
        if (counts[1] > 0 && counts[s] < counts[0]) set = only(static_cast<int>(s));
      sets.push_back(set);
    }
    return at_every_position(std::move(sets));
  }

  void check_length(std::size_t n) const override {
    DenseTask::check_length(n);
    require(n % letters() == 0, name(), ": no word has length ", n, "; with counter.letters = ", symbols(),
            " lengths are multiples of it. List them: train.length_law = list, train.lengths = ", symbols(), "..",
            8 * symbols(), ":", symbols(), ".");
  }
  double chance(std::size_t n) const override { return 1.0 / (symbols() + (n > letters())); }
  std::optional<double> space(std::size_t) const override { return 1; }

 private:
  std::size_t letters() const { return static_cast<std::size_t>(symbols()); }
};

const bool registered = register_task<Counter>({
    .section = {"counter",
                "Which letters can follow in a^m b^m c^m ...",
                {integer("letters", 3).at_least(2).at_most(26).says("different letters, each m times")}},
    .length = "symbols",
    .source = "Bhattamishra et al. 2020 (arXiv:2009.11264)",
    .definition = "1: x is the word of length n; the label of a position is the set of letters that can follow",
});

}  // namespace
}  // namespace lengthwise
