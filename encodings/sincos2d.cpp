// Fixed sinusoids of a grid:  x_i += PE(row_i, column_i),  half of the channels for the row, half for the column
//
// On each axis D/4 frequencies w_m = base^(-m / (D/4)):  sin(p w), cos(p w).
//
// Source      He et al. 2021, MAE (arXiv:2111.06377), appendix; Beyer et al. 2022, simple ViT (arXiv:2205.01580).
// Parameters  none.
// Options     base (10000), bank (mae; simple_vit: w_m = base^(-m / (D/4 - 1)), other frequencies), order (row: its
//             channels come first; column), layout (by_axis: sin and cos of one axis, then of the other; by_function:
//             sines of both, then cosines).
// Deviates    tokens without a place (a class token) get zeros.
// Past L      extrapolate; positions.scheme = grid can rescale coordinates to the trained grid instead.
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

template <class T>
class Sincos2d final : public Encoding<T> {
 public:
  explicit Sincos2d(const EncodingSetup<T>& setup)
      : width_(setup.shape.width),
        row_first_(setup.options.text("order") == "row"),
        by_axis_(setup.options.text("layout") == "by_axis") {
    const double quarter = static_cast<double>(width_) / 4;
    const double divisor = setup.options.text("bank") == "mae" ? quarter : quarter - 1;
    for (double m = 0; m < quarter; ++m) frequencies_.push_back(std::pow(setup.options.real("base"), -m / divisor));
  }

  Variable<T> embed(const Variable<T>& x, const Context& context) const override {
    const auto first = context.ids(row_first_ ? "row" : "column"), second = context.ids(row_first_ ? "column" : "row");
    const std::size_t quarter = frequencies_.size();
    Array<T> table = zeros<T>(x.rows(), width_);
    for (std::size_t i = 0; i < x.rows(); ++i) {
      if (!context.positions->placed(i)) continue;
      for (const bool on_second : {false, true}) {
        // Where the sines and the cosines of this axis begin.
        const std::size_t sines = quarter * (by_axis_ ? 2 * on_second : on_second),
                          cosines = sines + quarter * (by_axis_ ? 1 : 2);
        for (std::size_t m = 0; m < quarter; ++m) {
          const double angle = (on_second ? second : first)[i] * frequencies_[m];
          table(i, sines + m) = static_cast<T>(std::sin(angle));
          table(i, cosines + m) = static_cast<T>(std::cos(angle));
        }
      }
    }
    return add(x, constant(std::move(table)));
  }

 private:
  std::size_t width_;
  bool row_first_, by_axis_;
  std::vector<double> frequencies_;
};

const bool registered = register_encoding<Sincos2d>({
    .section =
        {"sincos2d",
         "Fixed sinusoids of row and column added to the token embeddings (He et al. 2021)",
         {real("base", 10000).above(1).says("the longest wavelength is about 2 pi times this, in rows or columns"),
          choice("bank", "mae", {"mae", "simple_vit"}).says("w_m = base^(-m / (D/4)), or base^(-m / (D/4 - 1))"),
          choice("order", "row", {"row", "column"}).says("whose channels come first"),
          choice("layout", "by_axis", {"by_axis", "by_function"})
              .says("sine and cosine of one axis then of the other, or sines then cosines")}},
    .source = "He et al. 2021, arXiv:2111.06377; Beyer et al. 2022, arXiv:2205.01580",
    .formula = "x_i += [sin(row w), cos(row w), sin(column w), cos(column w)], w_m = base^(-m/(D/4))",
    .verified = "timm (golden)",
    .channels = {"row", "column"},
    .check =
        [](const Options& options, const ModelShape& shape) {
          require(shape.width % 4 == 0, "sincos2d: model.width is ", shape.width,
                  "; it holds a sine and a cosine for each of two axes, so it must be a multiple of 4.");
          require(options.text("bank") == "mae" || shape.width > 4,
                  "sincos2d: bank = simple_vit needs model.width > 4, not ", shape.width, ".");
        },
});

}  // namespace
}  // namespace lengthwise
