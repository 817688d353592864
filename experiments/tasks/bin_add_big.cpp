// Binary addition, most significant bit first:  1 0 1 + 1 1 = -> 1 0 0 0
//
// Source   Huang et al. 2024 (arXiv:2410.02140), "addition".
// n        tokens of the prompt, + and = included, from 4 on. All divisions of n - 2 bits among the operands are alike.
// Ids      channel "digit": the place of a bit, 1 for units; 0 for other tokens. Channel "coupled": the place + 1; 1
// for
//          + = and SEP.
// Chance   1/2.
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

constexpr int zero = first_symbol, one = first_symbol + 1, plus = first_symbol + 2, equals = first_symbol + 3;

class BinAddBig final : public PromptTask {
 public:
  BinAddBig(const Options&, Layout layout) : PromptTask(layout) {}

  void check_length(std::size_t n) const override {
    require(n >= 4, "bin_add_big: length ", n, " has no room for `1+1=`; the shortest length is 4.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::size_t a_bits = 1 + rng.below(n - 3), b_bits = n - 2 - a_bits;
    const std::vector<int> a = number(a_bits, rng), b = number(b_bits, rng);
    Sample sample{.prompt = a, .target = {}, .ids = {}};
    sample.prompt.push_back(plus);
    sample.prompt.insert(sample.prompt.end(), b.begin(), b.end());
    sample.prompt.push_back(equals);

    int carry = 0;
    for (std::size_t place = 0; place < std::max(a_bits, b_bits) || carry; ++place) {  // 0: units
      if (place < a_bits) carry += a[a_bits - 1 - place] - zero;
      if (place < b_bits) carry += b[b_bits - 1 - place] - zero;
      sample.target.push_back(zero + carry % 2);
      carry /= 2;
    }
    std::ranges::reverse(sample.target);

    std::vector<double>&digit = sample.ids["digit"], &coupled = sample.ids["coupled"];
    for (const std::size_t bits : {a_bits, b_bits, std::size_t{0}, sample.target.size()}) {  // + = and SEP between them
      if (!digit.empty()) digit.push_back(0), coupled.push_back(1);
      for (std::size_t place = bits; place > 0; --place)
        digit.push_back(static_cast<double>(place)), coupled.push_back(static_cast<double>(place + 1));
    }
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    boost::multiprecision::cpp_int sum = 0, operand = 0;
    for (const int token : prompt) {
      if (token == zero || token == one) {
        operand = 2 * operand + (token - zero);
      } else {
        sum += operand;
        operand = 0;
      }
    }
    std::vector<int> answer;
    for (int bit = static_cast<int>(msb(sum)); bit >= 0; --bit)
      answer.push_back(bit_test(sum, static_cast<unsigned>(bit)) ? one : zero);
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n; }
  std::size_t target_tokens(std::size_t n) const override { return n - 2; }  // 1 1 1 + 1
  int symbols() const override { return 4; }
  std::string symbol(int index) const override { return std::string(1, "01+="[index]); }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override {
    const auto length = static_cast<double>(n);
    return (length - 3) * std::exp2(length - 4);
  }

 private:
  static std::vector<int> number(std::size_t bits, Rng& rng) {
    std::vector<int> number = independent_symbols(bits, 2, rng);
    number.front() = one;
    return number;
  }
};

const bool registered = register_task<BinAddBig>({
    .section = {"bin_add_big", "Add two binary numbers, most significant bit first.", {}},
    .length = "tokens of the prompt",
    .source = "Huang et al. 2024 (arXiv:2410.02140)",
    .definition =
        "1: p is `a + b =` of n tokens, a's bits uniform on 1 .. n - 3, each number leading with 1; y = a + b",
});

}  // namespace
}  // namespace lengthwise
