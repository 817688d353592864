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
// Ids      channel "coupled" (Cho et al. 2024, arXiv:2405.20671): a symbol and its copies share one, from 2 on; SEP,
//          NEXT and | have the one before a string, 1, or n + 2 before a string backwards; a and b 0.
// Chance   1 / symbols, or 1 / (symbols + 1) where NEXT may be the answer.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class Copy final : public WordTask {
 public:
  Copy(const Options& options, Layout layout)
      : WordTask(layout, symbols_and(static_cast<int>(options.integer("symbols")), "NEXT |")),
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
    std::vector<double> places(n), ids;
    std::iota(places.begin(), places.end(), 2);
    const auto before = [n](bool backwards) { return backwards ? static_cast<double>(n + 2) : 1; };

    Sample sample;
    if (replaced_) {
      int other = independent_symbols(1, symbols_ - 1, rng)[0];
      if (other >= string[0]) ++other;  // uniform over the others
      sample.prompt = {string[0], other, bar()};
      sample.target.assign(n, other);
      ids = {0, 0, before(false)};
    } else {
      sample.target = copies(string, next());
    }
    append(string, false, sample.prompt);
    append(places, false, ids);
    ids.push_back(before(first_backwards_));
    append(copies(places, before(second_backwards_)), false, ids);
    sample.ids = {{"coupled", std::move(ids)}};
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

  template <class Value>
  static void append(const std::vector<Value>& string, bool backwards, std::vector<Value>& row) {
    if (backwards)
      row.insert(row.end(), string.rbegin(), string.rend());
    else
      row.insert(row.end(), string.begin(), string.end());
  }
  /// The copies of a string and what is between them, of tokens or of ids.
  template <class Value>
  std::vector<Value> copies(const std::vector<Value>& string, Value between) const {
    std::vector<Value> row;
    append(string, first_backwards_, row);
    if (separated()) row.push_back(between);
    if (twice_) append(string, second_backwards_, row);
    return row;
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
    .hintable = true,
});

}  // namespace
}  // namespace lengthwise
