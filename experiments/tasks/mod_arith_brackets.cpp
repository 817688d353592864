// Modular arithmetic with brackets:  ((-2) + (3 * 4)) -> 0, modulo 5.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "modular arithmetic".
// n        tokens, from 1 on, brackets included; bracket_expression.h says which expressions a length has.
// Options  modulus (5).
// Chance   1 / modulus. Products make 0 more frequent than that: a model that always says 0 does better.
#include "experiments/tasks/bracket_expression.h"

namespace lengthwise {
namespace {

class ModArithBrackets final : public ClassTask {
 public:
  ModArithBrackets(const Options& options, Layout layout)
      : ModArithBrackets(static_cast<int>(options.integer("modulus")), layout) {}

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample;
    sample.target = {first_symbol + expressions_.append(n, rng, sample.prompt)};
    return sample;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    return {first_symbol + expressions_.value(prompt)};
  }
  std::optional<double> space(std::size_t n) const override { return expressions_.count(n).expressions; }

 private:
  ModArithBrackets(int modulus, Layout layout)
      : ClassTask(layout, digits_and(modulus, "+ - ( ) *"), modulus), expressions_(modulus, true) {}

  BracketExpressions expressions_;
};

const bool registered = register_task<ModArithBrackets>({
    .section = {"mod_arith_brackets", "The value of a bracketed expression, modulo a number.", {modulus_option()}},
    .length = "tokens of the expression",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .definition =
        "1: p is a random expression of n tokens: d, -d, (d), (-d), or (A op B) with |A| uniform on 1 .. n-4, "
        "op of + - * and digits uniform; y is its value modulo modulus",
});

}  // namespace
}  // namespace lengthwise
