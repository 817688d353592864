#include "core/distance_bias.h"

namespace lengthwise {
namespace {

template <class T>
class DistanceBias final : public ScoreTerm<T> {
 public:
  DistanceBias(Variable<T> table, std::shared_ptr<const DistanceColumns> columns, std::size_t first_head)
      : table_(std::move(table)), columns_(std::move(columns)), first_head_(first_head) {}

  bool pairwise() const override { return true; }
  std::vector<Variable<T>> inputs() const override { return {table_}; }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>&) const override {
    const T* row = table_.value().row(tile.head - first_head_);
    for_each_row(*columns_, tile, [&](std::size_t i, std::size_t begin, std::size_t end, auto column) {
      T* s = scores.row(i);
#pragma omp simd
      for (std::size_t j = begin; j < end; ++j) s[j] += row[column(j)];
    });
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>&, TileGradient<T>& into) const override {
    if (!into.inputs[0].data) return;
    T* row = into.inputs[0].row(tile.head - first_head_);
    for_each_row(*columns_, tile, [&](std::size_t i, std::size_t begin, std::size_t end, auto column) {
      const T* g = gradient.row(i);
      for (std::size_t j = begin; j < end; ++j) row[column(j)] += g[j];
    });
  }

 private:
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

template std::shared_ptr<const ScoreTerm<float>> distance_bias(Variable<float>, std::shared_ptr<const DistanceColumns>,
                                                               std::size_t);
template std::shared_ptr<const ScoreTerm<double>> distance_bias(Variable<double>,
                                                                std::shared_ptr<const DistanceColumns>, std::size_t);

}  // namespace lengthwise
