// Relative key and value vectors:  S_ij = q_i . (k_j + aK[c]) / sqrt(d),  out_i = sum_j A_ij (v_j + aV[c]),
//                                  c = clip(p_j - p_i, -K, K) + K
//
// Source      Shaw, Uszkoreit, Vaswani 2018 (arXiv:1803.02155), eqs. 3, 4 and section 3.2.
// Parameters  blocks.N.shaw.keys and .values (2K + 1, d) a layer, shared by its heads; (2K + 1, D) with per_head.
//             Row c is that of key minus query, as in the paper: row 0 is the far past. Causal models never read the
//             rows above K, which are kept so that a table does not depend on the mask.
// Options     clip (16): K, in positions. terms (both): the table of the keys, of the values, or both.
//             per_head (false): each head has its own. init_std (0.02).
// Past L      clamp: all distances from K on share a row. Rows of distances that training never met are untrained:
//             keep K below the training length.
#include "core/relative_vectors.h"
#include "encodings/distances.h"

namespace lengthwise {
namespace {

template <class T>
class Shaw final : public Encoding<T> {
 public:
  explicit Shaw(const EncodingSetup<T>& setup) : clip_(setup.options.count("clip")) {
    const std::size_t width = setup.options.flag("per_head") ? setup.shape.width : setup.shape.head_dim();
    const auto table = [&](const char* name) {
      return setup.store.table(setup.layer_prefix() + name, 2 * clip_ + 1, width,
                               initial_normal(setup.options.real("init_std")));
    };
    const std::string& terms = setup.options.text("terms");
    if (terms != "values") keys_ = table("shaw.keys");
    if (terms != "keys") values_ = table("shaw.values");
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    using Rows = std::shared_ptr<const RelativeRows>;
    const Rows& rows = context.memo->get<Rows>("shaw", [&] { return clipped(distances(context)); });
    Terms<T> terms;
    if (keys_) terms.scores = {relative_keys(keys_.variable(), rows)};
    if (values_) terms.values = {relative_values(values_.variable(), rows)};
    return terms;
  }

 private:
  std::shared_ptr<const RelativeRows> clipped(const Distances& found) const {
    std::vector<std::uint32_t> row;
    row.reserve(found.values.size());
    const auto k = static_cast<double>(clip_);
    for (const double d : found.values) row.push_back(static_cast<std::uint32_t>(std::clamp(-d, -k, k) + k));
    return std::make_shared<RelativeRows>(found.columns, std::move(row));
  }

  std::size_t clip_;
  Parameter<T> keys_, values_;
};

const bool registered = register_encoding<Shaw>({
    .section = {"shaw",
                "Learned vectors for clipped distances, added to keys and values (Shaw et al. 2018)",
                {integer("clip", 16)
                     .at_most(1 << 20)
                     .in("positions")
                     .says("K: farther distances share a row; the paper's base model uses 16"),
                 choice("terms", "both", {"both", "keys", "values"}).says("what the vectors are added to"),
                 flag("per_head", false).says("every head has its own vectors"),
                 real("init_std", 0.02).at_least(0).says("standard deviation of the initial rows")}},
    .source = "Shaw, Uszkoreit, Vaswani 2018, arXiv:1803.02155, eqs. 3, 4",
    .formula = "S_ij = q_i . (k_j + aK[c]) / sqrt(d), out_i = sum_j A_ij (v_j + aV[c]), c = clip(p_j - p_i, -K, K) + K",
    .verified = "tensor2tensor, OpenNMT-py and others (golden)",
    .past_length = PastLength::clamp,
    .relative = true,
    .needs_whole_ids = true,
});

}  // namespace
}  // namespace lengthwise
