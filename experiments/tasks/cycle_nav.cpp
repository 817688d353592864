// Cycle navigation:  R R S L -> 1, the place on a cycle of five that the steps lead to from 0.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098), "cycle navigation".
// n        steps, from 1 on: left, stay or right.
// Chance   1/5.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

constexpr int places = 5;
constexpr int left = first_symbol + places, right = left + 2;  // "stay" is between

class CycleNav final : public ClassTask {
 public:
  CycleNav(const Options&, Layout layout) : ClassTask(layout, digits_and(places, "L S R"), places) {}

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> steps = independent_symbols(n, 3, rng, left);
    int place = 0;
    for (const int step : steps) place = (place + (step - left - 1) + places) % places;
    return {.prompt = std::move(steps), .target = {first_symbol + place}, .ids = {}};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const auto rights = std::ranges::count(prompt, right), lefts = std::ranges::count(prompt, left);
    const auto moved = static_cast<int>((rights - lefts) % places);
    return {first_symbol + (moved < 0 ? moved + places : moved)};
  }
  std::optional<double> space(std::size_t n) const override { return std::pow(3.0, n); }
};

const bool registered = register_task<CycleNav>({
    .section = {"cycle_nav", "Where steps to the left and right lead on a cycle of five.", {}},
    .length = "steps",
    .source = "Delétang et al. 2022 (arXiv:2207.02098)",
    .notes = "the steps begin at place 0; R leads one place on (from 4 to 0), L one back (from 0 to 4), and S stays",
    .definition = "1: p is n independent uniform steps L, S, R; y is (number of R - number of L) modulo 5",
});

}  // namespace
}  // namespace lengthwise
