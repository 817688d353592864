// BERT's embeddings:  x = LN(x + S[segment] + E[p])
//
// Source      Devlin et al. 2018 (arXiv:1810.04805), section 3; LN and its epsilon as released.
// Parameters  bert.positions (positions, D), bert.segments (segments, D), both normal with deviation init_std (0.02) at
//             first; bert.norm.gain, bert.norm.bias.
// Options     positions (512), segments (2).
// Deviates    dropout of the sum is the model's (model.dropout). Tokens without a channel "segment" are all of segment
//             0.
// Past L      error beyond the table. Rows from L on exist, but are untrained.
#include "core/ops/embedding.h"
#include "core/ops/norm.h"
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

template <class T>
class Bert final : public Encoding<T> {
 public:
  explicit Bert(const EncodingSetup<T>& setup)
      : position_rows_(setup.options.count("positions")), segment_rows_(setup.options.count("segments")) {
    const std::size_t width = setup.shape.width;
    const Initializer normal = initial_normal(setup.options.real("init_std"));
    positions_ = setup.store.table("bert.positions", position_rows_, width, normal);
    segments_ = setup.store.table("bert.segments", segment_rows_, width, normal);
    gain_ = setup.store.shared("bert.norm.gain", 1, width, initial_value(1));
    bias_ = setup.store.shared("bert.norm.bias", 1, width, initial_value(0));
  }

  Variable<T> embed(const Variable<T>& x, const Context& context) const override {
    const auto ids = context.ids("sequence");
    std::vector<std::size_t> position(x.rows()), segment(x.rows(), 0);
    for (std::size_t i = 0; i < x.rows(); ++i) position[i] = row(ids[i], position_rows_, "position", "positions");
    if (context.positions->has("segment")) {
      const auto given = context.ids("segment");
      for (std::size_t i = 0; i < x.rows(); ++i) segment[i] = row(given[i], segment_rows_, "segment", "segments");
    }
    const Variable<T> placed = add(x, embedding(positions_.variable(), std::move(position)));
    return layer_norm(add(placed, embedding(segments_.variable(), std::move(segment))), gain_.variable(),
                      bias_.variable(), T(1e-12));
  }

 private:
  static std::size_t row(double id, std::size_t rows, const char* what, const char* option) {
    require(id >= 0 && id < static_cast<double>(rows) && id == std::floor(id), "bert: ", what, " ", id,
            " is not a row of the table, which has the whole-numbered rows 0 to ", rows - 1,
            "; train with a larger bert.", option, ".");
    return static_cast<std::size_t>(id);
  }

  std::size_t position_rows_, segment_rows_;
  Parameter<T> positions_, segments_, gain_, bias_;
};

const bool registered = register_encoding<Bert>({
    .section =
        {"bert",
         "Learned absolute positions and segments added to the token embeddings, then normalised (Devlin et al. 2018)",
         {integer("positions", 512).at_least(1).at_most(1 << 24).in("tokens").says("rows of the position table"),
          integer("segments", 2).at_least(1).at_most(1 << 24).says("rows of the segment table"),
          real("init_std", 0.02).at_least(0).says("standard deviation of the initial rows")}},
    .source = "Devlin et al. 2018, arXiv:1810.04805, section 3",
    .formula = "x = LN(x + S[segment] + E[p])",
    .verified = "transformers (golden)",
    .past_length = PastLength::error,
    .needs_whole_ids = true,
    .max_positions = [](const Options& options, const ModelShape&) { return options.count("positions"); },
    .check =
        [](const Options& options, const ModelShape& shape) {
          require(options.count("positions") >= shape.train_positions, "bert: bert.positions is ",
                  options.count("positions"), ", but training sequences have up to ", shape.train_positions,
                  " tokens; set it to at least that.");
        },
});

}  // namespace
}  // namespace lengthwise
