// Position coupling:  x_i += E[c_i],  c_i an id that all coupled tokens share, 0 for tokens without one
//
// Source      Cho et al. 2024 (arXiv:2405.20671), section 3; Cho et al. 2024 (arXiv:2410.15787). The ids, with their
//             random start in training, come from positions.scheme = coupled_ids; other schemes pass on those of the
//             task.
// Parameters  coupled.table (positions + 1, D), normal with deviation init_std (0.02) at first.
// Options     positions (202): the largest id.
// Deviates    one axis of ids; coupled+coupled_operand sums the tables of two.
// Past L      error beyond the table. Random starts train all of its rows.
#include "encodings/channel_embedding.h"

namespace lengthwise {
namespace {

template <class T>
class Coupled final : public ChannelEmbedding<T> {
 public:
  explicit Coupled(const EncodingSetup<T>& setup)
      : ChannelEmbedding<T>(setup, "coupled", "coupled", setup.options.count("positions") + 1) {}

 private:
  std::string beyond() const override {
    return "; set coupled.positions to at least coupled_ids.max_position, or use shorter sequences.";
  }
};

const bool registered = register_encoding<Coupled>({
    .section = {"coupled",
                "Learned embeddings of ids that related tokens share (position coupling, Cho et al. 2024)",
                {integer("positions", 202)
                     .at_least(1)
                     .at_most(1 << 24)
                     .in("positions")
                     .says("largest id; at least coupled_ids.max_position"),
                 real("init_std", 0.02).at_least(0).says("standard deviation of the initial rows")}},
    .source = "Cho et al. 2024, arXiv:2405.20671, section 3",
    .formula = "x_i += E[c_i]",
    .verified = "values by hand",
    .past_length = PastLength::error,
    .needs_whole_ids = true,
    .channels = {"coupled"},
    .max_positions = [](const Options& options, const ModelShape&) { return options.count("positions") + 1; },
});

}  // namespace
}  // namespace lengthwise
