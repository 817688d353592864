#include "core/distance_bias.h"

namespace lengthwise {
namespace {

template <class T>
class DistanceBias final : public ScoreTerm<T> {
 public:
  DistanceBias(Variable<T> table, std::shared_ptr<const DistanceColumns> columns, std::size_t first_head)
      : table_(std::move(table)), columns_(std::move(columns)), first_head_(first_head) {}

  std::vector<Variable<T>> inputs() const override { return {table_}; }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>&) const override {
    const T* row = table_.value().row(tile.head - first_head_);
    each_row(tile, [&](std::size_t i, std::size_t begin, std::size_t end, auto column) {
      T* s = scores.row(i);
#pragma omp simd
      for (std::size_t j = begin; j < end; ++j) s[j] += row[column(j)];
    });
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>&, TileGradient<T>& into) const override {
    if (!into.inputs[0].data) return;
    T* row = into.inputs[0].row(tile.head - first_head_);
    each_row(tile, [&](std::size_t i, std::size_t begin, std::size_t end, auto column) {
      const T* g = gradient.row(i);
      for (std::size_t j = begin; j < end; ++j) row[column(j)] += g[j];
    });
  }

 private:
  // Calls work(row, first key, last key + 1, key -> column).
  template <class Work>
  void each_row(const Tile<T>& tile, Work work) const {
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = tile.visible[i];
      const std::size_t query = tile.query_rows[i];
      switch (columns_->kind) {
        case DistanceColumns::Kind::rows: {
          const std::size_t from = columns_->zero + query;
          assert(begin >= end || (from >= end - 1 && from - begin < table_.cols()));
          work(i, begin, end, [from](std::size_t j) { return from - j; });
          break;
        }
        case DistanceColumns::Kind::ids: {
          const std::int64_t* ids = columns_->ids.data() + tile.begin;
          const std::int64_t from = static_cast<std::int64_t>(columns_->zero) + ids[query];
          work(i, begin, end, [from, ids](std::size_t j) { return static_cast<std::size_t>(from - ids[j]); });
          break;
        }
        case DistanceColumns::Kind::pairs: {
          const std::size_t from = columns_->first[tile.sequence] + query * tile.length;
          work(i, begin, end, [from](std::size_t j) { return from + j; });
          break;
        }
      }
    }
  }

  Variable<T> table_;
  std::shared_ptr<const DistanceColumns> columns_;
  std::size_t first_head_;
};

}  // namespace

template <class T>
std::shared_ptr<const ScoreTerm<T>> distance_bias(Variable<T> table, std::shared_ptr<const DistanceColumns> columns,
                                                  std::size_t first_head) {
  return std::make_shared<DistanceBias<T>>(std::move(table), std::move(columns), first_head);
}

template std::shared_ptr<const ScoreTerm<float>> distance_bias(Variable<float>, std::shared_ptr<const DistanceColumns>, std::size_t);
template std::shared_ptr<const ScoreTerm<double>> distance_bias(Variable<double>, std::shared_ptr<const DistanceColumns>, std::size_t);

}  // namespace lengthwise
