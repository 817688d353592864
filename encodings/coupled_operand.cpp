// Position coupling, second axis:  x_i += E[o_i],  o_i the operand that a token belongs to, 0 for tokens of none
//
// Source      Cho et al. 2024 (arXiv:2410.15787): sums of many numbers, and products. The ids, with their random start
// in
//             training, come from positions.scheme = coupled_ids; other schemes pass on those of the task. To be
//             composed with the first axis: encoding.name = coupled+coupled_operand.
// Parameters  coupled_operand.table (positions + 1, D), normal with deviation init_std (0.02) at first.
// Options     positions (62): the largest id.
// Past L      error beyond the table. Random starts train all of its rows.
#include "encodings/channel_embedding.h"

namespace lengthwise {
namespace {

template <class T>
class CoupledOperand final : public ChannelEmbedding<T> {
 public:
  explicit CoupledOperand(const EncodingSetup<T>& setup)
      : ChannelEmbedding<T>(setup, "coupled_operand", "operand", setup.options.count("positions") + 1) {}

 private:
  std::string beyond() const override {
    return "; set coupled_operand.positions to at least coupled_ids.max_operand, or use fewer operands.";
  }
};

const bool registered = register_encoding<CoupledOperand>({
    .section = {"coupled_operand",
                "Learned embeddings of the operand that tokens belong to (position coupling, Cho et al. 2024)",
                {integer("positions", 62)
                     .at_least(1)
                     .at_most(1 << 24)
                     .in("operands")
                     .says("largest id; at least coupled_ids.max_operand"),
                 real("init_std", 0.02).at_least(0).says("standard deviation of the initial rows")}},
    .source = "Cho et al. 2024, arXiv:2410.15787",
    .formula = "x_i += E[o_i]",
    .verified = "values by hand",
    .past_length = PastLength::error,
    .needs_whole_ids = true,
    .channels = {"operand"},
    .max_positions = [](const Options& options, const ModelShape&) { return options.count("positions") + 1; },
});

}  // namespace
}  // namespace lengthwise
