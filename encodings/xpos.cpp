// Rotary positions with exponential decay:  q_p turned by p w_m and scaled by z_m^(p/s), k_r by z_m^(-r/s)
//
// so that the pair's part of the score is multiplied by z_m^((p - r)/s):  w_m = base^(-2m / d),
// z_m = (2m/d + g) / (1 + g).
//
// Source      Sun et al. 2022, A Length-Extrapolatable Transformer (arXiv:2212.10554), section 2; torchscale.
// Parameters  none.
// Options     base (10000), scale_base (s, 512 positions), gamma (g, 0.4), layout (interleaved; half), block (0: off;
//             the paper's blockwise causal attention in evaluation: a token sees its own block of this many tokens and
//             the one before; changeable).
// Deviates    p is counted from the middle token of its sequence, where any common origin gives the same scores, to
//             keep the powers in range.
// Past L      extrapolate. The published results past L need block.
#include "encodings/angle_rows.h"

namespace lengthwise {
namespace {

class Blocks final : public Window {
 public:
  explicit Blocks(std::size_t tokens) : tokens_(tokens) {}
  KeyRange visible(std::size_t, std::size_t query_row, std::size_t length) const override {
    const std::size_t block = query_row / tokens_;
    return {block > 0 ? (block - 1) * tokens_ : 0, length};
  }

 private:
  std::size_t tokens_;
};

template <class T>
struct TurnsOfBoth {
  std::shared_ptr<const AngleTable<T>> query, key;
  std::vector<std::size_t> row_of_token;
};

template <class T>
class XPos final : public Encoding<T> {
 public:
  explicit XPos(const EncodingSetup<T>& setup)
      : heads_(setup.shape.heads),
        layout_(setup.options.text("layout") == "half" ? PairLayout::half : PairLayout::interleaved),
        block_(setup.options.count("block")) {
    const auto d = static_cast<double>(setup.shape.head_dim());
    const double g = setup.options.real("gamma"), s = setup.options.real("scale_base");
    for (double c = 0; c < d; c += 2) {
      frequencies_.push_back(std::pow(setup.options.real("base"), -c / d));
      log_decay_.push_back(std::log((c / d + g) / (1 + g)) / s);
    }
  }

  QueryKey<T> transform(const QueryKey<T>& qk, const Context& context) const override {
    const auto& turns = context.memo->get<TurnsOfBoth<T>>("xpos", [&] { return turns_of(context); });
    const auto turn = [&](const Variable<T>& x, const auto& table) {
      return rotate(x, table, turns.row_of_token, layout_, heads_, context.heads.first, context.heads.count);
    };
    return {turn(qk.q, turns.query), turn(qk.k, turns.key)};
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    if (block_ == 0 || context.phase == Phase::train) return {};
    return {.window = std::make_shared<Blocks>(block_)};
  }

 private:
  TurnsOfBoth<T> turns_of(const Context& context) const {
    const auto ids = context.ids("sequence");
    DistinctRows<std::pair<double, double>> rows;  // (id, id counted from the middle)
    for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b) {
      const std::size_t begin = context.offsets[b], end = context.offsets[b + 1];
      for (std::size_t i = begin; i < end; ++i) {
        const bool placed = context.positions->placed(i);
        const double id = placed ? ids[i] : 0, from_middle = placed ? id - ids[begin + (end - begin) / 2] : 0;
        check_range(from_middle);
        rows.add({id, from_middle});
      }
    }
    const auto& keys = rows.keys();
    const auto table = [&](double sign) {
      return angle_table<T>(keys.size(), frequencies_.size(), [&](std::size_t r, std::size_t m) {
        const auto [id, from_middle] = keys[r];
        return Polar{id * frequencies_[m], std::exp(sign * from_middle * log_decay_[m])};
      });
    };
    return {table(1), table(-1), rows.row_of_token()};
  }

  // The largest power and its reciprocal must both be ordinary numbers of T.
  void check_range(double from_middle) const {
    const double farthest = std::log(static_cast<double>(std::numeric_limits<T>::max())) - 1;
    require(std::abs(from_middle * log_decay_[0]) < farthest, "xpos: a token ", std::abs(from_middle),
            " positions from the middle of its sequence cannot be scaled in this precision, which reaches ",
            std::floor(-farthest / log_decay_[0]), " positions; use a larger xpos.scale_base or shorter sequences.");
  }

  std::size_t heads_;
  PairLayout layout_;
  std::size_t block_;
  std::vector<double> frequencies_, log_decay_;  // log_decay: ln z_m / s
};

const bool registered = register_encoding<XPos>({
    .section =
        {"xpos",
         "Rotary positions whose scores decay with distance, each pair at its own rate (Sun et al. 2022)",
         {real("base", 10000).above(1).says("the slowest pair turns once in 2 pi times about this many positions"),
          real("scale_base", 512).above(0).in("positions").says("the s of z_m^(distance / s)"),
          real("gamma", 0.4).above(0).says("the g of z_m = (2m/d + g) / (1 + g): larger decays less"),
          choice("layout", "interleaved", {"interleaved", "half"})
              .says("which channels form a pair: (2m, 2m + 1) or (m, m + d/2)"),
          integer("block", 0)
              .changeable()
              .in("tokens")
              .says("in evaluation, tokens see their own block of this many and the one before; 0: all")}},
    .source = "Sun et al. 2022, arXiv:2212.10554, section 2",
    .formula = "S += sum over pairs m of z_m^((p-r)/s) (R_p q)_m . (R_r k)_m, z_m = (2m/d + g) / (1 + g)",
    .verified = "torchscale, x-transformers (golden)",
    .relative = true,
    .causal_only = true,
    .check =
        [](const Options&, const ModelShape& shape) {
          require(shape.head_dim() % 2 == 0, "xpos: a head has ", shape.head_dim(),
                  " channels; they turn in pairs, so model.width / model.heads must be even.");
        },
});

}  // namespace
}  // namespace lengthwise
