// One attention layer around an encoding, without a model: what the contract and the property report look at.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/attention.h"
#include "core/gradcheck.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "encodings/registry.h"

namespace lengthwise {

/// What tasks hand over, for sequences of these offsets: runs of digits with a gap, ids shared by several tokens, a
/// grid, two segments.
inline std::map<std::string, std::vector<double>> example_hints(const std::vector<std::size_t>& offsets,
                                                                std::size_t grid_columns = 3) {
  std::map<std::string, std::vector<double>> hints;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
    for (std::size_t i = 0; i < offsets[b + 1] - offsets[b]; ++i) {
      hints["digit"].push_back(static_cast<double>(i % 4));
      hints["coupled"].push_back(static_cast<double>(i % 5));
      hints["operand"].push_back(static_cast<double>(i % 3));
      hints["row"].push_back(static_cast<double>(i / grid_columns));
      hints["column"].push_back(static_cast<double>(i % grid_columns));
      hints["segment"].push_back(static_cast<double>(i % 3 == 1));
    }
  return hints;
}

/// The largest absolute difference of two entries; infinite where one is not a number.
template <class A, class B>
double largest_difference(Matrix<const A> a, Matrix<const B> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) {
      const double away = std::abs(static_cast<double>(a(i, j)) - static_cast<double>(b(i, j)));
      worst = std::isnan(away) ? INFINITY : std::max(worst, away);
    }
  return worst;
}

/// The sequences of a batch and how their tokens are numbered.
struct Numbering {
  std::vector<std::size_t> offsets;  // B + 1
  double shift = 0;                  // added to every id the encoding reads
  Phase phase = Phase::train;
};

template <class T>
class EncodingLayer {
 public:
  EncodingLayer(std::string encoding, const std::string& scheme, const ModelShape& shape, const Options& options)
      : name_(std::move(encoding)),
        shape_(shape),
        options_(options),
        scheme_(make_scheme(scheme, Options(schemes().at(scheme).section))),
        store_(5),
        encoding_(make_encoding<T>(name_, {shape_, 0, {0, shape_.heads}, options_, store_})),
        own_(store_.list().size()) {
    for (const char* name : {"q", "k", "v"})
      projections_.push_back(store_.create(name, shape_.width, shape_.width, initial_normal(0.5)));
  }

  /// Moves every parameter off its initial value: zeros hide errors, and so do equal rows.
  void stir() {
    for (std::size_t p = 0; p < store_.list().size(); ++p) {
      // Keyed by number: offsets in the store differ between float and double.
      const ParameterInfo& info = store_.list()[p];
      const Array<double> noise = random_array<double>(info.rows, info.cols, 7 + p);
      const Matrix<T> values = store_.values(info);
      for (std::size_t i = 0; i < values.rows; ++i)
        for (std::size_t j = 0; j < values.cols; ++j) values(i, j) += static_cast<T>(0.3 * noise(i, j));
    }
    encoding_->after_update();
  }

  /// Calls use(encoding, context) as a forward pass would.
  template <class Use>
  auto with(const Numbering& numbering, Use use) const {
    const std::vector<std::size_t>& offsets = numbering.offsets;
    Positions positions;
    std::vector<Rng> streams;
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) streams.push_back(Rng(3).at(offsets[b + 1] - offsets[b]));
    const auto hints = example_hints(offsets);
    for (const auto& [channel, ids] : hints) positions.set(channel, ids);
    scheme_->assign({numbering.phase, offsets, &hints, streams, shape_.train_positions}, positions);
    for (const std::string& channel : encoding_info(name_).channels) {
      const auto ids = positions.channel(channel);
      std::vector<double> moved(ids.begin(), ids.end());
      for (double& p : moved) p += numbering.shift;
      positions.set(channel, std::move(moved));
    }
    Memo memo;
    return use(std::as_const(*encoding_), Context{.layer = 0,
                                                  .heads = {0, shape_.heads},
                                                  .phase = numbering.phase,
                                                  .causal = shape_.causal,
                                                  .positions = &positions,
                                                  .offsets = offsets,
                                                  .train_positions = shape_.train_positions,
                                                  .memo = &memo});
  }

  /// x [tokens, D] -> [tokens, D]; or, where only the last token of each sequence asks, [B, D].
  Variable<T> attend(const Variable<T>& x, const Numbering& numbering, std::size_t tile_rows = 0,
                     bool last_alone = false) const {
    return with(numbering, [&](const Encoding<T>& encoding, const Context& context) {
      const Variable<T> h = encoding.embed(x, context);
      QueryKey<T> qk{linear(h, projections_[0].variable()), linear(h, projections_[1].variable())};
      qk = encoding.transform(qk, context);
      AttentionShape shape{
          .heads = shape_.heads, .causal = shape_.causal, .offsets = numbering.offsets, .tile_rows = tile_rows};
      if (last_alone) {
        std::vector<std::size_t> asking;
        for (std::size_t b = 0; b + 1 < numbering.offsets.size(); ++b) {
          shape.query_offsets.push_back(b);
          shape.query_rows.push_back(numbering.offsets[b + 1] - numbering.offsets[b] - 1);
          asking.push_back(numbering.offsets[b + 1] - 1);
        }
        shape.query_offsets.push_back(asking.size());
        qk.q = select_rows(qk.q, asking);
      }
      const HeadGroup<T> group{{0, shape_.heads}, encoding.scale(shape_.head_dim()), encoding.terms(h, context)};
      return attention(qk.q, qk.k, linear(h, projections_[2].variable()), shape, {group});
    });
  }

  const PositionScheme& scheme() const { return *scheme_; }
  ParameterStore<T>& store() { return store_; }
  /// How many of the store's parameters are the encoding's.
  std::size_t own_parameters() const { return own_; }

 private:
  std::string name_;
  ModelShape shape_;
  Options options_;
  std::unique_ptr<PositionScheme> scheme_;
  ParameterStore<T> store_;
  std::unique_ptr<Encoding<T>> encoding_;
  std::size_t own_;
  std::vector<Parameter<T>> projections_;
};

}  // namespace lengthwise
