// Copy with a repeated passage:  a b c d a b -> a b c d a b, where a copier that goes by the last letters loses its
// place.
//
// Source   Jelassi et al. 2024 (arXiv:2402.01032), strings with duplicate n-grams.
// n        letters to copy, from 2 * gram on.
// Options  gram (4): letters of the passage that comes twice; symbols (26).
// Chance   1 / symbols.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class DupNgram final : public StringTask {
 public:
  DupNgram(const Options& options, Layout layout) : StringTask(options, layout), gram_(options.count("gram")) {}

  void check_length(std::size_t n) const override {
    require(n >= 2 * gram_, "dup_ngram: length ", n, " cannot hold a passage twice; dup_ngram.gram is ", gram_,
            ", so lengths start at ", 2 * gram_, ".");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> string = independent_symbols(n, symbols(), rng);
    std::vector<std::size_t> places = rng.distinct(n - 2 * gram_ + 2, 2);
    std::ranges::sort(places);
    const auto first = string.begin() + static_cast<std::ptrdiff_t>(places[0]);
    std::copy_n(first, gram_, string.begin() + static_cast<std::ptrdiff_t>(places[1] + gram_ - 1));
    return {.prompt = string, .target = string, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override { return prompt; }

  /// At least: the letters outside of the second passage are free.
  std::optional<double> space(std::size_t n) const override { return std::pow(symbols(), n - gram_); }

 private:
  std::size_t gram_;
};

const bool registered = register_task<DupNgram>({
    .section = {"dup_ngram",
                "Copy a string in which a passage comes twice.",
                {integer("gram", 4).at_least(1).says("letters of the passage"), symbols_option(26)}},
    .length = "letters to copy",
    .source = "Jelassi et al. 2024 (arXiv:2402.01032)",
    .definition =
        "1: p is n independent uniform letters, of which gram are written again at a later place, both places "
        "uniform without overlap; y = p",
    .hintable = true,
});

}  // namespace
}  // namespace lengthwise
