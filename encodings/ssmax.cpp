// Scalable softmax:  S_hij *= s_h ln n_i + b_h,  n_i the keys that query i sees
//
// Source      Nakanishi 2025 (arXiv:2501.19399).
// Parameters  blocks.N.ssmax.scale (H, 1), s, a layer; blocks.N.ssmax.offset (H, 1), b, with the option offset.
// Options     scope: all (default) multiplies the whole logit, as published; content multiplies q.k / sqrt(d) alone,
//             which is right beside biases such as ALiBi's, whose slopes would change with n.
//             offset (false): learn b, at first 0. The paper finds that it helps the loss and hurts long sequences.
//             init (0): s at first; 0 is 1 / mean of ln n over n <= L, where training starts near ordinary softmax.
// Deviates    n counts the keys that the mask leaves; public code often takes the length of the axis.
// Past L      extrapolate: attention stays as sharp as n grows.
//
// An encoding of its own only in name: join it with others, as in rope+ssmax.
#include "encodings/row_scale.h"

namespace lengthwise {
namespace {

double near_softmax(std::size_t train_positions) {
  double sum = 0;
  for (std::size_t n = 2; n <= train_positions; ++n) sum += std::log(static_cast<double>(n));
  return sum > 0 ? static_cast<double>(train_positions) / sum : 1;
}

template <class T>
class SsMax final : public Encoding<T> {
 public:
  explicit SsMax(const EncodingSetup<T>& setup) : scope_(setup.options.text("scope")) {
    const double init = setup.options.real("init");
    scale_ = setup.store.shared(setup.layer_prefix() + "ssmax.scale", setup.shape.heads, 1,
                                initial_value(init > 0 ? init : near_softmax(setup.shape.original_length())));
    if (setup.options.flag("offset"))
      offset_ = setup.store.shared(setup.layer_prefix() + "ssmax.offset", setup.shape.heads, 1, initial_value(0));
  }

  Terms<T> terms(const Variable<T>&, const Context&) const override {
    return {.scores = {std::make_shared<RowScale<T>>(
                scope_, [](double n) { return std::log(n); }, scale_.variable(),
                offset_ ? offset_.variable() : Variable<T>())}};
  }

 private:
  std::string scope_;
  Parameter<T> scale_, offset_;
};

const bool registered = register_encoding<SsMax>({
    .section =
        {"ssmax",
         "Scalable softmax: scores grow with the logarithm of the visible keys (Nakanishi 2025)",
         {choice("scope", "all", {"all", "content"}).says("multiply the whole logit, or q.k / sqrt(d) without biases"),
          flag("offset", false).says("learn an addend to the factor as well"),
          real("init", 0).at_least(0).says(
              "the factor of ln n at first; 0: near ordinary softmax for the training length")}},
    .source = "Nakanishi 2025, arXiv:2501.19399",
    .formula = "S_hij *= s_h ln n_i + b_h",
    .verified = "gdevos010, tabicl (golden)",
    .relative = true,
    .channels = {},
});

}  // namespace
}  // namespace lengthwise
