// Windows of growing width: of the first M heads, head h sees keys i - h .. i; the others see all.
//
// Source      Jelassi, Brandfonbrener, Kakade, Malach 2024 (arXiv:2402.01032).
// Parameters  none.
// Options     fraction: M as a share of the heads (0.5, as the paper's 8 of 16), rounded down; 0 leaves no positions.
// Deviates    windows are ranges of visible keys, not biases of minus infinity; they count rows, whatever the ids.
// Past L      extrapolate.
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

class GrowingWindows final : public Window {
 public:
  GrowingWindows(std::size_t first_head, std::size_t count) : first_head_(first_head), count_(count) {}
  KeyRange visible(std::size_t head, std::size_t query_row, std::size_t length) const override {
    const std::size_t h = head - first_head_;
    if (h >= count_) return {0, length};
    return {query_row - std::min(query_row, h), query_row + 1};
  }

 private:
  std::size_t first_head_, count_;
};

template <class T>
class HardAlibi final : public Encoding<T> {
 public:
  explicit HardAlibi(const EncodingSetup<T>& setup) {
    const double share = setup.options.real("fraction") * static_cast<double>(setup.heads.count);
    windows_ = std::make_shared<GrowingWindows>(setup.heads.first, static_cast<std::size_t>(share + 1e-9));
  }
  Terms<T> terms(const Variable<T>&, const Context&) const override { return {.window = windows_}; }

 private:
  std::shared_ptr<const Window> windows_;
};

const bool registered = register_encoding<HardAlibi>({
    .section = {"hard_alibi",
                "Half of the heads see only the nearest 1, 2, 3, ... tokens (Jelassi et al. 2024)",
                {real("fraction", 0.5).at_least(0).at_most(1).says("share of the heads that have a window")}},
    .source = "Jelassi, Brandfonbrener, Kakade, Malach 2024, arXiv:2402.01032",
    .formula = "head h < M sees keys i - h .. i",
    .verified = "values by hand",
    .relative = true,
    .causal_only = true,
    .channels = {},
});

}  // namespace
}  // namespace lengthwise
