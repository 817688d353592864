// An encoding as a layer of attention meets it: made by name, given ids, its hooks called directly.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/attention.h"
#include "core/gradcheck.h"
#include "encodings/registry.h"
#include "tests/golden.h"

namespace lengthwise {

using OptionValues = std::map<std::string, std::string>;

inline Options encoding_options(const std::string& encoding, const OptionValues& values = {}) {
  return Options(encoding_info(encoding).section, values);
}

/// 0, 1, ..., n-1: the ids of sequential positions.
std::vector<double> counting(std::size_t n);

template <class T>
class Harness {
 public:
  /// `ids`: those of each sequence of the batch.
  Harness(const std::string& encoding, const OptionValues& options, const ModelShape& shape,
          const std::vector<std::vector<double>>& ids)
      : shape_(shape), options_(encoding_options(encoding, options)), store_(1) {
    if (encoding_info(encoding).check) encoding_info(encoding).check(options_, shape_);
    std::vector<double> all;
    for (const auto& sequence : ids) {
      all.insert(all.end(), sequence.begin(), sequence.end());
      offsets_.push_back(all.size());
    }
    positions_.set("sequence", std::move(all));
    encoding_ = make_encoding<T>(encoding, {shape_, 0, {0, shape_.heads}, options_, store_});
  }
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  const Encoding<T>& encoding() const { return *encoding_; }
  ParameterStore<T>& store() { return store_; }
  /// What follows every step of training.
  void clamp() { encoding_->after_update(); }
  Matrix<T> parameter(const std::string& name) { return store_.values(*store_.find(name)); }
  const std::vector<std::size_t>& offsets() const { return offsets_; }
  Positions& positions() { return positions_; }

  /// Of a new forward pass.
  Context context() {
    memo_ = Memo();
    return {.heads = {0, shape_.heads},
            .phase = Phase::evaluate,
            .causal = shape_.causal,
            .positions = &positions_,
            .offsets = offsets_,
            .train_positions = shape_.train_positions,
            .memo = &memo_};
  }

  Array<T> embed(const Array<T>& x) { return copied(encoding_->embed(constant(x), context()).value()); }
  Array<T> rotate(const Array<T>& x) {
    return copied(encoding_->transform({constant(x), constant(x)}, context()).q.value());
  }

  /// What the terms add to the scores of the first sequence: [H n, n], 0 where the mask falls.
  Variable<T> bias() {
    const std::size_t n = offsets_[1];
    const auto terms = encoding_->terms({}, context()).scores;
    EXPECT_EQ(terms.size(), 1u);
    const auto term = terms[0];
    Array<T> values = zeros<T>(shape_.heads * n, n);
    for (std::size_t h = 0; h < shape_.heads; ++h) {
      const Whole whole(n, h, shape_.causal);
      Scratch<T> scratch;
      term->forward(whole.tile, view(values).block_rows(h * n, n), scratch);
    }
    return record<T>("bias", std::move(values), term->inputs(), [this, term, n](Array<T>& gradient, Sink<T>& into) {
      std::vector<Matrix<T>> inputs;
      for (std::size_t p = 0; p < into.size(); ++p) inputs.push_back(into.wants(p) ? into.accumulator(p) : Matrix<T>{});
      for (std::size_t h = 0; h < shape_.heads; ++h) {
        const Whole whole(n, h, shape_.causal);
        Scratch<T> scratch;
        TileGradient<T> to{{}, {}, {}, inputs};
        term->backward(whole.tile, view(gradient).block_rows(h * n, n), scratch, to);
      }
    });
  }

  /// The attention weights for given content scores (after 1/sqrt(d)) of the first sequence: [n, H n] each. The head
  /// width must be n, so that unit vectors serve as keys and values.
  Array<T> weights(const Array<T>& scores) {
    const std::size_t n = offsets_[1];
    EXPECT_EQ(shape_.head_dim(), n);
    Array<T> q = scores, unit = zeros<T>(n, shape_.width);
    rescale(view(q), 1 / encoding_->scale(n));
    for (std::size_t h = 0; h < shape_.heads; ++h)
      for (std::size_t j = 0; j < n; ++j) unit(j, h * n + j) = 1;
    const AttentionShape attention_shape{.heads = shape_.heads, .causal = shape_.causal, .offsets = {0, n}};
    const HeadGroup<T> group{{0, shape_.heads}, encoding_->scale(n), encoding_->terms({}, context())};
    return copied(attention(constant(q), constant(unit), constant(unit), attention_shape, {group}).value());
  }

  static Array<T> copied(Matrix<const T> values) {
    Array<T> copy_of = uninitialized<T>(values.rows, values.cols);
    copy(values, view(copy_of));
    return copy_of;
  }

 private:
  // The first sequence as one tile, without q, k and v.
  struct Whole {
    Whole(std::size_t n, std::size_t head, bool causal) : rows(n), visible(n) {
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      for (std::size_t i = 0; i < n; ++i) visible[i] = {0, causal ? i + 1 : n};
      tile.head = head;
      tile.length = n;
      tile.query_rows = rows;
      tile.visible = visible;
      tile.k.rows = n;
    }
    std::vector<std::size_t> rows;
    std::vector<KeyRange> visible;
    Tile<T> tile;
  };

  ModelShape shape_;
  Options options_;
  ParameterStore<T> store_;
  Positions positions_;
  std::vector<std::size_t> offsets_{0};
  Memo memo_;
  std::unique_ptr<Encoding<T>> encoding_;
};

extern template class Harness<double>;

/// [B, H, n, d] -> [B n, H d], and back.
Array<double> tokens_by_channels(const GoldenArray& golden);
std::vector<double> heads_apart(Matrix<const double> x, std::size_t sequences, std::size_t heads);

double largest_difference(const Array<double>& a, const Array<double>& b);

/// Which bucket of T5 a query reads whose id is `displacement` more than its key's.
double t5_bucket(const OptionValues& options, bool causal, double displacement);

/// The message of the InputError that `call` throws; fails when it throws none.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

}  // namespace lengthwise
