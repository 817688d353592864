// Common words:  b c a b d b c c e -> b c, the words that come often among many that come rarely.
//
// Source   Hsieh et al. 2024, RULER (arXiv:2404.06654), "common words extraction".
// n        words, common * often or more.
// Options  common (10): words that come often; often (30), rarely (3): how often words come; symbols (1024): words
//          there are; they must suffice for the rare ones of the longest test.
// Chance   one in the different words of the prompt.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class CommonWords final : public PromptTask {
 public:
  CommonWords(const Options& options, Layout layout)
      : PromptTask(layout),
        common_(options.count("common")),
        often_(options.count("often")),
        rarely_(options.count("rarely")),
        symbols_(static_cast<int>(options.integer("symbols"))) {
    require(often_ > rarely_, "common_words: often is ", often_, " and rarely is ", rarely_,
            "; common words must come more often than the others.");
  }

  void check_length(std::size_t n) const override {
    require(n >= common_ * often_, "common_words: length ", n, " cannot hold ", common_, " words ", often_,
            " times each; lengths start at ", common_ * often_, ". Lower common_words.common or often.");
    require(words(n) <= static_cast<std::size_t>(symbols_), "common_words: length ", n, " needs ", words(n),
            " different words and common_words.symbols is ", symbols_, "; set it to at least that.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<int> words = distinct_symbols(this->words(n), symbols_, rng);
    Sample sample;
    for (std::size_t i = 0; i < words.size(); ++i)
      sample.prompt.insert(sample.prompt.end(), i < common_ ? often_ : rarely_, words[i]);
    sample.prompt.resize(n);  // the last of the rare words may come even less often
    rng.shuffle(sample.prompt);
    sample.target.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(common_));
    std::ranges::sort(sample.target);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::map<int, std::size_t> counts;
    for (const int word : prompt) ++counts[word];
    std::vector<int> answer;
    for (const auto& [word, count] : counts)
      if (count > rarely_) answer.push_back(word);
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t) const override { return common_; }
  int symbols() const override { return symbols_; }
  std::string symbol(int index) const override { return symbol_name(index, symbols_); }
  double chance(std::size_t n) const override { return 1.0 / static_cast<double>(words(n)); }
  /// At least: which words are common, and which are rare.
  std::optional<double> space(std::size_t n) const override {
    return choose(static_cast<std::size_t>(symbols_), common_) *
           choose(static_cast<std::size_t>(symbols_) - common_, words(n) - common_);
  }

 private:
  std::size_t words(std::size_t n) const { return common_ + (n - common_ * often_ + rarely_ - 1) / rarely_; }

  std::size_t common_, often_, rarely_;
  int symbols_;
};

const bool registered = register_task<CommonWords>({
    .section = {"common_words",
                "Name the words that come often.",
                {integer("common", 10).at_least(1).at_most(1 << 20).says("words that come often"),
                 integer("often", 30).at_least(2).at_most(1 << 20).says("times each common word comes"),
                 integer("rarely", 3).at_least(1).at_most(1 << 20).says("times each other word comes"),
                 symbols_option(1024)}},
    .length = "words",
    .source = "Hsieh et al. 2024 (arXiv:2404.06654)",
    .notes = "ascending is the alphabet's order; a word is one symbol",
    .definition =
        "1: p is common words often times each and others rarely times each (the last fewer where n demands), "
        "shuffled; y is the common words, ascending",
});

}  // namespace
}  // namespace lengthwise
