// No positional encoding (NoPE):  score_ij = q_i . k_j / sqrt(d)
//
// Source      Haviv et al. 2022 (arXiv:2203.16634); Kazemnejad et al. 2023 (arXiv:2305.19466).
// Parameters  none.
// Past L      extrapolate: every token is as in training, but attention disperses as n grows.
//
// A causal mask alone breaks the symmetry of positions. Without a mask the model is permutation-equivariant: a set
// function.
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

template <class T>
class None final : public Encoding<T> {
 public:
  explicit None(const EncodingSetup<T>&) {}
};

const bool registered = register_encoding<None>({
    .section = {"none", "No positional encoding (NoPE)", {}},
    .source = "Haviv et al. 2022, arXiv:2203.16634; Kazemnejad et al. 2023, arXiv:2305.19466",
    .formula = "S_ij = q_i . k_j / sqrt(d)",
    .verified = "a reference model (golden)",
    .relative = true,
    .channels = {},
});

}  // namespace
}  // namespace lengthwise
