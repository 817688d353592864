// Byte-level language modelling of a text: the next byte, given those before it in the window.
//
// Data     a token is the value of a byte (13 is one, too); see corpus.h. There is no symbol table to store.
// n        bytes the model reads: a window is n + 1 bytes of the text, the first n as input, the last n as targets.
// Windows  start uniformly at random in training and validation. In evaluation (evaluate.windows)
//            spread     they end at `count` evenly spaced bytes, which depend on count and the longest length alone, so
//                       that every length scores the same bytes when only the last k of a window count;
//            sliding    they follow each other by s bytes from the part's first on, the first scored whole, the others
//                       by their last s. Every length scores the same bytes, those that `count` windows of the longest
//                       cover: it has more windows of the shorter ones. The last window ends with that stretch, and
//                       scores what is left;
//            disjoint   the same with s = n: no byte is context twice, but for the last window.
// Options  those of corpus.h.
// Throws   for bidirectional models, which would read the byte they predict.
// Chance   1/256.
#include <cassert>

#include "experiments/tasks/corpus.h"

namespace lengthwise {
namespace {

class Text final : public Task {
 public:
  Text(const Options& options, Layout layout) : corpus_(options) {
    require(layout == Layout::causal, "text: a bidirectional model reads the byte it should predict; set ",
            "model.attention = causal.");
  }

  int vocabulary() const override { return 256; }
  bool windows() const override { return true; }
  std::size_t max_tokens(std::size_t n) const override { return n; }
  double chance(std::size_t) const override { return 1.0 / 256; }

  void check_length(std::size_t n) const override {
    require(n >= 1 && n < corpus_.size(), "text: a window of length ", n, " has ", n, " + 1 bytes and '",
            corpus_.name(), "' has ", corpus_.size(), "; lengths are 1 .. ", corpus_.size() - 1, ".");
  }
  void check_supply(Stream stream, std::size_t n, std::size_t count) const override {
    check_length(n);
    corpus_.check_supply(stream, n, n + 1, count);
  }

  std::size_t examples(std::size_t n, const Draw& draw) const override {
    if (draw.stride == 0) return draw.count;
    const std::size_t step = std::min(draw.stride, n);
    return 1 + (draw.covered() - n + step - 1) / step;
  }

  Example example(std::size_t n, const Draw& draw) const override {
    assert(draw.stream != Stream::evaluation || (draw.index < examples(n, draw) && n <= draw.longest));
    require(draw.last <= n, "text: a window of length ", n, " cannot score its last ", draw.last,
            " bytes; score at most as many as the shortest length.");
    const auto [begin, scored] = window(n, draw);
    Example example;
    for (std::size_t i = 0; i < n; ++i) example.tokens.push_back(corpus_[begin + i]);
    for (std::size_t i = n - scored; i < n; ++i) {
      example.scored.push_back(i);
      example.targets.push_back(corpus_[begin + i + 1]);
    }
    example.answer = scored;
    return example;
  }

  std::string word(int token) const override { return Corpus::word(token); }
  std::vector<int> read_prompt(const std::string& prompt) const override {  // as it stands, byte by byte
    std::vector<int> tokens;
    for (const char c : prompt) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }
  std::string data() const override { return corpus_.data(); }

 private:
  struct Window {
    std::size_t begin, scored;  // scored: so many last bytes
  };

  Window window(std::size_t n, const Draw& draw) const {
    const bool evaluation = draw.stream == Stream::evaluation;
    if (draw.stride == 0 || !evaluation) {
      const std::size_t longest = evaluation ? draw.longest : n;
      check_supply(draw.stream, longest, evaluation ? draw.count : 0);
      return {corpus_.window(n + 1, longest + 1, draw), draw.last == 0 ? n : draw.last};
    }
    check_supply(draw.stream, draw.covered(), 1);
    const std::size_t step = std::min(draw.stride, n);
    const std::size_t scored_before = draw.index == 0 ? 0 : n + (draw.index - 1) * step;
    const std::size_t end = std::min(n + draw.index * step, draw.covered());
    return {corpus_.part(draw.stream).begin + end - n, end - scored_before};
  }

  Corpus corpus_;
};

const bool registered = register_task<Text>({
    .section = {"text", "Predict each next byte of a text.", corpus_options()},
    .length = "bytes of context",
    .source =
        "byte-level language modelling; the bytes scored at every length as in Press et al. 2021 (arXiv:2108.12409)",
    .definition =
        "1: windows of n + 1 bytes of the stream's part; random starts; evaluation ends evenly spaced by count "
        "and longest",
    .identity = corpus_identity,
});

}  // namespace
}  // namespace lengthwise
