// Selective copy:  . c . . a b . -> c a b
//
// Source   Gu, Dao 2023 (arXiv:2312.00752) and Poli et al. 2024 (arXiv:2403.17844), "selective copying".
// n        the data, the blanks, the token that asks (SEP) and the answer, from 2 * data + 1 on.
// Options  data (16): symbols to copy; symbols (16), the blank not counted.
// Chance   1 / symbols.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class SelectiveCopy final : public PromptTask {
 public:
  SelectiveCopy(const Options& options, Layout layout)
      : PromptTask(layout), data_(options.count("data")), symbols_(static_cast<int>(options.integer("symbols"))) {}

  void check_length(std::size_t n) const override {
    require(n >= 2 * data_ + 1, "selective_copy: length ", n, " cannot hold the data twice and the token that asks; ",
            "selective_copy.data is ", data_, ", so lengths start at ", 2 * data_ + 1, ".");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample{.prompt = std::vector<int>(prompt_tokens(n), blank()),
                  .target = independent_symbols(data_, symbols_, rng),
                  .ids = {}};
    std::vector<std::size_t> places = rng.distinct(prompt_tokens(n), data_);
    std::ranges::sort(places);
    for (std::size_t i = 0; i < data_; ++i) sample.prompt[places[i]] = sample.target[i];
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    std::ranges::remove_copy(prompt, std::back_inserter(answer), blank());
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n - data_ - 1; }
  std::size_t target_tokens(std::size_t) const override { return data_; }
  int symbols() const override { return symbols_ + 1; }
  std::string symbol(int index) const override { return index == symbols_ ? "." : symbol_name(index, symbols_); }
  double chance(std::size_t) const override { return 1.0 / symbols_; }
  std::optional<double> space(std::size_t n) const override {
    return choose(prompt_tokens(n), data_) * std::pow(symbols_, data_);
  }

 private:
  int blank() const { return first_symbol + symbols_; }

  std::size_t data_;
  int symbols_;
};

const bool registered = register_task<SelectiveCopy>({
    .section = {"selective_copy",
                "Copy the symbols that lie scattered among blanks.",
                {integer("data", 16).at_least(1).says("symbols to copy"), symbols_option(16)}},
    .length = "data, blanks, the token that asks and the answer",
    .source = "Gu, Dao 2023 (arXiv:2312.00752); Poli et al. 2024 (arXiv:2403.17844)",
    .notes = ". is a blank",
    .definition = "1: p is data independent uniform symbols at uniform places among n - 2 data - 1 blanks; y is the "
                  "symbols in order",
});

}  // namespace
}  // namespace lengthwise
