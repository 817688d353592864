// Masked language modelling of pairs of passages, and whether the second follows the first:
//
//     [CLS] passage A [SEP] passage B [SEP]      segment 0 up to the first [SEP], then 1
//
// Source   Devlin et al. 2018 (arXiv:1810.04805), sections 3.1 and A.1, on bytes in place of word pieces.
// n        bytes of both passages together, from 2 on; a pair has n + 3 tokens.
// Pairs    A has 1 .. n - 1 bytes, uniformly, and B the others: in half of the pairs the bytes right after A, otherwise
//          some from elsewhere in the same part of the text.
// Masks    round(masked * n) bytes, at least one, are to be told: 80 % of them read [MASK], 10 % another random byte
//          and 10 % themselves.
// Targets  the row of [CLS] answers with one of two symbols of its own, "next" or "other"; the row of a masked byte
// with
//          the byte. `targets` leaves out either, so that a trained model can be asked for each alone.
// Ids      channel "segment".
// Options  those of corpus.h, masked (0.15), targets (both, masked, next_sentence).
// Throws   for causal models.
// Deviates losses are averaged over all scored rows together, not per objective: [CLS] weighs as much as one byte.
// Chance   1/2 for [CLS] and 1/256 for a byte, averaged over the rows.
#include <algorithm>

#include "experiments/tasks/corpus.h"

namespace lengthwise {
namespace {

enum Symbol : int { CLS = 256, SEPARATOR, MASK, NEXT, OTHER, symbol_count };

class MaskedLm final : public Task {
 public:
  MaskedLm(const Options& options, Layout layout)
      : corpus_(options),
        masked_(options.real("masked")),
        tells_bytes_(options.text("targets") != "next_sentence"),
        tells_next_(options.text("targets") != "masked") {
    require(layout != Layout::causal, "masked_lm: a causal model cannot read what stands after a mask; set ",
            "model.attention = bidirectional.");
  }

  int vocabulary() const override { return symbol_count; }
  std::size_t max_tokens(std::size_t n) const override { return n + 3; }
  void check_length(std::size_t n) const override {
    require(n >= 2 && n <= corpus_.size(), "masked_lm: length ", n, ": two passages have at least 2 bytes, and '",
            corpus_.name(), "' has ", corpus_.size(), "; lengths are 2 .. ", corpus_.size(), ".");
  }
  void check_supply(Stream stream, std::size_t n, std::size_t count) const override {
    check_length(n);
    corpus_.check_supply(stream, n, n, count);
  }

  Example example(std::size_t n, const Draw& draw) const override {
    const bool evaluation = draw.stream == Stream::evaluation;
    const std::size_t longest = evaluation ? draw.longest : n;
    check_supply(draw.stream, longest, evaluation ? draw.count : 0);
    const std::size_t a_begin = corpus_.window(n, longest, draw);
    Rng rng = draw.rng.at("pair");
    const auto a_size = static_cast<std::size_t>(rng.between(1, static_cast<std::int64_t>(n) - 1));
    const bool next = rng.flip();
    const std::size_t b_begin = next ? a_begin + a_size : elsewhere(a_begin + a_size, n - a_size, draw.stream, rng);

    Example pair;
    const auto add = [&](int token, int segment) {
      pair.tokens.push_back(token);
      pair.ids["segment"].push_back(segment);
    };
    add(CLS, 0);
    for (std::size_t i = 0; i < a_size; ++i) add(corpus_[a_begin + i], 0);
    add(SEPARATOR, 0);
    for (std::size_t i = 0; i < n - a_size; ++i) add(corpus_[b_begin + i], 1);
    add(SEPARATOR, 1);

    if (tells_next_) {
      pair.scored.push_back(0);
      pair.targets.push_back(next ? NEXT : OTHER);
    }
    std::vector<std::size_t> hidden = rng.distinct(n, hidden_bytes(n));
    std::ranges::sort(hidden);
    for (const std::size_t byte : hidden) {
      const std::size_t row = byte + (byte < a_size ? 1 : 2);
      if (tells_bytes_) {
        pair.scored.push_back(row);
        pair.targets.push_back(pair.tokens[row]);
      }
      const double share = rng.uniform();
      if (share < 0.9) pair.tokens[row] = share < 0.8 ? MASK : static_cast<int>(rng.below(256));
    }
    pair.answer = pair.scored.size();
    return pair;
  }

  double chance(std::size_t n) const override {
    const auto bytes = static_cast<double>(tells_bytes_ ? hidden_bytes(n) : 0);
    return (0.5 * tells_next_ + bytes / 256) / (tells_next_ + bytes);
  }
  std::string word(int token) const override {
    static const char* const names[] = {"[CLS]", "[SEP]", "[MASK]", "next", "other"};
    return token < CLS ? Corpus::word(token) : names[token - CLS];
  }
  std::string data() const override { return corpus_.data(); }

 private:
  std::size_t hidden_bytes(std::size_t n) const {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(masked_ * static_cast<double>(n))));
  }

  /// Where `size` bytes of the stream's part begin, uniformly but for `not_here`.
  std::size_t elsewhere(std::size_t not_here, std::size_t size, Stream stream, Rng& rng) const {
    const Corpus::Part part = corpus_.part(stream);
    const std::size_t begin = part.begin + rng.below(part.size() - size);
    return begin < not_here ? begin : begin + 1;
  }

  Corpus corpus_;
  double masked_;
  bool tells_bytes_, tells_next_;
};

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> all = corpus_options();
  all.push_back(real("masked", 0.15).above(0).at_most(1).says("share of the bytes that are to be told"));
  all.push_back(choice("targets", "both", {"both", "masked", "next_sentence"})
                    .changeable()
                    .says("what is scored: the masked bytes, whether the second passage is the next, or both"));
  return all;
}

const bool registered = register_task<MaskedLm>({
    .section = {"masked_lm", "Tell the hidden bytes of two passages, and whether the second follows the first.",
                options()},
    .length = "bytes of both passages",
    .source = "Devlin et al. 2018 (arXiv:1810.04805)",
    .definition = "1: [CLS] A [SEP] B [SEP]; a share of the bytes masked 80/10/10; B next or from elsewhere, half each",
    .identity = corpus_identity,
});

}  // namespace
}  // namespace lengthwise
