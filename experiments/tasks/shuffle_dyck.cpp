// Shuffle-k:  ( [ ) ], k balanced strings of a kind of bracket each, interleaved.
//
// Source   Suzgun et al. 2019 (arXiv:1911.03329); Bhattamishra et al. 2020 (arXiv:2009.11264).
// n        brackets, even. Words of length n are drawn uniformly.
// Options  pairs (2): k.
// Chance   one over the number of sets: each kind can close or not, and where none can the word can end.
// Deviates from the code of Bhattamishra et al., which draws its words from Dyck-k, where no two kinds ever cross.
#include "experiments/tasks/brackets.h"
#include "experiments/tasks/language.h"

namespace lengthwise {
namespace {

class ShuffleDyck final : public LanguageTask {
 public:
  ShuffleDyck(const Options& options, Layout layout)
      : LanguageTask(layout, bracket_names(options.count("pairs"))), pairs_(options.count("pairs")) {}

  Sample sample(std::size_t n, Rng rng) const override {
    std::vector<int> order;  // which kind each position has
    std::vector<std::vector<int>> steps;
    for (const std::size_t m : pairs_of_kinds(n / 2, rng)) {
      order.insert(order.end(), 2 * m, static_cast<int>(steps.size()));
      steps.push_back(balanced_string(m, rng));
    }
    rng.shuffle(order);

    Sample sample;
    std::vector<std::size_t> taken(pairs_), open(pairs_);
    std::vector<std::uint64_t> sets;
    for (const int i : order) {
      const auto k = static_cast<std::size_t>(i);
      const int step = steps[k][taken[k]++];
      sample.string.push_back(first_symbol + 2 * i + (step < 0));
      open[k] += static_cast<std::size_t>(step);
      sets.push_back(set_of(open));
    }
    sample.labels = at_every_position(std::move(sets));
    return sample;
  }

  Labels solve(const std::vector<int>& string) const override {
    std::vector<std::uint64_t> sets;
    for (auto read = string.begin() + 1; sets.size() < string.size(); ++read) {
      std::vector<std::size_t> open;
      for (int symbol = first_symbol; symbol < vocabulary(); symbol += 2)
        open.push_back(static_cast<std::size_t>(std::count(string.begin(), read, symbol) -
                                                std::count(string.begin(), read, symbol + 1)));
      sets.push_back(set_of(open));
    }
    return at_every_position(std::move(sets));
  }

  void check_length(std::size_t n) const override {
    DenseTask::check_length(n);
    check_bracket_length(name(), n);
  }
  // Up to n/2 kinds are open at a time.
  double chance(std::size_t n) const override {
    double sets = 0, choices = 1;  // choices: kinds over open
    for (std::size_t open = 0; open <= std::min(pairs_, n / 2); ++open) {
      sets += choices;
      choices *= static_cast<double>(pairs_ - open) / static_cast<double>(open + 1);
    }
    return 1 / sets;
  }
  // With m_i pairs of kind i there are (2m)! / prod (2 m_i)! orders of kinds and prod Catalan(m_i) strings, that is
  // (2m)! prod 1 / (m_i! (m_i + 1)!).
  std::optional<double> space(std::size_t n) const override {
    const std::size_t m = n / 2;
    double logarithm = std::log(sums(m).back()[m]) + 2 * mean(m) * static_cast<double>(pairs_) -
                       2 * std::log(mean(m)) * static_cast<double>(m);
    for (std::size_t i = 2; i <= 2 * m; ++i) logarithm += std::log(i);
    return std::round(std::exp(logarithm));
  }

 private:
  std::uint64_t set_of(const std::vector<std::size_t>& open) const {
    std::uint64_t openers = 0, closers = 0;
    for (std::size_t i = 0; i < pairs_; ++i) {
      openers |= only(static_cast<int>(2 * i));
      if (open[i] > 0) closers |= only(static_cast<int>(2 * i + 1));
    }
    return openers | (closers == 0 ? end : closers);
  }

  // Pairs of a kind, on average. Weights are near 1 there with mean^2 as a factor for each pair, which changes nothing
  // given their number, and exp(-2 mean) as one for each kind.
  double mean(std::size_t m) const { return std::max(1.0, static_cast<double>(m) / static_cast<double>(pairs_)); }
  // 1 / (j! (j + 1)!) for j = 0 .. m, with these factors.
  std::vector<double> weights(std::size_t m) const {
    double logarithm = -2 * mean(m);
    std::vector<double> weights{std::exp(logarithm)};
    for (std::size_t j = 1; j <= m; ++j) {
      logarithm += 2 * std::log(mean(m)) - std::log(j) - std::log(j + 1);
      weights.push_back(std::exp(logarithm));
    }
    return weights;
  }
  // [k][m]: the sum of prod weights(m_i) over m_1 + .. + m_k = m.
  std::vector<std::vector<double>> sums(std::size_t m) const {
    const std::vector<double> weight = weights(m);
    std::vector<std::vector<double>> sums(pairs_ + 1, std::vector<double>(m + 1));
    sums[0][0] = 1;
    for (std::size_t k = 1; k <= pairs_; ++k)
      for (std::size_t i = 0; i <= m; ++i)
        for (std::size_t j = 0; j <= i; ++j) sums[k][i] += weight[j] * sums[k - 1][i - j];
    return sums;
  }
  std::vector<std::size_t> pairs_of_kinds(std::size_t m, Rng& rng) const {
    const std::vector<double> weight = weights(m);
    const auto sums = this->sums(m);
    std::vector<std::size_t> all;
    for (std::size_t k = pairs_; k-- > 0;) {
      std::vector<double> shares;
      for (std::size_t j = 0; j <= m; ++j) shares.push_back(weight[j] * sums[k][m - j]);
      all.push_back(weighted(rng, shares));
      m -= all.back();
    }
    return all;
  }

  std::size_t pairs_;
};

const bool registered = register_task<ShuffleDyck>({
    .section = {"shuffle_dyck",
                "Which brackets can follow where each kind is balanced by itself.",
                {bracket_pairs_option(2)}},
    .length = "brackets",
    .source = "Suzgun et al. 2019 (arXiv:1911.03329); Bhattamishra et al. 2020 (arXiv:2009.11264)",
    .definition = "1: x is a uniform word of length n; the label of a position is the set of brackets that can follow",
});

}  // namespace
}  // namespace lengthwise
