// Frequent words:  c a c b a c -> c a b, the most frequent words in order, of words drawn by Zipf's law.
//
// Source   Hsieh et al. 2024, RULER (arXiv:2404.06654), "frequent words extraction".
// n        words, from 1 on.
// Options  top (3): words to name, all of them where there are fewer; alpha (2): the word of rank r has probability
//          proportional to r^-alpha; symbols (100): words there are, ranked anew in each example.
// Ties     the word that was first seen comes first.
// Chance   1 / symbols.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class FreqWords final : public PromptTask {
 public:
  FreqWords(const Options& options, Layout layout)
      : PromptTask(layout), top_(options.count("top")), symbols_(static_cast<int>(options.integer("symbols"))) {
    double sum = 0;
    for (int rank = 1; rank <= symbols_; ++rank) cumulative_.push_back(sum += std::pow(rank, -options.real("alpha")));
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> ranked = distinct_symbols(static_cast<std::size_t>(symbols_), symbols_, rng);
    Sample sample;
    std::map<int, std::size_t> counts;
    for (std::size_t i = 0; i < n; ++i) {
      const auto rank = std::ranges::upper_bound(cumulative_, rng.uniform(0, cumulative_.back()));
      const int word = ranked[static_cast<std::size_t>(std::min(rank, cumulative_.end() - 1) - cumulative_.begin())];
      sample.prompt.push_back(word);
      if (counts[word]++ == 0) sample.target.push_back(word);  // first the different words as they are seen
    }
    std::ranges::stable_sort(sample.target, std::greater(), [&](int word) { return counts[word]; });
    sample.target.resize(std::min(top_, sample.target.size()));
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> left = prompt, answer;
    while (answer.size() < top_ && !left.empty()) {
      answer.push_back(*std::ranges::max_element(left, {}, [&](int word) { return std::ranges::count(left, word); }));
      std::erase(left, answer.back());
    }
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t n) const override {
    return std::min({n, top_, static_cast<std::size_t>(symbols_)});
  }
  int symbols() const override { return symbols_; }
  std::string symbol(int index) const override { return symbol_name(index, symbols_); }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  std::optional<double> space(std::size_t n) const override { return std::pow(symbols_, n); }

 private:
  std::size_t top_;
  int symbols_;
  std::vector<double> cumulative_;  // of the probabilities of ranks, up to a factor
};

const bool registered = register_task<FreqWords>({
    .section =
        {"freq_words",
         "Name the most frequent words.",
         {integer("top", 3).at_least(1).at_most(1 << 20).says("words to name"),
          real("alpha", 2).at_least(0).at_most(100).says("how fast the probability of a word falls with its rank"),
          symbols_option(100)}},
    .length = "words",
    .source = "Hsieh et al. 2024 (arXiv:2404.06654)",
    .notes = "a word is one symbol; the most frequent one comes first; where there are fewer different words than top, "
             "all are named",
    .definition = "1: p is n independent words by Zipf's law of exponent alpha, ranks random; y is the top words by "
                  "frequency, ties by first appearance",
});

}  // namespace
}  // namespace lengthwise
