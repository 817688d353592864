// Word problem of a group:  the running product of a string of its elements.
//
// Source   Liu et al. 2022 (arXiv:2210.10749) for automata that are groups; Merrill et al. 2024 (arXiv:2404.08819) for
//          strings of arbitrary elements.
// n        factors, from 1 on, uniform and independent.
// Options  group (s3): z2 .. z60, the integers modulo the number; s3 .. s5, the permutations of so many points; a4, a5,
//          the even ones.
//          factors (generators: of z 0 and 1, of s (1 2) and (1 2 .. k), of a (1 2 3) and the cycle of the last three;
//          elements: all of the group),
//          answer (dense: the product so far, at every position; last: the whole product, at the last one).
// Words    elements of z are numbers. Other elements are where 1, 2, 3, ... go: 213 exchanges 1 and 2. The first factor
//          acts first: 213 231 sends 1 to 2 and on to 3.
// Chance   one over the size of the group.
#include <algorithm>

#include "experiments/tasks/task.h"

namespace lengthwise {
namespace {

using Permutation = std::vector<std::size_t>;  // of 0 .. k-1

Permutation identity(std::size_t points) {
  Permutation same(points);
  std::iota(same.begin(), same.end(), std::size_t{0});
  return same;
}

// The points first, first + 1, ... last, each sent to the next one and the last to the first.
Permutation cycle(std::size_t points, std::size_t first, std::size_t last) {
  Permutation made = identity(points);
  for (std::size_t i = first; i < last; ++i) made[i] = i + 1;
  made[last] = first;
  return made;
}

bool is_even(const Permutation& permutation) {
  std::size_t inversions = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) inversions += permutation[j] > permutation[i];
  return inversions % 2 == 0;
}

class GroupWord final : public DenseTask {
 public:
  GroupWord(const Options& options, Layout layout) : DenseTask(layout), dense_(options.text("answer") == "dense") {
    const std::string& group = options.text("group");
    const std::map<char, std::pair<std::size_t, std::size_t>> sizes{{'z', {2, 60}}, {'s', {3, 5}}, {'a', {4, 5}}};
    std::size_t points = 0;
    for (std::size_t i = 1; i < group.size() && i < 4; ++i)
      points = std::isdigit(static_cast<unsigned char>(group[i]))
                   ? 10 * points + static_cast<std::size_t>(group[i] - '0')
                   : 1000;
    const auto size = sizes.find(group[0]);
    require(size != sizes.end() && points >= size->second.first && points <= size->second.second,
            "group_word.group is '", group, "'; it is z2 .. z60, s3, s4, s5, a4 or a5.");
    cyclic_ = group[0] == 'z';

    Permutation element = identity(points);
    do {
      if (group[0] == 's' || (group[0] == 'a' && is_even(element))) elements_.push_back(element);
      if (cyclic_) elements_.push_back(element), std::rotate(element.begin(), element.begin() + 1, element.end());
    } while (cyclic_ ? elements_.size() < points : std::ranges::next_permutation(element).found);

    if (options.text("factors") == "elements") {
      factors_.resize(elements_.size());
      std::iota(factors_.begin(), factors_.end(), std::size_t{0});
    } else if (cyclic_) {
      factors_ = {0, 1};
    } else if (group[0] == 's') {
      factors_ = {index(cycle(points, 0, 1)), index(cycle(points, 0, points - 1))};
    } else {
      factors_ = {index(cycle(points, 0, 2)), index(cycle(points, points - 3, points - 1))};
    }
  }

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample;
    std::vector<int> products;
    Permutation product = elements_.front();
    for (std::size_t t = 0; t < n; ++t) {
      const std::size_t factor = factors_[rng.below(factors_.size())];
      for (std::size_t& point : product) point = elements_[factor][point];
      sample.string.push_back(first_symbol + static_cast<int>(factor));
      products.push_back(first_symbol + static_cast<int>(index(product)));
    }
    sample.labels = labels(products);
    return sample;
  }

  // Follows each point through the string.
  Labels solve(const std::vector<int>& string) const override {
    std::vector<Permutation> images(string.size(), elements_.front());
    for (std::size_t point = 0; point < elements_.front().size(); ++point) {
      std::size_t at = point;
      for (std::size_t t = 0; t < string.size(); ++t)
        images[t][point] = at = elements_[static_cast<std::size_t>(string[t] - first_symbol)][at];
    }
    std::vector<int> products;
    for (const Permutation& image : images) products.push_back(first_symbol + static_cast<int>(index(image)));
    return labels(products);
  }

  int symbols() const override { return static_cast<int>(elements_.size()); }
  std::string symbol(int index) const override {
    if (cyclic_) return std::to_string(index);
    std::string name;
    for (const std::size_t point : elements_[static_cast<std::size_t>(index)]) name += std::to_string(point + 1);
    return name;
  }
  double chance(std::size_t) const override { return 1 / static_cast<double>(elements_.size()); }
  std::optional<double> space(std::size_t n) const override { return std::pow(factors_.size(), n); }

 private:
  std::size_t index(const Permutation& element) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(elements_, element) - elements_.begin());
  }

  Labels labels(const std::vector<int>& products) const {
    Labels labels;
    for (std::size_t t = dense_ ? 0 : products.size() - 1; t < products.size(); ++t) {
      labels.at.push_back(t);
      labels.tokens.push_back(products[t]);
    }
    return labels;
  }

  bool dense_, cyclic_ = false;
  std::vector<Permutation> elements_;  // ascending, the identity first
  std::vector<std::size_t> factors_;   // elements that occur in strings
};

const bool registered = register_task<GroupWord>({
    .section = {"group_word",
                "The product of a string of elements of a group.",
                {text("group", "s3").says("z2 .. z60: integers modulo that; s3 .. s5: permutations; a4, a5: even ones"),
                 choice("factors", "generators", {"generators", "elements"})
                     .says("what strings are made of; generators: two elements that generate the group"),
                 choice("answer", "dense", {"dense", "last"})
                     .says("dense: the product so far, at every position; last: the whole product alone")}},
    .length = "factors",
    .source = "Liu et al. 2022 (arXiv:2210.10749); Merrill et al. 2024 (arXiv:2404.08819)",
    .notes = "the first factor acts first. Elements of z are numbers, which are added. Other elements say where 1, 2, "
             "3, ... go: 213 exchanges 1 and 2, and the product of 213 and 231 sends 1 to 2 and on to 3. Generators of "
             "z: 0 and 1; of s: 1 and 2 exchanged, and each point sent to the next; of a: the cycles of the first "
             "three and of the last three points",
    .definition = "1: x is n independent uniform factors; the label of a position is the product of the factors so far",
});

}  // namespace
}  // namespace lengthwise
