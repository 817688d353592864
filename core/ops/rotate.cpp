#include "core/ops/rotate.h"

namespace lengthwise {
namespace {

template <class T>
struct Rotation {
  std::shared_ptr<const AngleTable<T>> table;
  std::vector<std::size_t> row;
  PairLayout layout;
  std::size_t heads, first_head, head_count;

  // y = the rotation of x by `direction` (+1 or -1) times the angle; y may be x.
  void turn(Matrix<const T> x, Matrix<T> y, T direction) const {
    const std::size_t d = x.cols / heads, pairs = table->cosine.cols();
    for (std::size_t i = 0; i < x.rows; ++i) {
      const T* c = table->cosine.row(row[i]);  // there may be no pairs
      const T* s = table->sine.row(row[i]);
      if (x.data != y.data) std::copy_n(x.row(i), x.cols, y.row(i));
      for (std::size_t h = first_head; h < first_head + head_count; ++h) {
        T* at = y.row(i) + h * d;
        if (layout == PairLayout::half) {
#pragma omp simd
          for (std::size_t m = 0; m < pairs; ++m) {
            const T a = at[m], b = at[m + pairs];
            at[m] = a * c[m] - direction * b * s[m];
            at[m + pairs] = b * c[m] + direction * a * s[m];
          }
        } else {
          for (std::size_t m = 0; m < pairs; ++m) {
            const T a = at[2 * m], b = at[2 * m + 1];
            at[2 * m] = a * c[m] - direction * b * s[m];
            at[2 * m + 1] = b * c[m] + direction * a * s[m];
          }
        }
      }
    }
  }
};

}  // namespace

template <class T>
Variable<T> rotate(const Variable<T>& x, std::shared_ptr<const AngleTable<T>> table,
                   std::vector<std::size_t> row_of_token, PairLayout layout, std::size_t heads, std::size_t first_head,
                   std::size_t head_count) {
  assert(row_of_token.size() == x.rows() && 2 * table->cosine.cols() <= x.cols() / heads);
  assert(first_head + head_count <= heads);
  Array<T> y = uninitialized<T>(x.rows(), x.cols());
  auto rotation = std::make_shared<Rotation<T>>(
      Rotation<T>{std::move(table), std::move(row_of_token), layout, heads, first_head, head_count});
  rotation->turn(x.value(), view(y), 1);
  return record<T>("rotate", std::move(y), {x}, [rotation](Array<T>& gradient, Sink<T>& into) {
    rotation->turn(view(std::as_const(gradient)), view(gradient), -1);
    into.add(0, std::move(gradient));
  });
}

template Variable<float> rotate(const Variable<float>&, std::shared_ptr<const AngleTable<float>>,
                                std::vector<std::size_t>, PairLayout, std::size_t, std::size_t, std::size_t);
template Variable<double> rotate(const Variable<double>&, std::shared_ptr<const AngleTable<double>>,
                                 std::vector<std::size_t>, PairLayout, std::size_t, std::size_t, std::size_t);

}  // namespace lengthwise
