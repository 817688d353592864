// Binary multiplication:  1 1 * 1 0 1 -> 1 1 1 1 END, least significant bit first.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "binary multiplication".
// n        tokens of `a * b`, from 3 on; see BinaryOperation (bits.h).
// Options  compat (none): peer starts at n = 1; below 3 there is one number, and n - 1 zeros answer, as in the authors'
//          code: 0 -> END, 0 1 -> 0 END.
// Ids      channels digit, coupled, operand (bits.h).
// Chance   1/3.
// Deviates the source fills answers with zeros to n and trains on them; here nothing after END is scored.
#include "experiments/tasks/bits.h"

namespace lengthwise {
namespace {

class BinMul final : public BinaryOperation {
 public:
  BinMul(const Options& options, Layout layout) : BinaryOperation("*", options, layout) {}

 private:
  /// Columns of the written method, then their carries.
  Bits combine(const Bits& a, const Bits& b) const override {
    Bits product(a.size() + b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += (a[i] - first_symbol) * (b[j] - first_symbol);
    int carry = 0;
    for (int& column : product) {
      carry += column;
      column = first_symbol + carry % 2;
      carry /= 2;
    }
    return product;
  }
  BigInteger result(const BigInteger& a, const BigInteger& b) const override { return a * b; }
  Bits alone(const Bits& number) const override { return Bits(number.size() - 1, first_symbol); }
};

const bool registered = register_task<BinMul>({
    .section = {"bin_mul",
                "Multiply two whole numbers in binary digits, least significant first.",
                {compat_option("one number, whose answer is one zero less")}},
    .length = "bits of both operands and the sign",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .notes = "END is a symbol of the answer and is scored with it",
    .definition =
        "1: p is `a * b` of n tokens, |a| uniform on 1 .. n-2, a and b uniform positive numbers that fit, least "
        "significant bit first; y is a b without trailing zeros, then END",
    .later = {"compat"},
});

}  // namespace
}  // namespace lengthwise
