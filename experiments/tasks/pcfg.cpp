// PCFG SET:  append swap_first_last f g h , repeat i j -> h g f i j i j, string edits within string edits.
//
// Source   Hupkes et al. 2020 (arXiv:1908.08351). Unary: copy, reverse, shift (the first letter goes last), echo (the
//          last letter once more), swap_first_last, repeat (all twice). Binary: append, prepend, remove_first,
//          remove_second.
// n        functions, from 1 on. The productivity split is one of lengths: train on 1 .. 8, evaluate on 9 and more.
// Options  symbols (520), longest (100): a function that would make a longer string is drawn again, of its arity.
// Chance   1 / symbols.
// Deviates the source's probabilities are fitted to the shapes of English sentences; here a function is uniform over
//          the ten, and a binary one gives its first operand a uniform number of the functions left.
#include <algorithm>
#include <span>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

enum Function : int {
  copy,
  reverse,
  shift,
  echo,
  swap_first_last,
  repeat,
  append,
  prepend,
  remove_first,
  remove_second
};
constexpr int functions = 10, first_binary = append;
constexpr std::size_t longest_operand = 5;

using String = std::vector<int>;

class Pcfg final : public WordTask {
 public:
  Pcfg(const Options& options, Layout layout)
      : WordTask(
            layout,
            symbols_and(static_cast<int>(options.integer("symbols")),
                        "copy reverse shift echo swap_first_last repeat append prepend remove_first remove_second ,")),
        symbols_(static_cast<int>(options.integer("symbols"))),
        longest_(options.count("longest")) {}

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample;
    sample.target = draw(n, rng, sample.prompt);
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::span<const int> rest = prompt;
    return value(rest);
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n + longest_operand * (n + 1) + n; }
  std::size_t target_tokens(std::size_t n) const override {
    return n < 16 ? std::min(longest_, longest_operand << n) : longest_;
  }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  /// `longest` leaves out a few of these.
  std::optional<double> space(std::size_t n) const override {
    std::vector<double> inputs(n + 1);
    for (std::size_t letters = 1; letters <= longest_operand; ++letters) inputs[0] += std::pow(symbols_, letters);
    for (std::size_t k = 1; k <= n; ++k) {
      inputs[k] = first_binary * inputs[k - 1];
      for (std::size_t i = 0; i < k; ++i) inputs[k] += (functions - first_binary) * inputs[i] * inputs[k - 1 - i];
    }
    return inputs[n];
  }

 private:
  int first_function() const { return first_symbol + symbols_; }
  int comma() const { return first_function() + functions; }

  /// Appends an expression of n functions. Returns its value.
  String draw(std::size_t n, Rng& rng, std::vector<int>& tokens) const {
    if (n == 0) {
      String letters = independent_symbols(1 + rng.below(longest_operand), symbols_, rng);
      tokens.insert(tokens.end(), letters.begin(), letters.end());
      return letters;
    }
    const bool binary = rng.below(functions) >= first_binary;
    const std::size_t place = tokens.size(), inside = binary ? rng.below(n) : n - 1;
    tokens.push_back(0);  // the function, once its operands are known
    const String a = draw(inside, rng, tokens);
    String b, result;
    if (binary) {
      tokens.push_back(comma());
      b = draw(n - 1 - inside, rng, tokens);
    }
    do {
      const auto function =
          static_cast<int>(binary ? rng.between(first_binary, functions - 1) : rng.between(0, first_binary - 1));
      tokens[place] = first_function() + function;
      result = apply(function, a, b);
    } while (result.size() > longest_);
    return result;
  }

  static String apply(int function, String a, String b) {
    switch (function) {
      case reverse:
        std::ranges::reverse(a);
        break;
      case shift:
        std::ranges::rotate(a, a.begin() + 1);
        break;
      case echo:
        a.push_back(a.back());
        break;
      case swap_first_last:
        std::swap(a.front(), a.back());
        break;
      case repeat:
        b = a;
        [[fallthrough]];
      case append:
        a.insert(a.end(), b.begin(), b.end());
        break;
      case prepend:
        a.insert(a.begin(), b.begin(), b.end());
        break;
      case remove_first:
        return b;
      default:
        break;
    }
    return a;
  }

  /// The value of the expression at the front of `rest`, letter by letter; takes it off.
  String value(std::span<const int>& rest) const {
    if (rest[0] < first_function()) {
      const auto end = std::ranges::find_if(rest, [&](int token) { return token >= first_function(); });
      const String letters(rest.begin(), end);
      rest = rest.subspan(letters.size());
      return letters;
    }
    const std::string name = word(rest[0]);
    const bool binary = rest[0] >= first_function() + first_binary;
    rest = rest.subspan(1);
    const String a = value(rest);
    String b;
    if (binary) {
      rest = rest.subspan(1);  // the comma
      b = value(rest);
    }
    const std::size_t n = a.size();
    String made;
    const auto letters = [&](std::size_t count, auto letter) {
      for (std::size_t i = 0; i < count; ++i) made.push_back(letter(i));
      return made;
    };
    if (name == "copy" || name == "remove_second") return a;
    if (name == "remove_first") return b;
    if (name == "reverse") return letters(n, [&](std::size_t i) { return a[n - 1 - i]; });
    if (name == "shift") return letters(n, [&](std::size_t i) { return a[(i + 1) % n]; });
    if (name == "echo") return letters(n + 1, [&](std::size_t i) { return a[std::min(i, n - 1)]; });
    if (name == "repeat") return letters(2 * n, [&](std::size_t i) { return a[i % n]; });
    if (name == "swap_first_last")
      return letters(n, [&](std::size_t i) { return a[i == 0 ? n - 1 : i == n - 1 ? 0 : i]; });
    const String &front = name == "append" ? a : b, &back = name == "append" ? b : a;
    return letters(n + b.size(), [&](std::size_t i) { return i < front.size() ? front[i] : back[i - front.size()]; });
  }

  int symbols_;
  std::size_t longest_;
};

const bool registered = register_task<Pcfg>({
    .section = {"pcfg",
                "Apply functions that edit strings, within one another (PCFG SET).",
                {symbols_option(520), integer("longest", 100)
                                          .at_least(10)
                                          .at_most(1 << 16)
                                          .in("tokens")
                                          .says("a function that would make a longer string is drawn again")}},
    .length = "functions",
    .source = "Hupkes et al. 2020 (arXiv:1908.08351)",
    .notes = "a function stands before its operands, which a comma divides. copy x: x; reverse x: backwards; shift x: "
             "the first symbol goes last; echo x: the last symbol once more; swap_first_last x: these two exchanged; "
             "repeat x: x x; append x , y: x y; prepend x , y: y x; remove_first x , y: y; remove_second x , y: x",
    .definition =
        "1: p is an expression of n uniform functions on operands of 1 .. 5 uniform symbols, a binary function "
        "giving its first operand a uniform number of the functions left; a function whose value is longer than "
        "longest is drawn again among those of its arity; y is the value",
});

}  // namespace
}  // namespace lengthwise
