// Modular addition:  4 5 6 0 -> (45 + 60) mod p, each residue one token
//
// Source   Power et al. 2022 (arXiv:2201.02177), x + y modulo 97.
// n        residues to add where operands is 0; otherwise it changes nothing, a control without a length.
// Options  p (97), operands (2).
// Chance   1 / p.
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class ModAdd final : public PromptTask {
 public:
  ModAdd(const Options& options, Layout layout)
      : PromptTask(layout), p_(static_cast<int>(options.integer("p"))), operands_(options.count("operands")) {}

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> residues = independent_symbols(prompt_tokens(n), p_, rng);
    int sum = 0;
    for (const int residue : residues) sum = (sum + residue - first_symbol) % p_;
    return {.prompt = std::move(residues), .target = {first_symbol + sum}, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const auto sum = std::accumulate(prompt.begin(), prompt.end(), std::int64_t{0});
    return {first_symbol + static_cast<int>((sum - first_symbol * static_cast<std::int64_t>(prompt.size())) % p_)};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return operands_ ? operands_ : n; }
  std::size_t target_tokens(std::size_t) const override { return 1; }
  int symbols() const override { return p_; }
  std::string symbol(int index) const override { return std::to_string(index); }
  double chance(std::size_t) const override { return 1.0 / p_; }
  std::optional<double> space(std::size_t n) const override { return std::pow(p_, prompt_tokens(n)); }

 private:
  int p_;
  std::size_t operands_;
};

const bool registered = register_task<ModAdd>({
    .section =
        {"mod_add",
         "Add residues modulo p, each one token.",
         {integer("p", 97).at_least(2).at_most(1 << 20).says("the modulus; residues are 0 .. p-1"),
          integer("operands", 2).at_most(1 << 20).says("residues to add, at any length; 0: as many as the length")}},
    .length = "residues to add where operands is 0; else without effect",
    .source = "Power et al. 2022 (arXiv:2201.02177)",
    .definition = "1: p is operands (0: n) independent uniform residues; y is their sum modulo p",
});

}  // namespace
}  // namespace lengthwise
