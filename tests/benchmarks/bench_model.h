// The models and the data that benchmarks run on.
#pragma once

#include <map>

#include "experiments/train.h"

namespace lengthwise {

/// Sequences of n random tokens, every row scored.
class RandomTokens final : public Task {
 public:
  explicit RandomTokens(int vocabulary) : vocabulary_(vocabulary) {}
  int vocabulary() const override { return vocabulary_; }
  std::size_t max_tokens(std::size_t n) const override { return n; }
  void check_length(std::size_t) const override {}
  double chance(std::size_t) const override { return 1.0 / vocabulary_; }
  std::string word(int token) const override { return join(token); }
  Example example(std::size_t n, const Draw& draw) const override {
    Rng rng = draw.rng;
    Example made;
    for (std::size_t i = 0; i < n; ++i) {
      made.tokens.push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(vocabulary_))));
      made.scored.push_back(i);
      made.targets.push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(vocabulary_))));
    }
    made.answer = n;
    return made;
  }

 private:
  int vocabulary_;
};

struct BenchSize {
  std::size_t layers, width, heads, length, batch;
  int vocabulary;
};
inline const std::map<std::string, BenchSize>& bench_sizes() {
  static const std::map<std::string, BenchSize> sizes = {
      {"A", {2, 64, 4, 64, 32, 32}}, {"B", {4, 128, 4, 128, 32, 64}}, {"C", {6, 256, 8, 256, 16, 256}}};
  return sizes;
}

/// Multiplications and additions of the matrix products of a step: six per weight and token, and causal attention.
inline double step_flops(const BenchSize& size) {
  const double tokens = static_cast<double>(size.batch * size.length), width = static_cast<double>(size.width);
  const double layers = static_cast<double>(size.layers);
  const double weights = layers * 12 * width * width + width * size.vocabulary;
  return tokens * (6 * weights + layers * 6 * width * static_cast<double>(size.length + 1));
}

inline ModelConfig bench_model(const BenchSize& size, const std::string& encoding) {
  ModelConfig config;
  config.shape = {
      .layers = size.layers, .width = size.width, .heads = size.heads, .causal = true, .train_positions = size.length};
  config.vocabulary = static_cast<std::size_t>(size.vocabulary);
  config.encodings = encoding;
  for (const std::string& name : config.encodings.names()) config.options[name] = Options(encoding_info(name).section);
  return config;
}

inline TrainSettings bench_training(const BenchSize& size) {
  TrainSettings settings;
  settings.task_name = "random";
  settings.batch = size.batch;
  settings.lengths = {size.length};
  settings.schedule = {.kind = Schedule::Kind::constant, .peak = 1e-3};
  return settings;
}

}  // namespace lengthwise
