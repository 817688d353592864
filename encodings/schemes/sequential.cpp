// Positions count tokens:  p_i = i
#include "encodings/positions.h"

namespace lengthwise {
namespace {

class Sequential final : public PositionScheme {
 public:
  explicit Sequential(const Options&) {}

  void assign(const SchemeInput& input, Positions& positions) const override {
    std::vector<double> ids(input.offsets.back());
    for (std::size_t b = 0; b + 1 < input.offsets.size(); ++b)
      for (std::size_t i = input.offsets[b]; i < input.offsets[b + 1]; ++i)
        ids[i] = static_cast<double>(i - input.offsets[b]);
    positions.set("sequence", std::move(ids));
  }

  double largest(std::size_t n, std::size_t, Phase) const override { return static_cast<double>(n) - 1; }
};

const bool registered = register_scheme<Sequential>({
    .section = {"sequential", "Tokens are numbered 0, 1, 2, ...", {}},
    .source = "",
});

}  // namespace
}  // namespace lengthwise
