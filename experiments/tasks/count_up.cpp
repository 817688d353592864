// Counting:  3 6 -> 3 4 5 6
//
// Source   Zhou et al. 2023 (arXiv:2310.16028), "count".
// n        numbers to write, 1 .. symbols.
// Options  symbols (256): numbers are 0 .. symbols - 1, each one token; they must reach the longest test.
// Chance   1 / n: a guess among the numbers from first to last.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class CountUp final : public PromptTask {
 public:
  CountUp(const Options& options, Layout layout)
      : PromptTask(layout), symbols_(static_cast<int>(options.integer("symbols"))) {}

  void check_length(std::size_t n) const override {
    require(n >= 1 && n <= static_cast<std::size_t>(symbols_), "count_up: length ", n, " counts through ", n,
            " numbers and count_up.symbols is ", symbols_,
            "; lengths are 1 .. symbols. Set symbols to the longest length of the evaluation or more.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const auto start = rng.below(static_cast<std::uint64_t>(symbols_) - n + 1);
    std::vector<int> numbers(n);
    std::iota(numbers.begin(), numbers.end(), first_symbol + static_cast<int>(start));
    return {.prompt = {numbers.front(), numbers.back()}, .target = std::move(numbers), .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    for (int number = prompt[0]; number <= prompt[1]; ++number) answer.push_back(number);
    return answer;
  }

  std::size_t prompt_tokens(std::size_t) const override { return 2; }
  std::size_t target_tokens(std::size_t n) const override { return n; }
  int symbols() const override { return symbols_; }
  std::string symbol(int index) const override { return std::to_string(index); }
  double chance(std::size_t n) const override { return 1.0 / static_cast<double>(n); }
  std::optional<double> space(std::size_t n) const override { return symbols_ - static_cast<double>(n) + 1; }

 private:
  int symbols_;
};

const bool registered = register_task<CountUp>({
    .section = {"count_up", "Count from one number to another.", {symbols_option(256)}},
    .length = "numbers to write",
    .source = "Zhou et al. 2023 (arXiv:2310.16028)",
    .definition = "1: p is `a b` with a uniform on 0 .. symbols - n and b = a + n - 1; y is a .. b",
});

}  // namespace
}  // namespace lengthwise
