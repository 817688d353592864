// Binary addition:  0 1 1 + 1 1 -> 1 0 0 1 END, least significant bit first.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "binary addition".
// n        tokens of `a + b`, from 3 on; see BinaryOperation (bits.h).
// Chance   1/3.
// Deviates the source fills answers with zeros to n + 1 and trains on them; here nothing after END is scored.
#include "experiments/tasks/bits.h"

namespace lengthwise {
namespace {

class BinAdd final : public BinaryOperation {
 public:
  BinAdd(const Options&, Layout layout) : BinaryOperation("+", layout) {}

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
};

const bool registered = register_task<BinAdd>({
    .section = {"bin_add", "Add two whole numbers in binary digits, least significant first.", {}},
    .length = "bits of both operands and the sign",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .notes = "END is a symbol of the answer and is scored with it",
    .definition =
        "1: p is `a + b` of n tokens, |a| uniform on 1 .. n-2, a and b uniform positive numbers that fit, least "
        "significant bit first; y is a + b without trailing zeros, then END",
});

}  // namespace
}  // namespace lengthwise
