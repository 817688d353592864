// One layer's attention between given q, k and v, the encoding's terms included.
#pragma once

#include "experiments/encoding_layer.h"

namespace lengthwise {

class AttentionCase {
 public:
  /// `sequences` of n tokens, causal. Heads of width 16 up to n = 64, as in size A, and of 32 beyond, as in size B.
  AttentionCase(const std::string& encoding, std::size_t n, std::size_t sequences)
      : head_dim_(n <= 64 ? 16 : 32),
        width_(heads * head_dim_),
        layer_(encoding, "sequential",
               {.layers = 1, .width = width_, .heads = heads, .causal = true, .train_positions = n},
               Options(encoding_info(encoding).section)),
        q_(input(sequences * n, 1)),
        k_(input(sequences * n, 2)),
        v_(input(sequences * n, 3)),
        x_(input(sequences * n, 4)),
        d_out_(input(sequences * n, 5)),
        pairs_(static_cast<double>(sequences * n * (n + 1)) / 2) {
    for (std::size_t b = 0; b <= sequences; ++b) numbering_.offsets.push_back(b * n);
  }

  Variable<float> forward() const {
    return layer_.with(numbering_, [&](const Encoding<float>& encoding, const Context& context) {
      const QueryKey<float> qk = encoding.transform({leaf(q_), leaf(k_)}, context);
      return attention(qk.q, qk.k, leaf(v_), {.heads = heads, .causal = true, .offsets = numbering_.offsets},
                       {HeadGroup<float>{{0, heads}, encoding.scale(head_dim_), encoding.terms(leaf(x_), context)}});
    });
  }
  void forward_backward() {
    gradients_.resize(layer_.store().flat().cols);
    Tape<float> tape({gradients_.data(), 1, gradients_.size(), gradients_.size()});
    tape.backward(forward(), d_out_);
  }

  /// Of the products of a forward pass, below the diagonal alone; forward and backward take three times as many.
  double forward_flops() const { return 4 * pairs_ * static_cast<double>(width_); }
  std::size_t tokens() const { return numbering_.offsets.back(); }

 private:
  static constexpr std::size_t heads = 4;
  Array<float> input(std::size_t rows, std::uint64_t seed) const { return random_array<float>(rows, width_, seed); }

  std::size_t head_dim_, width_;
  EncodingLayer<float> layer_;
  Array<float> q_, k_, v_, x_, d_out_;
  double pairs_;
  Numbering numbering_;
  std::vector<float> gradients_;
};

}  // namespace lengthwise
