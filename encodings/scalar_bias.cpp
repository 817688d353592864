// A learned bias for every distance:  S_hij += b[h, clip(p_i - p_j, -K, K)]
//
// Source      Shaw, Uszkoreit, Vaswani 2018 (arXiv:1803.02155), section 3.2, with a number in place of q_i . a.
// Parameters  scalar_bias.table (H, 2K + 1), zero at first, so that the model starts without positions. Causal models
//             keep the columns of the future, which stay zero: one layout for both.
// Options     max_distance: K (16, that of Shaw's base model). clip_mode: what lies beyond K. clamp (default) shares
//             the last parameter; zero adds nothing, which makes a cliff; error refuses. sharing: per_model (default)
//             or per_layer.
// Past L      clamp. Distances between L and K, if there are any, are untrained.
#include "encodings/distances.h"

namespace lengthwise {
namespace {

template <class T>
class ScalarBias final : public Encoding<T> {
 public:
  explicit ScalarBias(const EncodingSetup<T>& setup)
      : max_distance_(setup.options.count("max_distance")),
        clip_mode_(setup.options.text("clip_mode")),
        prefix_(setup.options.text("sharing") == "per_layer" ? setup.layer_prefix() : ""),
        table_(setup.store.table(prefix_ + "scalar_bias.table", setup.shape.heads, 2 * max_distance_ + 1,
                                 initial_value(0))) {}

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const Distances& found = distances(context);
    const auto& bias = context.memo->get<Variable<T>>(prefix_ + "scalar_bias", [&] {
      std::vector<std::size_t> index;
      index.reserve(found.values.size());
      for (const double d : found.values) index.push_back(column(d));
      return gather_columns(table_.variable(), std::move(index));
    });
    return {.scores = {distance_bias(bias, found.columns, 0)}};
  }

 private:
  std::size_t column(double distance) const {
    const auto far = static_cast<double>(max_distance_);
    if (std::abs(distance) > far) {
      if (clip_mode_ == "zero") return no_column;
      require(clip_mode_ == "clamp", "scalar_bias: two tokens are ", std::abs(distance),
              " positions apart, and scalar_bias.max_distance is ", max_distance_,
              " with scalar_bias.clip_mode = error; train with a larger one, or with clip_mode = clamp.");
    }
    return static_cast<std::size_t>(std::clamp(distance, -far, far) + far);
  }

  std::size_t max_distance_;
  std::string clip_mode_, prefix_;
  Parameter<T> table_;
};

const bool registered = register_encoding<ScalarBias>({
    .section = {"scalar_bias",
                "Learned bias per head and distance, clipped (after Shaw et al. 2018)",
                {integer("max_distance", 16)
                     .at_most(1 << 20)
                     .in("positions")
                     .says("distances beyond this one have no parameter of their own"),
                 choice("clip_mode", "clamp", {"clamp", "zero", "error"})
                     .says("beyond max_distance: the last parameter, no bias, or a refusal"),
                 choice("sharing", "per_model", {"per_model", "per_layer"})
                     .says("one table for all layers, or one for each")}},
    .source = "Shaw, Uszkoreit, Vaswani 2018, arXiv:1803.02155, section 3.2, reduced to scalars",
    .formula = "S_hij += b[h, clip(p_i - p_j, -K, K)]",
    .verified = "values by hand, ALiBi, T5",
    .past_length = PastLength::clamp,
    .relative = true,
    .needs_whole_ids = true,
    .reads_distances = true,
    .max_positions =
        [](const Options& options, const ModelShape&) {
          return options.text("clip_mode") == "error" ? options.count("max_distance") + 1 : unbounded;
        },
});

}  // namespace
}  // namespace lengthwise
