// Abacus embeddings:  x_i += E[place_i],  place_i the digit's place in its number, 0 for tokens that are no digits
//
// Source      McLeish et al. 2024 (arXiv:2405.17399), section 3.1. The places, with their random start in training,
//             come from positions.scheme = abacus_ids; other schemes pass on the significance of digits that the task
//             hands over.
// Parameters  abacus.table (positions, D), normal with deviation init_std (1, as released). Row 0 is for tokens that
//             are none.
// Options     positions (1024).
// Past L      error beyond the table: digits + max_offset must stay below positions. Places up to there were all
//             trained when max_offset reaches them. Usually composed with a general encoding: encoding.name =
//             abacus+fire.
#include "encodings/channel_embedding.h"

namespace lengthwise {
namespace {

template <class T>
class Abacus final : public ChannelEmbedding<T> {
 public:
  explicit Abacus(const EncodingSetup<T>& setup)
      : ChannelEmbedding<T>(setup, "abacus", "digit", setup.options.count("positions")) {}

 private:
  std::string beyond() const override {
    return "; a number's digits plus abacus_ids.max_offset must stay below abacus.positions: enlarge that, or shorten "
           "either.";
  }
};

const bool registered = register_encoding<Abacus>({
    .section = {"abacus",
                "Learned embeddings of a digit's place in its number (McLeish et al. 2024)",
                {integer("positions", 1024)
                     .at_least(2)
                     .at_most(1 << 24)
                     .in("places")
                     .says("rows of the table: digits of a number plus the largest offset, plus one"),
                 real("init_std", 1).at_least(0).says("standard deviation of the initial rows")}},
    .source = "McLeish et al. 2024, arXiv:2405.17399, section 3.1",
    .formula = "x_i += E[place_i]",
    .verified = "McLeish et al. (golden ids)",
    .past_length = PastLength::error,
    .needs_whole_ids = true,
    .channels = {"digit"},
    .max_positions = [](const Options& options, const ModelShape&) { return options.count("positions"); },
});

}  // namespace
}  // namespace lengthwise
