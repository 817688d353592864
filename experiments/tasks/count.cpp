// Counting:  a a a a -> 4
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466), "counting".
// n        symbols to count, from 1 on.
// Options  text (multi: independent letters of 26; single: one of them, repeated),
//          answer (mod10: n modulo 10; number: n in decimal digits).
// Chance   1/10.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, first_letter = zero + 10;

class Count final : public WordTask {
 public:
  Count(const Options& options, Layout layout)
      : WordTask(layout, digits_and(10, "a b c d e f g h i j k l m n o p q r s t u v w x y z")),
        single_(options.text("text") == "single"),
        modulo_(options.text("answer") == "mod10") {}

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> text = independent_symbols(single_ ? 1 : n, 26, rng, first_letter);
    text.resize(n, text[0]);
    Sample sample{.prompt = std::move(text), .target = {}, .ids = {}};
    for (const char digit : modulo_ ? std::string(1, std::to_string(n).back()) : std::to_string(n))
      sample.target.push_back(zero + digit - '0');
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> counter{zero};  // least significant digit first
    for (std::size_t i = 0; i < prompt.size(); ++i) {
      std::size_t place = 0;
      while (counter[place] == zero + 9) {
        counter[place++] = zero;
        if (place == counter.size()) counter.push_back(zero);
      }
      ++counter[place];
    }
    if (modulo_) counter.resize(1);
    return {counter.rbegin(), counter.rend()};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t n) const override { return modulo_ ? 1 : std::to_string(n).size(); }
  double chance(std::size_t) const override { return 0.1; }
  std::optional<double> space(std::size_t n) const override { return std::pow(26.0, single_ ? 1 : n); }

 private:
  bool single_, modulo_;
};

const bool registered = register_task<Count>({
    .section =
        {"count",
         "How many symbols there are.",
         {choice("text", "multi", {"multi", "single"}).says("multi: independent letters of 26; single: one, repeated"),
          choice("answer", "mod10", {"mod10", "number"}).says("mod10: n modulo 10; number: n in decimal digits")}},
    .length = "symbols to count",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .definition = "1: p is n independent uniform letters of 26, or one such letter n times; y is n modulo 10 or n",
});

}  // namespace
}  // namespace lengthwise
