// n-gram look-up:  c a b a d b c | b a d -> b c, what follows the given letters in the string.
//
// Source   Jelassi et al. 2024 (arXiv:2402.01032): prefix key and suffix key.
// n        letters of the string: from gram + answer to symbols^gram, beyond which few n-grams are unique.
// Options  key (suffix): the n-gram is given after the string; or prefix: before it, so that the reader knows what to
//          look for; gram (3): its letters; answer (4): letters to write; symbols (26).
// Chance   1 / symbols.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class NgramLookup final : public PromptTask {
 public:
  NgramLookup(const Options& options, Layout layout)
      : PromptTask(layout),
        prefix_(options.text("key") == "prefix"),
        gram_(options.count("gram")),
        answer_(options.count("answer")),
        symbols_(static_cast<int>(options.integer("symbols"))) {}

  void check_length(std::size_t n) const override {
    const double longest = std::pow(symbols_, gram_);
    require(n >= gram_ + answer_ && static_cast<double>(n) <= longest, "ngram_lookup: length ", n,
            " is none of a string in which ", gram_, " letters are unique and ", answer_, " follow; with ", symbols_,
            " symbols lengths are ", gram_ + answer_, " to ", longest, ". Change the length, gram, answer or symbols.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    for (;;) {
      const std::vector<int> string = independent_symbols(n, symbols_, rng);
      const auto gram = string.begin() + static_cast<std::ptrdiff_t>(rng.below(n - gram_ - answer_ + 1));
      const auto next = gram + static_cast<std::ptrdiff_t>(gram_);
      if (std::search(string.begin(), string.end(), gram, next) != gram) continue;
      if (std::search(gram + 1, string.end(), gram, next) != string.end()) continue;
      Sample sample{.prompt = string, .target = {next, next + static_cast<std::ptrdiff_t>(answer_)}, .ids = {}};
      std::vector<int> key(gram, next);
      key.insert(prefix_ ? key.end() : key.begin(), bar());
      sample.prompt.insert(prefix_ ? sample.prompt.begin() : sample.prompt.end(), key.begin(), key.end());
      return sample;
    }
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const auto sign = std::ranges::find(prompt, bar());
    std::vector<int> before(prompt.begin(), sign), after(sign + 1, prompt.end());
    const std::vector<int>&key = prefix_ ? before : after, &string = prefix_ ? after : before;
    std::size_t place = 0;
    while (!std::equal(key.begin(), key.end(), string.begin() + static_cast<std::ptrdiff_t>(place))) ++place;
    std::vector<int> answer;
    for (std::size_t i = 0; i < answer_; ++i) answer.push_back(string[place + key.size() + i]);
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n + 1 + gram_; }
  std::size_t target_tokens(std::size_t) const override { return answer_; }
  int symbols() const override { return symbols_ + 1; }
  std::string symbol(int index) const override { return index == symbols_ ? "|" : symbol_name(index, symbols_); }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  /// About: each string once, though some have several n-grams to ask for and some have none.
  std::optional<double> space(std::size_t n) const override { return std::pow(symbols_, n); }

 private:
  int bar() const { return first_symbol + symbols_; }

  bool prefix_;
  std::size_t gram_, answer_;
  int symbols_;
};

const bool registered = register_task<NgramLookup>({
    .section =
        {"ngram_lookup",
         "Say which letters follow an n-gram in a string.",
         {choice("key", "suffix", {"suffix", "prefix"}).says("where the n-gram is given: after or before the string"),
          integer("gram", 3).at_least(1).says("letters of the n-gram"),
          integer("answer", 4).at_least(1).says("letters to answer with"),
          integer("symbols", 26).at_least(2).at_most(1 << 20).says("size of the alphabet")}},
    .length = "letters of the string",
    .source = "Jelassi et al. 2024 (arXiv:2402.01032)",
    .notes = "| stands between the string and the n-gram",
    .definition =
        "1: a string of n independent uniform letters and a place of it, uniform, given that the gram letters "
        "there occur once; p is string and gram, the key first if prefix; y is the answer letters after it",
});

}  // namespace
}  // namespace lengthwise
