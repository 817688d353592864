// Phone book:  a d b 4 1 0 7 c a a 9 3 3 5 | a d b -> 4 1 0 7
//
// Source   Jelassi et al. 2024 (arXiv:2402.01032), "phone-book": there real names, here random letters.
// n        entries, from 1 to 26^name.
// Options  name (3) letters, all names different; number (4) digits.
// Chance   1/10.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

constexpr int letters = 26, bar = first_symbol + letters + 10;

class Phonebook final : public PromptTask {
 public:
  Phonebook(const Options& options, Layout layout)
      : PromptTask(layout), name_(options.count("name")), number_(options.count("number")) {}

  void check_length(std::size_t n) const override {
    require(n >= 1 && n <= names(), "phonebook: length ", n, " needs as many names, and of ", name_,
            " letters there are ", names(), "; lengths start at 1. Set phonebook.name to more letters.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::size_t asked = rng.below(n);
    Sample sample;
    std::vector<int> query{bar};
    const std::vector<std::size_t> drawn = rng.distinct(names(), n);
    for (std::size_t entry = 0; entry < n; ++entry) {
      std::size_t rest = drawn[entry];
      for (std::size_t i = 0; i < name_; ++i, rest /= letters) {
        const int letter = first_symbol + static_cast<int>(rest % letters);
        sample.prompt.push_back(letter);
        if (entry == asked) query.push_back(letter);
      }
      for (std::size_t i = 0; i < number_; ++i) {
        const int digit = first_symbol + letters + static_cast<int>(rng.below(10));
        sample.prompt.push_back(digit);
        if (entry == asked) sample.target.push_back(digit);
      }
    }
    sample.prompt.insert(sample.prompt.end(), query.begin(), query.end());
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::map<std::vector<int>, std::vector<int>> book;
    auto token = prompt.begin();
    const auto read = [&](std::size_t count) {
      return std::vector<int>(std::exchange(token, token + static_cast<std::ptrdiff_t>(count)), token);
    };
    while (*token != bar) {
      const std::vector<int> name = read(name_);
      book[name] = read(number_);
    }
    return book.at({token + 1, prompt.end()});
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n * (name_ + number_) + 1 + name_; }
  std::size_t target_tokens(std::size_t) const override { return number_; }
  int symbols() const override { return letters + 11; }
  std::string symbol(int index) const override {
    if (index < letters) return symbol_name(index, letters);
    return index < letters + 10 ? std::to_string(index - letters) : "|";
  }
  double chance(std::size_t) const override { return 0.1; }
  std::optional<double> space(std::size_t n) const override {
    return static_cast<double>(n) * arrangements(names(), n) * std::pow(10.0, n * number_);
  }

 private:
  std::size_t names() const { return static_cast<std::size_t>(std::pow(letters, name_)); }

  std::size_t name_, number_;
};

const bool registered = register_task<Phonebook>({
    .section = {"phonebook",
                "Look up one number in a phone book.",
                {integer("name", 3).at_least(1).at_most(4).says("letters of a name"),
                 integer("number", 4).at_least(1).at_most(100).says("digits of a number")}},
    .length = "entries of the book",
    .source = "Jelassi et al. 2024 (arXiv:2402.01032)",
    .definition =
        "1: p is n entries of a name, all different, and a number of uniform digits, then a bar and one of the "
        "names, uniform; y is its number",
});

}  // namespace
}  // namespace lengthwise
