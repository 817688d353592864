// Learned absolute positions:  x_p += E[p]
//
// Source      Gehring et al. 2017 (arXiv:1705.03122); Radford et al. 2019 (GPT-2).
// Parameters  E (positions, D), normal with deviation init_std (0.02) at first. Row 0 is position 0: no hidden offset.
// Options     positions: rows of the table; 0 = as many as the longest training sequence has tokens (L). past: what
//             position p >= L reads in a sequence of n > L tokens. error: its own row, if the table has one; clamp: row
//             L - 1; tile: row p mod L; resample: rows 0 .. L - 1 interpolated to n rows (kernel: linear, cubic), at
//             every position of the sequence. strict: error also refuses rows that exist but were not trained. Both act
//             in evaluation; in training every position reads its own row.
// Tokens that a task places nowhere (a class token) have a row, too, by their place in the sequence.
// Past L      error beyond the table, unless asked otherwise. Rows from L on exist only when asked for, and are
//             untrained.
#include "core/ops/embedding.h"
#include "core/ops/weighted_rows.h"
#include "encodings/position_table.h"
#include "encodings/resampling.h"

namespace lengthwise {
namespace {

template <class T>
class Learned final : public Encoding<T> {
 public:
  explicit Learned(const EncodingSetup<T>& setup)
      : rows_(table_rows(setup.options, setup.shape)),
        trained_(std::min(rows_, setup.shape.train_positions)),
        past_(setup.options.text("past")),
        kernel_(setup.options.text("kernel")),
        strict_(setup.options.flag("strict")),
        table_(setup.store.table("learned.table", rows_, setup.shape.width,
                                 initial_normal(setup.options.real("init_std")))) {}

  Variable<T> embed(const Variable<T>& x, const Context& context) const override {
    const bool training = context.phase == Phase::train;
    if (past_ == "resample" && !training) return add(x, weighted_rows(table_.variable(), resampled(context)));
    const auto ids = context.ids("sequence");
    std::vector<std::size_t> rows(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
      rows[i] = training ? row(ids[i], "error", rows_) : row(ids[i], past_, strict_ ? trained_ : rows_);
    return add(x, embedding(table_.variable(), std::move(rows)));
  }

 private:
  std::size_t row(double id, const std::string& past, std::size_t served) const {
    if (past == "error")
      require(id < static_cast<double>(served), "learned: position ", id, " is not a row of the table, which has the ",
              served < rows_ ? "trained" : "whole-numbered", " rows 0 to ", served - 1,
              "; train with a larger learned.positions, or evaluate shorter sequences.");
    require(id >= 0 && id == std::floor(id), "learned: position ", id,
            " is not a row of the table, which has the whole-numbered rows 0 to ", rows_ - 1,
            "; use a position scheme that gives whole numbers.");
    const auto p = static_cast<std::size_t>(id);
    if (past == "error" || p < trained_) return p;
    return past == "tile" ? p % trained_ : trained_ - 1;
  }

  std::shared_ptr<const RowWeights<T>> resampled(const Context& context) const {
    const auto ids = context.ids("sequence");
    auto weights = std::make_shared<RowWeights<T>>();
    for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b) {
      const std::size_t n = std::max(trained_, context.offsets[b + 1] - context.offsets[b]);
      for (std::size_t i = context.offsets[b]; i < context.offsets[b + 1]; ++i) {
        require(ids[i] >= 0 && ids[i] < static_cast<double>(n) && ids[i] == std::floor(ids[i]), "learned: position ",
                ids[i], " is none of 0 to ", n - 1,
                ", to which learned.past = resample stretches the table; use positions.scheme = sequential.");
        for (const Tap& tap : resampling_taps({.kernel = kernel_}, trained_, n, static_cast<std::size_t>(ids[i])))
          weights->add(tap.index, static_cast<T>(tap.weight));
        weights->end_row();
      }
    }
    return weights;
  }

  std::size_t rows_, trained_;
  std::string past_, kernel_;
  bool strict_;
  Parameter<T> table_;
};

const bool registered = register_encoding<Learned>({
    .section =
        {"learned",
         "Learned absolute positions added to the token embeddings (Gehring et al. 2017)",
         {table_positions_option(), real("init_std", 0.02).at_least(0).says("standard deviation of the initial rows"),
          choice("past", "error", {"error", "clamp", "tile", "resample"})
              .changeable()
              .says("beyond the trained rows: refuse, repeat the last, repeat all, or stretch all to the length of the "
                    "sequence"),
          choice("kernel", "linear", {"linear", "cubic"}).changeable().says("how past = resample interpolates"),
          flag("strict", false).changeable().says("past = error refuses untrained rows of a larger table, too")}},
    .source = "Gehring et al. 2017, arXiv:1705.03122; Radford et al. 2019 (GPT-2)",
    .formula = "x_p += E[p]",
    .verified = "a reference model, nanoGPT (golden)",
    .past_length = PastLength::error,
    .needs_whole_ids = true,
    .max_positions = [](const Options& options, const ModelShape& shape) -> std::size_t {
      if (options.text("past") != "error") return std::numeric_limits<std::size_t>::max();
      const std::size_t rows = table_rows(options, shape);
      return options.flag("strict") ? std::min(rows, shape.train_positions) : rows;
    },
    .check = check_table_rows,
    .follows_length = [](const Options& options) { return options.text("past") == "resample"; },
});

}  // namespace
}  // namespace lengthwise
