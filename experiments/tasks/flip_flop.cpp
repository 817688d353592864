// Flip-flop language:  w 1 i 0 i 1 r -> 1, the bit that was written last.
//
// Source   Liu et al. 2023 (arXiv:2306.00946). Their FFL(T, p) has T = 2n tokens; they train at ignore = 0.8 and test
// at
//          0.98 (rare writes) and 0.1 (dense ones) too.
// n        instructions, from 2 on: each is w, i or r and a bit. The first is w, the last is r, those between are
//          independent: i with probability p_i, w and r with (1 - p_i) / 2 each. Bits of w and i are uniform, the bit
//          of an r is that of the last w.
// Scored   the bit after each r.
// Options  ignore (0.8): p_i; `lengthwise evaluate` may change it.
// Throws   for bidirectional models, which would read the bit they predict.
// Chance   1/2.
#include "experiments/tasks/task.h"

namespace lengthwise {
namespace {

constexpr int write = first_symbol, ignore = first_symbol + 1, read = first_symbol + 2, zero = first_symbol + 3;

class FlipFlop final : public DenseTask {
 public:
  FlipFlop(const Options& options, Layout layout) : DenseTask(layout), ignore_(options.real("ignore")) {
    require(layout == Layout::causal, "flip_flop: a bidirectional model reads the bit it should predict; set ",
            "model.attention = causal.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    Sample sample;
    int written = zero;
    for (std::size_t i = 0; i < n; ++i) {
      const int free = rng.uniform() < ignore_ ? ignore : rng.flip() ? write : read;
      const int instruction = i == 0 ? write : i == n - 1 ? read : free;
      const int bit = instruction == read ? written : zero + rng.flip();
      if (instruction == write) written = bit;
      if (instruction == read) sample.labels.at.push_back(2 * i), sample.labels.tokens.push_back(bit);
      sample.string.insert(sample.string.end(), {instruction, bit});
    }
    return sample;
  }

  Labels solve(const std::vector<int>& string) const override {
    Labels labels;
    for (auto place = string.begin(); (place = std::find(place, string.end(), read)) != string.end(); ++place) {
      const auto last_write = std::find(std::reverse_iterator(place), string.rend(), write);
      labels.at.push_back(static_cast<std::size_t>(place - string.begin()));
      labels.tokens.push_back(*last_write.base());  // the token after the write
    }
    return labels;
  }

  void check_length(std::size_t n) const override {
    require(n >= 2, name(), ": the length is ", n, "; it starts at 2, a write and a read.");
  }
  std::size_t string_tokens(std::size_t n) const override { return 2 * n; }
  int symbols() const override { return 5; }
  std::string symbol(int index) const override { return std::string(1, "wir01"[index]); }
  double chance(std::size_t) const override { return 0.5; }
  std::optional<double> space(std::size_t n) const override {
    return 2 * std::pow((ignore_ > 0 ? 2 : 0) + (ignore_ < 1 ? 3 : 0), n - 2);
  }

 private:
  double ignore_;
};

const bool registered = register_task<FlipFlop>({
    .section =
        {"flip_flop",
         "Read the bit that was written last, past others to ignore.",
         {real("ignore", 0.8).at_least(0).at_most(1).changeable().says("probability of an instruction to ignore")}},
    .length = "instructions, a bit each",
    .source = "Liu et al. 2023 (arXiv:2306.00946)",
    .notes = "w writes the bit after it, i has one to be ignored, and r has the one that was written last",
    .definition = "1: x is n instructions w, i, r with their bits; the label of an r is the bit of the last w",
});

}  // namespace
}  // namespace lengthwise
