// Stick-breaking attention instead of softmax:  A_ij = beta_ij  product over j < t < i of (1 - beta_it),
//                                               beta_ij = sigmoid(q_i . k_j / sqrt(d)),  j < i
//
// Source      Tan, Yang, Courville, Panda, Shen 2024 (arXiv:2410.17980), section 3.
// Parameters  none.
// Options     remainder: what is left of a row's stick, 1 - sum_j A_ij. drop (default): it is lost; self: it goes to
//             the token itself. attend_current (false): j <= i, and a token breaks its own stick first.
// Past L      extrapolate: far keys get what nearer ones left.
//
// Order alone decides: the nearest key breaks the stick first. Row 0 is empty and its output 0, unless an option says
// otherwise. Computed in logarithms: ln A_ij = z_ij - sum over t from j on of softplus(z_it).
#include "core/simd.h"
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

template <class T>
class StickBreaking final : public Normaliser<T> {
 public:
  StickBreaking(bool remainder_to_self, bool attend_current)
      : remainder_to_self_(remainder_to_self), attend_current_(attend_current) {}

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    const Matrix<T> betas = scratch.matrix(0, scores.rows, scores.cols), remainders = scratch.matrix(1, scores.rows, 1);
    const Matrix<T> rest = scratch.matrix(2, 1, scores.cols);  // ln of what is left of the stick after key j
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = breaking(tile, i);
      T *z = scores.row(i), *beta = betas.row(i), *left = rest.data;
      std::fill(z, z + begin, T(0));
      map(
          end - begin, left + begin, [](auto v) { return softplus(v); }, z + begin);
      map(
          end - begin, beta + begin, [](auto v, auto s) { return lanes::exp(v - s); }, z + begin, left + begin);
      T sum = 0;
      for (std::size_t j = end; j-- > begin;) left[j] = sum -= left[j];
      // ln beta_ij + ln of what the keys after j left
      map(
          end - begin, z + begin, [](auto v, auto l) { return lanes::exp(v + l); }, z + begin, left + begin);
      std::fill(z + end, z + scores.cols, T(0));
      remainders(i, 0) = std::exp(sum);
      if (remainder_to_self_ && sees_itself(tile, i)) z[tile.query_rows[i]] += remainders(i, 0);
    }
  }

  // With A' = dL/dA and R the remainder: dL/dz_j = A'_j A_j - beta_j (sum over t <= j of A'_t A_t + A'_i R).
  void backward(const Tile<T>& tile, Matrix<const T> weights, Matrix<T> gradient, Scratch<T>& scratch) const override {
    const Matrix<T> betas = scratch.matrix(0, gradient.rows, gradient.cols),
                    remainders = scratch.matrix(1, gradient.rows, 1);
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = breaking(tile, i);
      const T *a = weights.row(i), *beta = betas.row(i);
      T* g = gradient.row(i);
      const std::size_t self = tile.query_rows[i];
      const bool keeps = remainder_to_self_ && sees_itself(tile, i);
      T sum = keeps ? g[self] * remainders(i, 0) : T(0);
      std::fill(g, g + begin, T(0));
      for (std::size_t j = begin; j < end; ++j) {
        const T own = g[j] * (keeps && j == self ? beta[j] : a[j]);  // the token itself breaks a whole stick
        sum += own;
        g[j] = own - beta[j] * sum;
      }
      std::fill(g + end, g + gradient.cols, T(0));
    }
  }

 private:
  template <class V>
  static V softplus(V v) {
    const V size = lanes::abs(v);
    return (v + size) * V(0.5) + lanes::log1p(lanes::exp(-size));
  }
  // The keys that break the stick of a row.
  KeyRange breaking(const Tile<T>& tile, std::size_t i) const {
    const auto [begin, end] = tile.visible[i];
    return {begin, attend_current_ || !sees_itself(tile, i) ? end : end - 1};
  }
  static bool sees_itself(const Tile<T>& tile, std::size_t i) { return tile.visible[i].end == tile.query_rows[i] + 1; }

  bool remainder_to_self_, attend_current_;
};

template <class T>
class StickBreakingAttention final : public Encoding<T> {
 public:
  explicit StickBreakingAttention(const EncodingSetup<T>& setup)
      : normaliser_(std::make_shared<StickBreaking<T>>(setup.options.text("remainder") == "self",
                                                       setup.options.flag("attend_current"))) {}

  Terms<T> terms(const Variable<T>&, const Context&) const override { return {.normaliser = normaliser_}; }

 private:
  std::shared_ptr<const Normaliser<T>> normaliser_;
};

const bool registered = register_encoding<StickBreakingAttention>({
    .section =
        {"stick_breaking",
         "Stick-breaking attention: the nearest keys take their share first (Tan et al. 2024)",
         {choice("remainder", "drop", {"drop", "self"}).says("what no key took is lost, or goes to the token itself"),
          flag("attend_current", false).says("a token breaks its own stick first, instead of only those before it")}},
    .source = "Tan, Yang, Courville, Panda, Shen 2024, arXiv:2410.17980, section 3",
    .formula = "A_ij = beta_ij prod_{j<t<i} (1 - beta_it), beta_ij = sigmoid(q_i . k_j / sqrt(d))",
    .verified = "shawntan/stickbreaking-attention (golden)",
    .relative = true,
    .causal_only = true,
    .channels = {},
});

}  // namespace
}  // namespace lengthwise
