// LEGO:  b = - a ; a = + 1 ; c = - b ; c ? -> +, the sign of a variable in a chain of signs.
//
// Source   Zhang et al. 2022 (arXiv:2206.04301), as Kazemnejad et al. 2023 (arXiv:2305.19466) ask it.
// n        variables of the chain, 2 .. variables: the first is + 1 or - 1, each other one plus or minus the one before
//          it.
// Options  order (shuffled: the clauses in random order; chain: in the chain's), variables (26: names to draw from),
//          hop (0: the variable asked for is uniform over the second half of the chain; otherwise the one at this
//          place), scratchpad (none).
// Hops     evaluate.axis = hop: 1..16 gives every place of the chain a column; evaluate.undefined = mark leaves places
//          out that a shorter chain has not.
// Pad      a step a variable, along the chain up to the one asked for: its name; its sign and the value before; its
//          value; no variables; the clauses not yet used, in the prompt's order.
// Chance   1/2.
#include <algorithm>

#include "experiments/tasks/scratchpad.h"

namespace lengthwise {
namespace {

constexpr int plus = first_symbol, minus = plus + 1, one = plus + 2, equals = plus + 3, semicolon = plus + 4,
              query = plus + 5, first_variable = plus + 6;
constexpr std::size_t clause_tokens = 5;

int times(int sign, int other) { return sign == other ? plus : minus; }

std::vector<std::string> alphabet(int variables) {
  std::vector<std::string> words = split_words("+ - 1 = ; ?");
  for (int i = 0; i < variables; ++i) words.push_back(variables <= 26 ? symbol_name(i, variables) : join('v', i));
  return words;
}

class Lego final : public ScratchpadTask {
 public:
  Lego(const Options& options, Layout layout)
      : ScratchpadTask(options, layout, alphabet(static_cast<int>(options.integer("variables"))), ""),
        shuffled_(options.text("order") == "shuffled"),
        variables_(options.count("variables")),
        hop_(options.count("hop")) {}

  void check_length(std::size_t n) const override {
    require(n >= 2 && n <= variables_, name(), ": the length is ", n, "; it is 2 .. lego.variables, which is ",
            variables_, ".");
    require(hop_ <= n, name(), ".hop is ", hop_, ", and a chain of length ", n,
            " has no such variable. Set hop to 0 .. ", n, ".");
  }

  std::vector<int> solve(const std::vector<int>& prompt) const override {
    int sign = plus, variable = prompt[prompt.size() - 2];
    while (variable != one) {
      std::size_t clause = 0;
      while (prompt[clause] != variable) clause += clause_tokens;
      sign = times(sign, prompt[clause + 2]);
      variable = prompt[clause + 3];
    }
    return {sign};
  }

  std::size_t prompt_tokens(std::size_t n) const override { return clause_tokens * n + 2; }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override {
    double inputs = std::pow(2.0, n) * (hop_ > 0 ? 1 : static_cast<double>(n - n / 2));
    for (std::size_t i = 0; i < n; ++i) inputs *= static_cast<double>((variables_ - i) * (shuffled_ ? i + 1 : 1));
    return inputs;
  }

 private:
  Sample ask(std::size_t n, Rng rng) const override {
    const std::size_t asked = hop_ > 0 ? hop_ - 1 : n / 2 + rng.below(n - n / 2);
    std::vector<std::vector<int>> clauses;
    int value = plus, answer = plus, before = one;
    for (const std::size_t index : rng.distinct(variables_, n)) {
      const int variable = first_variable + static_cast<int>(index), sign = rng.flip() ? plus : minus;
      value = times(value, sign);
      if (clauses.size() == asked) answer = value;
      clauses.push_back({variable, equals, sign, before, semicolon});
      before = variable;
    }
    const int asked_variable = clauses[asked][0];
    if (shuffled_) rng.shuffle(clauses);
    Sample sample{.prompt = {}, .target = {answer}, .ids = {}};
    for (const std::vector<int>& clause : clauses)
      sample.prompt.insert(sample.prompt.end(), clause.begin(), clause.end());
    sample.prompt.insert(sample.prompt.end(), {asked_variable, query});
    return sample;
  }
  std::size_t answer_tokens(std::size_t) const override { return 1; }

  std::vector<Step> steps(const std::vector<int>& prompt) const override {
    std::vector<Step> steps;
    std::vector<int> left(prompt.begin(), prompt.end() - 2);
    const int asked = prompt[prompt.size() - 2];
    for (int before = one, value = one; before != asked;) {
      std::size_t clause = 0;
      while (left[clause + 3] != before) clause += clause_tokens;
      const int sign = left[clause + 2], next = value == one ? sign : times(value, sign);
      Step step{.input = {left[clause]}, .computation = {sign, value}, .output = {next}};
      before = left[clause], value = next;
      const auto used = left.begin() + static_cast<std::ptrdiff_t>(clause);
      left.erase(used, used + clause_tokens);
      step.remaining = left;
      steps.push_back(std::move(step));
    }
    return steps;
  }
  std::vector<int> longest_prompt(std::size_t n) const override {
    std::vector<int> prompt;
    int before = one;
    for (std::size_t i = 0; i < n; ++i) {
      const int variable = first_variable + static_cast<int>(i);
      prompt.insert(prompt.end(), {variable, equals, plus, before, semicolon});
      before = variable;
    }
    const std::size_t asked = hop_ > 0 ? hop_ : n;
    prompt.insert(prompt.end(), {first_variable + static_cast<int>(asked) - 1, query});
    return prompt;
  }

  bool shuffled_;
  std::size_t variables_, hop_;
};

const bool registered = register_task<Lego>({
    .section = {"lego",
                "The sign of a variable that is defined through a chain of others.",
                {choice("order", "shuffled", {"shuffled", "chain"})
                     .says("shuffled: the clauses in random order; chain: each after the one it refers to"),
                 integer("variables", 26).at_least(2).at_most(1 << 16).says("names to draw from; limits the length"),
                 integer("hop", 0).at_most(1 << 16).says(
                     "place in the chain of the variable asked for; 0: uniform over the second half"),
                 scratchpad_option()}},
    .length = "variables of the chain",
    .source = "Zhang et al. 2022 (arXiv:2206.04301); Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .definition =
        "1: p is n clauses `v = s u ;` of a chain of different variables, u the variable before or 1, s a "
        "uniform sign, order as set, then `v ?` for the variable at place hop, or uniform over places n/2 + 1 "
        ".. n; y is its sign",
});

}  // namespace
}  // namespace lengthwise
