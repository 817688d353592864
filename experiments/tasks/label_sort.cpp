// Sorting by value:  c : 3 7 , a : 4 , f : 9 0 -> a c f
//
// Source   McLeish et al. 2024 (arXiv:2405.17399), "sorting", where answers have commas too and labels are neighbours
// in
//          their alphabet.
// n        items, from 1 to `labels`.
// Options  digits (5): each number has a uniform number of them, 1 .. digits, and none leads with 0;
//          labels (100) symbols, all labels different; base (10); order (plain; rev_all: least significant digit
//          first).
// Ties     keep the order of the prompt.
// Ids      channel "digit": the place of a digit, 1 for units; 0 for any other token.
// Chance   1 / n.
#include "experiments/tasks/digits.h"
#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

class LabelSort final : public PromptTask {
 public:
  LabelSort(const Options& options, Layout layout)
      : PromptTask(layout),
        digits_(options.count("digits")),
        labels_(static_cast<int>(options.integer("labels"))),
        base_(static_cast<int>(options.integer("base"))),
        reversed_(options.text("order") == "rev_all") {}

  void check_length(std::size_t n) const override {
    require(n >= 1 && n <= static_cast<std::size_t>(labels_), "label_sort: length ", n, " needs ", n,
            " different labels and label_sort.labels is ", labels_,
            "; lengths are 1 .. labels. Set labels to the longest length of the evaluation or more.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    struct Item {
      int label;
      Digits number;
    };
    std::vector<Item> items;
    Sample sample;
    std::vector<double>& places = sample.ids["digit"];
    const auto push = [&](int token, std::size_t place) {
      sample.prompt.push_back(token);
      places.push_back(static_cast<double>(place));
    };
    for (const int label : distinct_symbols(n, labels_, rng)) {
      if (!items.empty()) push(comma(), 0);
      items.push_back({label, random_number(1 + rng.below(digits_), base_, rng, false)});
      push(label, 0);
      push(colon(), 0);
      const Digits& number = items.back().number;
      for (std::size_t i = 0; i < number.size(); ++i) {
        const std::size_t place = reversed_ ? i : number.size() - 1 - i;
        push(first_digit() + number[place], place + 1);
      }
    }
    std::stable_sort(items.begin(), items.end(), [](const Item& x, const Item& y) {
      if (x.number.size() != y.number.size()) return x.number.size() < y.number.size();
      return std::lexicographical_compare(x.number.rbegin(), x.number.rend(), y.number.rbegin(), y.number.rend());
    });
    for (const Item& item : items) sample.target.push_back(item.label);
    places.insert(places.end(), n, 0);
    return sample;
  }
  // By the numbers' values, one after the other the least of those that are left.
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    using Integer = boost::multiprecision::cpp_int;
    std::vector<std::pair<int, Integer>> items;
    Integer weight = 1;
    for (const int token : prompt) {
      if (token < first_digit()) {
        items.emplace_back(token, 0);
        weight = 1;
      } else if (token < colon()) {
        Integer& value = items.back().second;
        value = reversed_ ? Integer(value + weight * (token - first_digit()))
                          : Integer(value * base_ + (token - first_digit()));
        weight *= base_;
      }
    }
    std::vector<int> sorted;
    while (!items.empty()) {
      const auto least = std::min_element(items.begin(), items.end(),
                                          [](const auto& x, const auto& y) { return x.second < y.second; });
      sorted.push_back(least->first);
      items.erase(least);
    }
    return sorted;
  }

  std::size_t prompt_tokens(std::size_t n) const override { return n * (digits_ + 3) - 1; }
  std::size_t target_tokens(std::size_t n) const override { return n; }
  int symbols() const override { return labels_ + base_ + 2; }
  // Letters would be taken for digits of a large base.
  std::string symbol(int index) const override {
    if (index < labels_) return join('L', index);
    if (index < labels_ + base_) return digit_name(index - labels_);
    return index == labels_ + base_ ? ":" : ",";
  }
  double chance(std::size_t n) const override { return 1.0 / static_cast<double>(n); }
  std::optional<double> space(std::size_t n) const override {
    return arrangements(static_cast<std::size_t>(labels_), n) * std::pow(std::pow(base_, digits_) - 1, n);
  }

 private:
  int first_digit() const { return first_symbol + labels_; }
  int colon() const { return first_digit() + base_; }
  int comma() const { return colon() + 1; }

  std::size_t digits_;
  int labels_, base_;
  bool reversed_;
};

const bool registered = register_task<LabelSort>({
    .section = {"label_sort",
                "Put labelled numbers into ascending order.",
                {integer("digits", 5).at_least(1).at_most(1 << 10).says("digits of the longest numbers"),
                 integer("labels", 100).at_least(1).at_most(1 << 20).says("size of the labels' alphabet"),
                 integer("base", 10).at_least(2).at_most(36).says("numbers are written in this base"),
                 choice("order", "plain", {"plain", "rev_all"})
                     .says("digit order; plain: most significant first; rev_all: least significant first")}},
    .length = "items to sort",
    .source = "McLeish et al. 2024 (arXiv:2405.17399)",
    .notes = "L19 is a label",
    .definition =
        "1: p is n items `label : number` joined by commas, labels different, digit counts uniform on 1 .. digits, "
        "digits uniform, no leading zeros; y is the labels by ascending number, ties as in p; ids digit",
});

}  // namespace
}  // namespace lengthwise
