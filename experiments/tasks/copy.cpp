// Copies and reversals:  c a d -> c a d
//
// Source   Kazemnejad et al. 2023 (arXiv:2305.19466), "copy" and "reverse"; copy_repeat, reverse_string and copy_unique
//          are those of other papers.
// n        symbols of the string, from 1 on.
// Options  variant, by the names of the public code:
//              cmc       p -> p              p: independent symbols
//              cmc2x     p -> p NEXT p
//              rsc       a^n -> a^n          a: one random symbol
//              rsc2x     a^n -> a^2n
//              rdc       a b | a^n -> b^n    b: another one
//              rev_mc    p -> r              r: p backwards
//              rev_mc2x  p -> r NEXT r
//              rev_mcrv  p -> r NEXT p
//          symbols (100).
// Chance   1 / symbols, or 1 / (symbols + 1) where NEXT may be the answer.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

std::vector<std::string> alphabet(int symbols) {
  std::vector<std::string> words;
  for (int i = 0; i < symbols; ++i) words.push_back(symbol_name(i, symbols));
  words.insert(words.end(), {"NEXT", "|"});
  return words;
}

class Copy final : public WordTask {
 public:
  Copy(const Options& options, Layout layout)
      : WordTask(layout, alphabet(static_cast<int>(options.integer("symbols")))),
        symbols_(static_cast<int>(options.integer("symbols"))) {
    const std::string& variant = options.text("variant");
    replaced_ = variant == "rdc";
    repeated_ = replaced_ || variant.starts_with("rsc");
    first_backwards_ = variant.starts_with("rev");
    second_backwards_ = variant == "rev_mc2x";
    twice_ = variant.ends_with("2x") || variant == "rev_mcrv";
  }

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> string = independent_symbols(repeated_ ? 1 : n, symbols_, rng);
    string.resize(n, string[0]);
    Sample sample;
    if (replaced_) {
      int other = independent_symbols(1, symbols_ - 1, rng)[0];
      if (other >= string[0]) ++other;  // uniform over the others
      sample.prompt = {string[0], other, bar()};
      sample.target.assign(n, other);
    } else {
      append(string, first_backwards_, sample.target);
      if (separated()) sample.target.push_back(next());
      if (twice_) append(string, second_backwards_, sample.target);
    }
    append(string, false, sample.prompt);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    if (replaced_) return std::vector<int>(prompt.size() - 3, prompt[1]);
    const std::size_t n = prompt.size();
    std::vector<int> answer(target_tokens(n), next());
    for (std::size_t i = 0; i < n; ++i) {
      answer[i] = prompt[first_backwards_ ? n - 1 - i : i];
      if (twice_) answer[answer.size() - n + i] = prompt[second_backwards_ ? n - 1 - i : i];
    }
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return replaced_ ? n + 3 : n; }
  std::size_t target_tokens(std::size_t n) const override { return (twice_ ? 2 * n : n) + separated(); }
  double chance(std::size_t) const override { return 1.0 / (symbols_ + separated()); }
  std::optional<double> space(std::size_t n) const override {
    return std::pow(symbols_, repeated_ ? 1 : n) * (replaced_ ? symbols_ - 1 : 1);
  }

 private:
  int next() const { return first_symbol + symbols_; }
  int bar() const { return next() + 1; }
  bool separated() const { return twice_ && !repeated_; }

  static void append(const std::vector<int>& string, bool backwards, std::vector<int>& tokens) {
    if (backwards)
      tokens.insert(tokens.end(), string.rbegin(), string.rend());
    else
      tokens.insert(tokens.end(), string.begin(), string.end());
  }

  int symbols_;
  bool repeated_, replaced_, first_backwards_, second_backwards_, twice_;
};

const bool registered = register_task<Copy>({
    .section = {"copy",
                "Copies and reversals of Kazemnejad et al., by variant.",
                {choice("variant", "cmc", {"cmc", "cmc2x", "rsc", "rsc2x", "rdc", "rev_mc", "rev_mc2x", "rev_mcrv"})
                     .says(
                         "cmc: any string; rsc: one symbol, repeated; rdc: repeated, into another; rev_mc: backwards; "
                         "2x: twice; rev_mcrv: backwards, then forwards"),
                 symbols_option(100).at_least(2)}},
    .length = "symbols of the string",
    .source = "Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .notes = "the variants in full: cmc p -> p; cmc2x p -> p NEXT p; rsc a^n -> a^n; rsc2x a^n -> a^2n; rdc a b | a^n "
             "-> b^n; rev_mc p -> r, which is p backwards; rev_mc2x p -> r NEXT r; rev_mcrv p -> r NEXT p",
    .definition =
        "1: p is n independent uniform symbols (rsc, rdc: one, n times; rdc: after `a b |`, b another symbol); y "
        "is p or p backwards, once or twice with NEXT between (rsc2x: without), as variant says; rdc: b n times",
});

}  // namespace
}  // namespace lengthwise
