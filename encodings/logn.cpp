// Log-n scaling:  S_hij *= max(1, ln n_i / ln L),  n_i the keys that query i sees
//
// Source      Su 2021 (a public post on attention whose entropy does not change with length); Chiang, Cholak 2022
//             (arXiv:2202.12172).
// Parameters  none.
// Options     scope: content (default) multiplies q.k / sqrt(d) alone; all multiplies biases of other encodings, too.
// Deviates    Chiang and Cholak multiply by ln n at every length; here nothing changes up to L.
// Past L      extrapolate: attention stays as sharp as at L.
//
// An encoding of its own only in name: join it with others, as in rope+logn.
#include "encodings/row_scale.h"

namespace lengthwise {
namespace {

template <class T>
class LogN final : public Encoding<T> {
 public:
  explicit LogN(const EncodingSetup<T>& setup)
      : scope_(setup.options.text("scope")),
        trained_(std::log(std::max(2.0, static_cast<double>(setup.shape.original_length())))) {
  }  // ln 1 divides nothing

  Terms<T> terms(const Variable<T>&, const Context&) const override {
    return {.scores = {std::make_shared<RowScale<T>>(
                scope_, [trained = trained_](double n) { return std::max(1.0, std::log(n) / trained); })}};
  }

 private:
  std::string scope_;
  double trained_;
};

const bool registered = register_encoding<LogN>({
    .section =
        {"logn",
         "Log-n scaling: beyond the training length, scores grow with the logarithm of the visible keys (Su 2021)",
         {choice("scope", "content", {"content", "all"})
              .says("multiply q.k / sqrt(d) without biases, or the whole logit")}},
    .source = "Su 2021 (public post); Chiang, Cholak 2022, arXiv:2202.12172",
    .formula = "S_hij *= max(1, ln n_i / ln L)",
    .verified = "values by hand",
    .relative = true,
    .channels = {},
});

}  // namespace
}  // namespace lengthwise
