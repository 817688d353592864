// Digit places:  inside each run of digits the ids of channel "digit" are 1, 2, 3, ...; other tokens have 0
//
// In training one random offset from 0 .. max_offset is added to all ids but 0. Channel "sequence" counts tokens.
//
// Source   McLeish et al. 2024, Abacus embeddings (arXiv:2405.17399), section 3.1. Numbers must be written with their
//          least significant digit first for equal places to get equal ids.
// Options  ids (run: counted from the left inside each run of tokens whose "digit" hint is not 0; significance: the
//          task's hint itself, whatever the order of digits), max_offset (99), share (batch, as released; sequence).
#include "encodings/positions.h"

namespace lengthwise {
namespace {

class AbacusIds final : public PositionScheme {
 public:
  explicit AbacusIds(const Options& options)
      : runs_(options.text("ids") == "run"),
        shared_(options.text("share") == "batch"),
        max_offset_(options.integer("max_offset")) {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    const auto hint = input.hint("digit");
    std::vector<double> places, ids;
    places.reserve(hint.size()), ids.reserve(hint.size());
    for (std::size_t b = 0; b < input.sequences(); ++b) {
      double offset = 0, place = 0;
      if (input.phase == Phase::train) {
        Rng rng = (shared_ ? input.batch_rng : input.sequence_rng[b]).at("abacus");
        offset = static_cast<double>(rng.between(0, max_offset_));
      }
      for (std::size_t i = 0; i < input.length(b); ++i) {
        const double significance = hint[input.offsets[b] + i];
        place = significance == 0 ? 0 : runs_ ? place + 1 : significance;
        places.push_back(place == 0 ? 0 : place + offset);
        ids.push_back(static_cast<double>(i));
      }
    }
    positions.set("digit", std::move(places));
    positions.set("sequence", std::move(ids));
  }

  std::vector<std::string> channels() const override { return {"sequence", "digit"}; }
  std::vector<std::string> hints() const override { return {"digit"}; }
  double largest(std::size_t n, std::size_t, Phase) const override { return static_cast<double>(n) - 1; }
  double largest_in_training(const std::string& channel, double in_evaluation) const override {
    return channel == "digit" ? in_evaluation + static_cast<double>(max_offset_) : in_evaluation;
  }

 private:
  bool runs_, shared_;
  std::int64_t max_offset_;
};

const bool registered = register_scheme<AbacusIds>({
    .section = {"abacus_ids",
                "Tokens are numbered 0, 1, 2, ..., and digits by their place in the number, from a random start in "
                "training (McLeish et al. 2024)",
                {choice("ids", "run", {"run", "significance"})
                     .says("count digits from the left of each run, or take the task's significance"),
                 integer("max_offset", 99).at_most(1e9).in("places").says("largest random start of training, less one"),
                 choice("share", "batch", {"batch", "sequence"}).says("one start a batch, or one a sequence")}},
    .source = "McLeish et al. 2024, arXiv:2405.17399, section 3.1",
});

}  // namespace
}  // namespace lengthwise
