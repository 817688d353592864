// Learned absolute positions:  x_p += E[p]
//
// Source      Gehring et al. 2017 (arXiv:1705.03122); Radford et al. 2019 (GPT-2).
// Parameters  E (positions, D), normal with deviation init_std (0.02) at first. Row 0 is position 0: no hidden offset.
// Options     positions: rows of the table; 0 = as many as the longest training sequence has tokens.
// Past L      error beyond the table. Rows past the longest training sequence exist only when asked for, and are untrained.
#include "core/ops/embedding.h"
#include "encodings/encoding.h"

namespace lengthwise {
namespace {

std::size_t table_size(const Options& options, std::size_t train_positions) {
  return options.count("positions") ? options.count("positions") : train_positions;
}

template <class T>
class Learned final : public Encoding<T> {
 public:
  explicit Learned(const EncodingSetup<T>& setup)
      : rows_(table_size(setup.options, setup.shape.train_positions)),
        table_(setup.store.shared("learned.table", rows_, setup.shape.width, initial_normal(setup.options.real("init_std")))) {}

  Variable<T> embed(const Variable<T>& x, const Context& context) const override {
    const auto ids = context.ids("sequence");
    std::vector<std::size_t> rows(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) rows[i] = row(ids[i]);
    return add(x, embedding(table_.variable(), std::move(rows)));
  }

  std::size_t table_rows() const override { return rows_; }
  std::size_t table_row(double, double key) const override { return row(key); }

 private:
  std::size_t row(double id) const {
    require(id >= 0 && id < static_cast<double>(rows_) && id == std::floor(id), "learned: position ", id,
            " is not a row of the table, which has the whole-numbered rows 0 to ", rows_ - 1,
            "; train with a larger learned.positions, or evaluate shorter sequences.");
    return static_cast<std::size_t>(id);
  }

  std::size_t rows_;
  Parameter<T> table_;
};

const bool registered = register_encoding<Learned>({
    .section = {"learned",
                "Learned absolute positions added to the token embeddings (Gehring et al. 2017)",
                {integer("positions", 0).at_most(1 << 24).in("tokens").says("rows of the table; 0: the tokens of the longest training sequence"),
                 real("init_std", 0.02).at_least(0).says("standard deviation of the initial rows")}},
    .source = "Gehring et al. 2017, arXiv:1705.03122; Radford et al. 2019 (GPT-2)",
    .formula = "x_p += E[p]",
    .past_length = PastLength::error,
    .needs_whole_ids = true,
    .max_positions = [](const Options& options, const ModelShape& shape) { return table_size(options, shape.train_positions); },
    .check = [](const Options& options, const ModelShape& shape) {
      const std::size_t rows = options.count("positions");
      require(rows == 0 || rows >= shape.train_positions, "learned: learned.positions is ", rows,
              ", but training sequences have up to ", shape.train_positions, " tokens; set it to at least that, or to 0.");
    },
});

}  // namespace
}  // namespace lengthwise
