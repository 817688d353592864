// Randomized positions:  p_0 < p_1 < ... < p_(n-1), a sorted random subset of 0 .. range - 1
//
// so that every position of a long sequence has been met in training.
//
// Source    Ruoss et al. 2023 (arXiv:2305.16843), section 3. Real-valued: Shimizu et al. 2026 (arXiv:2602.14050).
// Options   range (2048). form (ids; offsets: instead of the ids, the distances k = 1 .. n - 1 are replaced by a sorted
//           random subset of 1 .. range - 1, with the sign kept: the released code's form for biases). values (whole;
//           real: sorted uniform numbers). share (sequence; batch: sequences of one length share a draw). per_layer
//           (false). eval_ids (sample: drawn in evaluation, too, as released; even: spread evenly; identity: 0 .. n -
//           1, gaps that training hardly ever saw).
// Deviates  the released code draws once a forward pass, for the whole batch (share = batch), and anew in every layer
//           where attention draws (per_layer = true); here every sequence draws its own unless told otherwise.
//           Distances are drawn once for both directions.
#include <algorithm>

#include "encodings/positions.h"

namespace lengthwise {
namespace {

class Randomized final : public PositionScheme {
 public:
  explicit Randomized(const Options& options)
      : range_(options.count("range")),
        offsets_(options.text("form") == "offsets"),
        whole_(options.text("values") == "whole"),
        shared_(options.text("share") == "batch"),
        per_layer_(options.flag("per_layer")),
        eval_ids_(options.text("eval_ids")) {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    std::vector<double> ids;
    ids.reserve(input.offsets.back());
    positions.distance_of_rows.clear();
    for (std::size_t b = 0; b < input.sequences(); ++b) {
      const std::size_t n = input.length(b);
      const std::vector<double> numbers = offsets_ ? distances(input, b) : spread(input, b, n, range_);
      if (offsets_) {
        for (std::size_t i = 0; i < n; ++i) ids.push_back(static_cast<double>(i));
        positions.distance_of_rows.push_back(numbers);
      } else {
        ids.insert(ids.end(), numbers.begin(), numbers.end());
      }
    }
    positions.set("sequence", std::move(ids));
  }

  bool whole() const override { return whole_; }
  bool maps_distances() const override { return offsets_; }
  bool per_layer() const override { return per_layer_; }
  std::optional<std::size_t> longest(Phase phase) const override {
    if (phase == Phase::evaluate && eval_ids_ == "identity") return {};
    return range_;
  }
  double largest(std::size_t n, std::size_t, Phase phase) const override {
    const bool counting = offsets_ || (phase == Phase::evaluate && eval_ids_ == "identity");
    return static_cast<double>(counting ? n : range_) - 1;
  }

 private:
  // Distance 0 stays 0; the others come from 1 .. range - 1.
  std::vector<double> distances(const SchemeInput& input, std::size_t b) const {
    std::vector<double> found = spread(input, b, input.length(b) - 1, range_ - 1);
    for (double& distance : found) ++distance;
    found.insert(found.begin(), 0.0);
    return found;
  }

  // `count` increasing numbers of 0 .. range - 1.
  std::vector<double> spread(const SchemeInput& input, std::size_t b, std::size_t count, std::size_t range) const {
    const std::string how = input.phase == Phase::train ? "sample" : eval_ids_;
    std::vector<double> found(count);
    if (how == "identity") {
      for (std::size_t k = 0; k < count; ++k) found[k] = static_cast<double>(k);
      return found;
    }
    require(count <= range, "randomized: ", input.length(b),
            " tokens cannot be numbered from randomized.range = ", range_,
            " positions; make the range at least as long as the longest sequence.");
    if (how == "even") {
      for (std::size_t k = 1; k < count; ++k) {
        const double exact = static_cast<double>(k) * static_cast<double>(range - 1) / static_cast<double>(count - 1);
        found[k] = whole_ ? std::round(exact) : exact;
      }
      return found;
    }
    Rng rng = shared_ ? input.batch_rng.at("randomized").at(input.length(b)) : input.sequence_rng[b].at("randomized");
    if (per_layer_) rng = rng.at("layer").at(input.layer);
    if (whole_) {
      const std::vector<std::size_t> drawn = rng.distinct(range, count);
      std::copy(drawn.begin(), drawn.end(), found.begin());
    } else {
      for (double& p : found) p = rng.uniform(0, static_cast<double>(range - 1));
    }
    std::ranges::sort(found);
    return found;
  }

  std::size_t range_;
  bool offsets_, whole_, shared_, per_layer_;
  std::string eval_ids_;
};

const bool registered = register_scheme<Randomized>({
    .section =
        {"randomized",
         "Positions are a sorted random subset of a long range (Ruoss et al. 2023)",
         {integer("range", 2048)
              .at_least(2)
              .at_most(1 << 20)
              .in("positions")
              .says("how many positions there are; at least the tokens of the longest sequence"),
          choice("form", "ids", {"ids", "offsets"}).says("draw the positions, or the distances that biases read"),
          choice("values", "whole", {"whole", "real"}).says("whole numbers, or real ones"),
          choice("share", "sequence", {"sequence", "batch"})
              .says("every sequence draws its own, or sequences of one length share a draw"),
          flag("per_layer", false)
              .says(
                  "every layer draws anew, as released where attention reads positions; what acts on embeddings reads "
                  "the first layer's"),
          choice("eval_ids", "sample", {"sample", "even", "identity"})
              .changeable()
              .says("positions in evaluation: drawn as in training, evenly spread, or 0 .. n - 1")}},
    .source = "Ruoss et al. 2023, arXiv:2305.16843, section 3; real-valued: Shimizu et al. 2026, arXiv:2602.14050",
});

}  // namespace
}  // namespace lengthwise
