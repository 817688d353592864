// Binary addition:  0 1 1 + 1 1 -> 1 0 0 1 END, least significant bit first.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "binary addition".
// n        tokens of `a + b`, from 3 on; see BinaryOperation (bits.h).
// Options  compat (none): peer starts at n = 1; below 3 there is one number, and it is the answer, without trailing
//          zeros, as the authors' code has it: 0 1 -> 0 1 END, 0 0 -> 0 END.
// Ids      channels digit, coupled, operand (bits.h).
// Chance   1/3.
// Deviates the source fills answers with zeros to n + 1 and trains on them; here nothing after END is scored.
#include "experiments/tasks/bits.h"

namespace lengthwise {
namespace {

class BinAdd final : public BinaryOperation {
 public:
  BinAdd(const Options& options, Layout layout) : BinaryOperation("+", options, layout) {}

  std::size_t target_tokens(std::size_t n) const override { return n < shortest ? n + 1 : n; }

 private:
  Bits combine(const Bits& a, const Bits& b) const override {
    Bits sum;
    int carry = 0;
    for (std::size_t i = 0; i <= std::max(a.size(), b.size()); ++i) {
      for (const Bits* operand : {&a, &b})
        if (i < operand->size()) carry += (*operand)[i] - first_symbol;
      sum.push_back(first_symbol + carry % 2);
      carry /= 2;
    }
    return sum;
  }
  BigInteger result(const BigInteger& a, const BigInteger& b) const override { return a + b; }
  Bits alone(const Bits& number) const override {
    Bits bits = number;
    while (bits.size() > 1 && bits.back() == first_symbol) bits.pop_back();
    return bits;
  }
};

const bool registered = register_task<BinAdd>({
    .section = {"bin_add",
                "Add two whole numbers in binary digits, least significant first.",
                {compat_option("one number, which is the answer")}},
    .length = "bits of both operands and the sign",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .notes = "END is a symbol of the answer and is scored with it",
    .definition =
        "1: p is `a + b` of n tokens, |a| uniform on 1 .. n-2, a and b uniform positive numbers that fit, least "
        "significant bit first; y is a + b without trailing zeros, then END",
    .later = {"compat"},
});

}  // namespace
}  // namespace lengthwise
