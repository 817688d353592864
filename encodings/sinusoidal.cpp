// Fixed sinusoids:  x_p += c PE[p],  PE[p, 2m] = sin(p w_m),  PE[p, 2m + 1] = cos(p w_m),  w_m = base^(-2m / D)
//
// Source      Vaswani et al. 2017 (arXiv:1706.03762), section 3.5.
// Parameters  none; with scaled, the scalar c, D^(-1/2) at first.
// Options     base (10000), layout (interleaved: the paper; concat: all sines first), bank (paper; tensor2tensor
//             divides the exponent by D/2 - 1: other frequencies), scaled (false).
// Past L      extrapolate: defined, but never seen; published perplexity rises within tens of tokens.
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

template <class T>
class Sinusoidal final : public Encoding<T> {
 public:
  explicit Sinusoidal(const EncodingSetup<T>& setup)
      : width_(setup.shape.width), interleaved_(setup.options.text("layout") == "interleaved") {
    const std::size_t pairs = width_ / 2;
    const bool paper = setup.options.text("bank") == "paper";
    const double divisor = paper ? static_cast<double>(pairs) : static_cast<double>(pairs) - 1;
    for (std::size_t m = 0; m < pairs; ++m)
      frequencies_.push_back(std::pow(setup.options.real("base"), -static_cast<double>(m) / divisor));
    if (setup.options.flag("scaled"))
      factor_ =
          setup.store.shared("sinusoidal.factor", 1, 1, initial_value(1 / std::sqrt(static_cast<double>(width_))));
  }

  Variable<T> embed(const Variable<T>& x, const Context& context) const override {
    const auto ids = context.ids("sequence");
    const std::size_t pairs = frequencies_.size();
    Array<T> table = zeros<T>(x.rows(), width_);
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t m = 0; m < pairs && context.positions->placed(i); ++m) {
        const double angle = ids[i] * frequencies_[m];
        table(i, interleaved_ ? 2 * m : m) = static_cast<T>(std::sin(angle));
        table(i, interleaved_ ? 2 * m + 1 : m + pairs) = static_cast<T>(std::cos(angle));
      }
    const Variable<T> added = constant(std::move(table));
    return add(x, factor_ ? lengthwise::scale(added, factor_.variable()) : added);
  }

 private:
  std::size_t width_;
  bool interleaved_;
  std::vector<double> frequencies_;
  Parameter<T> factor_;
};

const bool registered = register_encoding<Sinusoidal>({
    .section = {"sinusoidal",
                "Fixed absolute sinusoids added to the token embeddings (Vaswani et al. 2017)",
                {real("base", 10000).above(1).says("the longest wavelength is 2 pi times this, in positions"),
                 choice("layout", "interleaved", {"interleaved", "concat"})
                     .says("sine and cosine side by side, or all sines first"),
                 choice("bank", "paper", {"paper", "tensor2tensor"})
                     .says("w_m = base^(-m / (D/2)), or base^(-m / (D/2 - 1)) as in tensor2tensor and fairseq"),
                 flag("scaled", false).says("multiply by a learned scalar that starts at D^(-1/2)")}},
    .source = "Vaswani et al. 2017, arXiv:1706.03762, section 3.5",
    .formula = "x_p += PE[p], PE[p, 2m] = sin(p w_m), PE[p, 2m+1] = cos(p w_m), w_m = base^(-2m/D)",
    .verified = "transformers, tensor2tensor, fairseq (golden)",
    .check =
        [](const Options& options, const ModelShape& shape) {
          require(shape.width % 2 == 0, "sinusoidal: model.width is ", shape.width,
                  "; sines and cosines come in pairs, so it must be even.");
          require(options.text("bank") == "paper" || shape.width > 2,
                  "sinusoidal: bank = tensor2tensor needs model.width > 2, not ", shape.width, ".");
        },
});

}  // namespace
}  // namespace lengthwise
