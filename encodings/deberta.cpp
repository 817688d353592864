// Disentangled attention:  S_ij = [Qc_i . Kc_j + Qc_i . Kr[g(p_i - p_j)] + Kc_j . Qr[g(p_i - p_j)]] / sqrt(3 d),
//                          g(x) = clip(x, -K, K - 1) + K,  Kr = P W_kr,  Qr = P W_qr
//
// Source      He, Liu, Gao, Chen 2020 (arXiv:2006.03654), section 3.1; log buckets: published code of versions 2 and 3.
// Parameters  deberta.table (2K, D), P: one for all layers. blocks.N.deberta.key and .query (D, D), W_kr and W_qr, with
//             biases .key_bias and .query_bias (1, D), a layer.
// Options     clip (512): K, in positions. buckets (0): K becomes this many buckets a side instead, exact up to half of
//             it and then growing in equal ratios up to clip; version 3 has 256 and a clip of 512.
//             content_to_position, position_to_content (true): the two terms; the scale counts those there are.
//             p2c_index: delta (default), as above and in all published code; neg_delta: the paper's last term has
//             Qr[g(p_j - p_i)]. Both learn, but differ, as both terms read one table. init_std (0.02).
// Deviates    absolute positions in the decoder head are no part of it. Published code can share W_kr and W_qr with the
//             content's projections, which an encoding does not see: here they are its own.
// Past L      clamp: all distances from K on share a row. Rows of distances that training never met are untrained.
#include "core/ops/linear.h"
#include "core/relative_vectors.h"
#include "encodings/distances.h"

namespace lengthwise {
namespace {

// Version 2's buckets of one side: x itself up to mid, then mid + ceil of the logarithm to the base that brings clip -
// 1 to 2 mid - 1. The public code does it in float; a guard decides whole logarithms here.
double log_bucket(double x, double mid, double clip) {
  const double size = std::min(std::abs(x), clip - 1);
  if (size <= mid) return x;
  const double steps = std::ceil(std::log(size / mid) / std::log((clip - 1) / mid) * (mid - 1) - 1e-9);
  return std::copysign(mid + steps, x);
}

template <class T>
class Deberta final : public Encoding<T> {
 public:
  explicit Deberta(const EncodingSetup<T>& setup)
      : clip_(setup.options.count("clip")),
        buckets_(setup.options.count("buckets")),
        to_position_(setup.options.flag("content_to_position")),
        to_content_(setup.options.flag("position_to_content")),
        mirrored_(setup.options.text("p2c_index") == "neg_delta") {
    const std::size_t width = setup.shape.width;
    const Initializer init = initial_normal(setup.options.real("init_std"));
    table_ = setup.store.table("deberta.table", 2 * span(), width, init);
    const auto projection = [&](const std::string& name) {
      const std::string full = setup.layer_prefix() + "deberta." + name;
      return Projection{setup.store.shared(full, width, width, init, Decay::weights),
                        setup.store.shared(full + "_bias", 1, width, initial_value(0))};
    };
    if (to_position_) key_ = projection("key");
    if (to_content_) query_ = projection("query");
  }

  T scale(std::size_t head_dim) const override {
    return Encoding<T>::scale(head_dim * (1 + std::size_t{to_position_} + std::size_t{to_content_}));
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    struct Shared {
      std::shared_ptr<const RelativeRows> delta, p2c;
    };
    const Shared& rows = context.memo->get<Shared>("deberta", [&] {
      const Distances& found = distances(context);
      return Shared{rows_of(found, 1), rows_of(found, mirrored_ ? -1 : 1)};
    });
    Terms<T> terms;
    if (to_position_) terms.scores.push_back(relative_keys(project(key_), rows.delta));
    if (to_content_) terms.scores.push_back(relative_queries(project(query_), rows.p2c));
    return terms;
  }

 private:
  struct Projection {
    Parameter<T> weight, bias;
  };

  std::size_t span() const { return buckets_ ? buckets_ : clip_; }
  std::uint32_t row(double distance) const {
    const auto side = static_cast<double>(span());
    const double bucket = buckets_ ? log_bucket(distance, std::floor(side / 2), static_cast<double>(clip_)) : distance;
    return static_cast<std::uint32_t>(std::clamp(bucket, -side, side - 1) + side);
  }
  Variable<T> project(const Projection& by) const {
    return linear(table_.variable(), by.weight.variable(), by.bias.variable());
  }
  std::shared_ptr<const RelativeRows> rows_of(const Distances& found, double sign) const {
    std::vector<std::uint32_t> rows;
    rows.reserve(found.values.size());
    for (const double d : found.values) rows.push_back(row(sign * d));
    return std::make_shared<RelativeRows>(found.columns, std::move(rows));
  }

  std::size_t clip_, buckets_;
  bool to_position_, to_content_, mirrored_;
  Parameter<T> table_;
  Projection key_, query_;
};

const bool registered = register_encoding<Deberta>({
    .section = {"deberta",
                "Disentangled attention: content meets projected vectors of the distance (He et al. 2020)",
                {integer("clip", 512)
                     .at_least(1)
                     .at_most(1 << 20)
                     .in("positions")
                     .says("K: farther distances share a row; the paper uses 512"),
                 integer("buckets", 0)
                     .at_most(1 << 20)
                     .says("rows a side, growing logarithmically up to clip; 0: one a distance. Version 3 uses 256"),
                 flag("content_to_position", true).says("queries meet the projected keys of distances"),
                 flag("position_to_content", true).says("keys meet the projected queries of distances"),
                 choice("p2c_index", "delta", {"delta", "neg_delta"})
                     .says("what position_to_content reads: query - key, as published, or the paper's key - query"),
                 real("init_std", 0.02).at_least(0).says("standard deviation of the initial parameters")}},
    .source = "He, Liu, Gao, Chen 2020, arXiv:2006.03654, section 3.1",
    .formula = "S_ij = [Qc_i . Kc_j + Qc_i . Kr[g(p_i - p_j)] + Kc_j . Qr[g(p_i - p_j)]] / sqrt(3 d)",
    .verified = "transformers, microsoft/DeBERTa (golden)",
    .past_length = PastLength::clamp,
    .relative = true,
    .needs_whole_ids = true,
    .check =
        [](const Options& options, const ModelShape&) {
          require(options.flag("content_to_position") || options.flag("position_to_content"),
                  "deberta: deberta.content_to_position and deberta.position_to_content are both false, so there is "
                  "nothing "
                  "left; turn one on, or set encoding.name = none.");
          const std::size_t buckets = options.count("buckets"), clip = options.count("clip");
          require(buckets == 0 || (buckets >= 4 && clip > buckets / 2 + 1), "deberta: deberta.buckets is ", buckets,
                  " and deberta.clip ", clip, "; buckets are 0, or at least 4 and less than 2 (clip - 1).");
        },
});

}  // namespace
}  // namespace lengthwise
