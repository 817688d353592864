// Rotary positions:  q_p, k_p turned by p w_m in every pair m of channels,  w_m = base^(-2m / r)
//
// Source      Su et al. 2021, RoFormer (arXiv:2104.09864), eq. 34. Partial: Black et al. 2022 (arXiv:2204.06745).
// Parameters  none.
// Options     base (10000), layout (half: pairs (m, m + r/2); interleaved: (2m, 2m + 1)), fraction of each head that is
//             turned (1): its first r = fraction d channels, with frequencies of width r.
// Past L      extrapolate: pairs whose wavelength exceeds L meet angles they were never trained on.
#include "core/ops/rotate.h"
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

std::size_t rotary_width(const Options& options, std::size_t head_dim) {
  return static_cast<std::size_t>(options.real("fraction") * static_cast<double>(head_dim) + 1e-9);
}

template <class T>
struct Turns {
  std::shared_ptr<const AngleTable<T>> table;
  std::vector<std::size_t> row_of_token;
};

template <class T>
class Rope final : public Encoding<T> {
 public:
  explicit Rope(const EncodingSetup<T>& setup)
      : heads_(setup.shape.heads),
        layout_(setup.options.text("layout") == "half" ? PairLayout::half : PairLayout::interleaved) {
    const std::size_t width = rotary_width(setup.options, setup.shape.head_dim());
    for (std::size_t m = 0; m < width / 2; ++m)
      frequencies_.push_back(std::pow(setup.options.real("base"), -2.0 * static_cast<double>(m) / static_cast<double>(width)));
  }

  QueryKey<T> transform(const QueryKey<T>& qk, const Context& context) const override {
    const auto& turns = context.memo->get<Turns<T>>("rope", [&] { return turns_of(context); });
    const auto turn = [&](const Variable<T>& x) {
      return rotate(x, turns.table, turns.row_of_token, layout_, heads_, context.heads.first, context.heads.count);
    };
    return {turn(qk.q), turn(qk.k)};
  }

 private:
  // One table row for each distinct id when ids count tokens, one for each token otherwise.
  Turns<T> turns_of(const Context& context) const {
    const auto ids = context.ids("sequence");
    Turns<T> turns;
    std::vector<double> rows;
    std::map<double, std::size_t> row_of_id;
    turns.row_of_token.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool unplaced = !context.positions->without_position.empty() && context.positions->without_position[i];
      const double id = unplaced ? 0 : ids[i];
      const auto [at, fresh] = row_of_id.try_emplace(id, rows.size());
      if (fresh) rows.push_back(id);
      turns.row_of_token.push_back(at->second);
    }
    auto table = std::make_shared<AngleTable<T>>();
    table->cosine = uninitialized<T>(rows.size(), frequencies_.size());
    table->sine = uninitialized<T>(rows.size(), frequencies_.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t m = 0; m < frequencies_.size(); ++m) {
        const double angle = rows[r] * frequencies_[m];
        table->cosine(r, m) = static_cast<T>(std::cos(angle));
        table->sine(r, m) = static_cast<T>(std::sin(angle));
      }
    turns.table = std::move(table);
    return turns;
  }

  std::size_t heads_;
  PairLayout layout_;
  std::vector<double> frequencies_;
};

const bool registered = register_encoding<Rope>({
    .section = {"rope",
                "Rotary positions: queries and keys turned by their position (Su et al. 2021)",
                {real("base", 10000).above(1).says("the slowest pair turns once in 2 pi times about this many positions"),
                 choice("layout", "half", {"half", "interleaved"}).says("which channels form a pair: (m, m + r/2) or (2m, 2m + 1)"),
                 real("fraction", 1).at_least(0).at_most(1).says("share of each head's channels that is turned, from the first on")}},
    .source = "Su et al. 2021, arXiv:2104.09864, eq. 34; partial: Black et al. 2022, arXiv:2204.06745",
    .formula = "(x1, x2) -> (x1 cos p w_m - x2 sin p w_m, x2 cos p w_m + x1 sin p w_m), w_m = base^(-2m/r)",
    .relative = true,
    .check = [](const Options& options, const ModelShape& shape) {
      const std::size_t width = rotary_width(options, shape.head_dim());
      require(width % 2 == 0, "rope: rope.fraction = ", options.real("fraction"), " of a head of ", shape.head_dim(), " channels is ",
              width, "; channels turn in pairs, so it must be even.");
    },
});

}  // namespace
}  // namespace lengthwise
