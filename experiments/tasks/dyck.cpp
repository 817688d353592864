// Dyck-k:  ( [ ] ) [ ], brackets of k kinds that close in the order opposite to that of opening.
//
// Source   Bhattamishra et al. 2020 (arXiv:2009.11264) for the sets of next symbols and the grammar; Hewitt et al. 2020
//          (arXiv:2010.07515) and Yao et al. 2021 (arXiv:2105.11115) for the bound on the depth. With one kind and
//          depth m this is also the star-free D_m = (a D_{m-1} b)*, D_0 = the empty word.
// n        brackets, even. The source grows words by the grammar S -> (_i S )_i | S S | nothing with probabilities p, q
//          and 1 - p - q, the kind i uniform, and throws those of other lengths away; here the same distribution is
//          drawn without waiting, from the weight of all derivations of m pairs of depth at most D,
//              W_D(m) = p W_{D-1}(m-1) + q sum_{j=0..m} W_D(j) W_D(m-j)   + (1 - p - q where m = 0).
// Options  pairs (2): k, depth (0: any), p (0.5), q (0.25).
// Chance   one over the number of sets: with nothing open, with kind i innermost, each with or without room to open.
#include "experiments/tasks/brackets.h"
#include "experiments/tasks/language.h"

namespace lengthwise {
namespace {

class Dyck final : public LanguageTask {
 public:
  Dyck(const Options& options, Layout layout)
      : LanguageTask(layout, bracket_names(options.count("pairs"))),
        pairs_(options.count("pairs")),
        depth_(options.count("depth")),
        q_(options.real("q")) {
    const double p = options.real("p");
    require(p + q_ < 1, "dyck: p = ", p, " and q = ", q_, " leave no way for a word to end; p + q must be below 1.");
    nothing_ = 1 - p - q_;
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const Weights weights = this->weights(n / 2);
    std::vector<int> steps;
    grow(n / 2, weights.size() - 1, weights, rng, steps);
    Sample sample;
    sample.string = as_tokens(with_kinds(steps, pairs_, rng));
    std::vector<int> open;
    std::vector<std::uint64_t> sets;
    for (const int token : sample.string) {
      const int symbol = token - first_symbol;
      opens(symbol) ? open.push_back(kind(symbol)) : open.pop_back();
      std::uint64_t set = open.empty() ? end : only(2 * open.back() + 1);
      if (depth_ == 0 || open.size() < depth_) set |= openers();
      sets.push_back(set);
    }
    sample.labels = at_every_position(std::move(sets));
    return sample;
  }

  // Read backwards, the first bracket that closes nothing read before is the innermost open one.
  Labels solve(const std::vector<int>& string) const override {
    std::vector<std::uint64_t> sets;
    for (std::size_t read = 1; read <= string.size(); ++read) {
      int innermost = -1;
      std::size_t depth = 0, closed = 0;
      for (std::size_t i = read; i-- > 0;) {
        const int symbol = string[i] - first_symbol;
        if (!opens(symbol)) {
          ++closed;
        } else if (closed > 0) {
          --closed;
        } else if (++depth == 1) {
          innermost = kind(symbol);
        }
      }
      const bool room = depth_ == 0 || depth < depth_;
      sets.push_back((depth == 0 ? end : only(2 * innermost + 1)) | (room ? openers() : 0));
    }
    return at_every_position(std::move(sets));
  }

  void check_length(std::size_t n) const override {
    DenseTask::check_length(n);
    check_bracket_length(name(), n);
    require(q_ > 0 || depth_ == 0 || n / 2 <= depth_, name(), ": with q = 0 all pairs are nested, and the ", n / 2,
            " pairs of length ", n, " exceed dyck.depth = ", depth_, ". Raise one of them, or stay at lengths up to ",
            2 * depth_, ".");
  }
  double chance(std::size_t n) const override {
    // Nothing is open at the end at least. A kind is innermost below the deepest level, or at it, where none opens.
    const std::size_t deepest = depth_ == 0 ? n / 2 : std::min(depth_, n / 2);
    const bool full = depth_ != 0 && deepest == depth_, partly = deepest > 1 || !full;
    return 1 / static_cast<double>(1 + pairs_ * (full + partly));
  }
  std::optional<double> space(std::size_t n) const override {
    const std::size_t m = n / 2;
    return std::pow(pairs_, m) * (q_ > 0 ? balanced_strings(m, depth_ == 0 ? m : depth_) : 1);
  }

 private:
  // [depth][pairs]; one row where the depth has no bound. A bound makes long words so rare that a double would not do.
  using Weights = std::vector<std::vector<long double>>;

  std::uint64_t openers() const {
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < pairs_; ++i) set |= only(static_cast<int>(2 * i));
    return set;
  }

  // Given the number of pairs, a factor for each pair changes nothing: this one keeps weights from growing or
  // vanishing.
  double pair_weight() const { return 1 - 2 * std::sqrt(q_ * nothing_); }

  Weights weights(std::size_t m) const {
    // W(0) = (1 - p - q) + q W(0)^2, and with its terms of j = 0 and j = m on the left, W(m) is multiplied by this
    // root.
    const double root = std::sqrt(1 - 4 * q_ * nothing_);
    const double empty = q_ > 0 ? (1 - root) / (2 * q_) : nothing_;
    const bool bounded = depth_ != 0 && depth_ < m;
    Weights weights(bounded ? depth_ + 1 : 1, std::vector<long double>(m + 1));
    for (std::size_t d = 0; d < weights.size(); ++d) {
      weights[d][0] = empty;
      if (bounded && d == 0) continue;
      for (std::size_t i = 1; i <= m; ++i) {
        long double weight = pair_weight() * weights[bounded ? d - 1 : d][i - 1];
        for (std::size_t j = 1; j < i; ++j) weight += q_ * weights[d][j] * weights[d][i - j];
        weights[d][i] = weight / root;
      }
    }
    return weights;
  }

  // Appends a string of m pairs, of depth at most d where there is a bound.
  void grow(std::size_t m, std::size_t d, const Weights& weights, Rng& rng, std::vector<int>& steps) const {
    if (m == 0) return;
    const std::size_t inside = weights.size() > 1 ? d - 1 : d;
    const auto share = [&](long double weight) { return static_cast<double>(weight / weights[d][m]); };
    std::vector<double> shares{share(pair_weight() * weights[inside][m - 1])};
    for (std::size_t j = 1; j < m; ++j) shares.push_back(share(q_ * weights[d][j] * weights[d][m - j]));
    if (const std::size_t j = weighted(rng, shares); j > 0) {
      grow(j, d, weights, rng, steps);
      grow(m - j, d, weights, rng, steps);
      return;
    }
    steps.push_back(1);
    grow(m - 1, inside, weights, rng, steps);
    steps.push_back(-1);
  }

  std::size_t pairs_, depth_;
  double q_, nothing_;
};

const bool registered = register_task<Dyck>({
    .section = {"dyck",
                "Which brackets can follow in balanced brackets of several kinds.",
                {bracket_pairs_option(2),
                 integer("depth", 0).says("most brackets open at a time; 0: any number. D_m is pairs = 1, depth = m"),
                 real("p", 0.5).above(0).below(1).says("probability of a pair around more, in the grammar of words"),
                 real("q", 0.25).at_least(0).below(1).says("probability of two strings in a row")}},
    .length = "brackets",
    .source = "Bhattamishra et al. 2020 (arXiv:2009.11264)",
    .definition = "1: x is a word of the grammar, given its length n; the label of a position is the set of brackets "
                  "that can follow",
});

}  // namespace
}  // namespace lengthwise
