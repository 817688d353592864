#include "experiments/decode.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace lengthwise {

template <class T>
int pick_token(Matrix<const T> logits, const Sampling& sampling, Rng rng) {
  const T* row = logits.row(0);
  if (sampling.temperature == 0) return static_cast<int>(std::max_element(row, row + logits.cols) - row);
  std::vector<std::size_t> order(logits.cols);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  if (sampling.top > 0 && sampling.top < order.size()) order.resize(sampling.top);
  std::vector<double> reached;  // running sums of weights
  double total = 0;
  for (const std::size_t token : order)
    reached.push_back(total += std::exp(static_cast<double>(row[token] - row[order[0]]) / sampling.temperature));
  const auto at = std::ranges::upper_bound(reached, rng.uniform(0, total)) - reached.begin();
  return static_cast<int>(order[std::min(static_cast<std::size_t>(at), order.size() - 1)]);
}

template <class T>
Decoder<T>::Decoder(const Transformer<T>& model, Batch whole, std::size_t given)
    : model_(model), whole_(std::move(whole)), tokens_(given) {
  const ModelConfig& config = model.config();
  if (!config.shape.causal || whole_.sequences() != 1 || given == 0 || given > room())
    throw std::logic_error("a decoder needs a causal model and one sequence with something given");
  const bool follows = std::ranges::any_of(config.encodings.names(), [&](const std::string& name) {
    const EncodingInfo& info = encoding_info(name);
    return info.follows_length && info.follows_length(config.options.at(name));
  });
  if (!follows) cache_.emplace(config, room());
}

template <class T>
Variable<T> Decoder<T>::next() {
  Batch batch;
  batch.tokens.assign(whole_.tokens.begin(), whole_.tokens.begin() + static_cast<std::ptrdiff_t>(tokens_));
  if (!whole_.first_seen.empty())
    batch.first_seen.assign(whole_.first_seen.begin(),
                            whole_.first_seen.begin() + static_cast<std::ptrdiff_t>(tokens_));
  batch.offsets = {0, tokens_};
  batch.scored = {tokens_ - 1};
  batch.scored_offsets = {0, 1};
  batch.answer = {1};
  batch.positions = whole_.positions.first(tokens_);
  if (whole_.positions_of_layer)
    batch.positions_of_layer = [this](std::size_t layer) { return whole_.positions_of_layer(layer).first(tokens_); };
  batch.sequence_rng = whole_.sequence_rng;
  return model_.logits(batch, Phase::evaluate, {}, cache_ ? &*cache_ : nullptr);
}

template <class T>
void Decoder<T>::append(int token) {
  if (tokens_ == room()) throw std::logic_error("a decoder has no room for another token");
  whole_.tokens[tokens_++] = static_cast<std::size_t>(token);
}

template <class T>
std::vector<int> write_tokens(Decoder<T>& decoder, std::size_t most, bool ends, const Sampling& sampling,
                              const Rng& rng) {
  std::vector<int> tokens;
  while (tokens.size() < most) {
    tokens.push_back(pick_token(decoder.next().value(), sampling, rng.at(tokens.size())));
    if ((ends && tokens.back() == EOS) || decoder.tokens() == decoder.room()) break;
    decoder.append(tokens.back());
  }
  return tokens;
}

#define LENGTHWISE_INSTANTIATE(T)                                 \
  template int pick_token(Matrix<const T>, const Sampling&, Rng); \
  template class Decoder<T>;                                      \
  template std::vector<int> write_tokens(Decoder<T>&, std::size_t, bool, const Sampling&, const Rng&);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
