// Which bit prevails:  1 0 1 -> 1; and the same for several strings at once, interleaved:  a1 b1 c1 a2 b2 c2 ... -> a b
// c
//
// Source   bin_majority, maj_interleave: Huang et al. 2024 (arXiv:2410.02140).
//          Independent bits, ties count as 0: the public code of Arora et al. 2023 (arXiv:2312.04927).
// n        bits of all strings together, `strings` or more; what exceeds a multiple of `strings` is left off.
// Options  strings (bin_majority: 1, maj_interleave: 3);
//          sampler (count_uniform): the number of zeros of a string uniform, ties drawn again, the bits shuffled; or
//          iid: independent bits, where a tie answers 0.
// Chance   1/2.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, one = first_symbol + 1;

class BinMajority final : public PromptTask {
 public:
  BinMajority(const Options& options, Layout layout)
      : PromptTask(layout), strings_(options.count("strings")), iid_(options.text("sampler") == "iid") {}

  void check_length(std::size_t n) const override {
    require(n >= strings_, name(), ": length ", n, " is less than a bit for each string; ", name(), ".strings is ",
            strings_, ". Set the length to at least that, or strings to fewer.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::size_t bits = n / strings_;
    Sample sample{.prompt = std::vector<int>(bits * strings_), .target = {}, .ids = {}};
    for (std::size_t s = 0; s < strings_; ++s) {
      std::size_t zeros = 0;
      const std::vector<int> string = iid_ ? independent_symbols(bits, 2, rng) : shuffled(bits, rng);
      for (std::size_t i = 0; i < bits; ++i) {
        sample.prompt[i * strings_ + s] = string[i];
        zeros += string[i] == zero;
      }
      sample.target.push_back(bits - zeros > zeros ? one : zero);
    }
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> answer;
    for (std::size_t s = 0; s < strings_; ++s) {
      int balance = 0;
      for (std::size_t i = s; i < prompt.size(); i += strings_) balance += prompt[i] == one ? 1 : -1;
      answer.push_back(balance > 0 ? one : zero);
    }
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n / strings_ * strings_; }
  std::size_t target_tokens(std::size_t) const override { return strings_; }
  int symbols() const override { return 2; }
  std::string symbol(int index) const override { return std::to_string(index); }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override {
    const std::size_t bits = n / strings_;
    const double ties = iid_ || bits % 2 ? 0 : choose(bits, bits / 2);
    return std::pow(std::exp2(bits) - ties, strings_);
  }

 private:
  static std::vector<int> shuffled(std::size_t bits, Rng& rng) {
    std::size_t zeros = 0;
    do zeros = rng.below(bits + 1);
    while (2 * zeros == bits);
    std::vector<int> string(bits, one);
    std::fill_n(string.begin(), zeros, zero);
    rng.shuffle(string);
    return string;
  }

  std::size_t strings_;
  bool iid_;
};

TaskInfo info(const char* name, int strings, const char* sentence) {
  return {
      .section = {name,
                  sentence,
                  {integer("strings", strings).at_least(1).says("strings that take turns in the prompt"),
                   choice("sampler", "count_uniform", {"count_uniform", "iid"})
                       .says("count_uniform: the number of zeros is uniform, ties excluded; iid: independent bits, a "
                             "tie answers 0")}},
      .length = "bits of all strings",
      .source = "Huang et al. 2024 (arXiv:2410.02140); iid: code of Arora et al. 2023 (arXiv:2312.04927)",
      .definition =
          "1: p is strings of n / strings bits by sampler, interleaved; y is 1 for each with more ones, else 0",
  };
}

const bool registered =
    register_task<BinMajority>(info("bin_majority", 1, "Whether a bit string has more ones than zeros.")) &&
    register_task<BinMajority>(info("maj_interleave", 3, "Which bit prevails in each of several interleaved strings."));

}  // namespace
}  // namespace lengthwise
