// A temperature a query: what SSMax and log-n scaling do to the scores of a row.
#pragma once

#include <functional>

#include "core/simd.h"
#include "encodings/encoding.h"

namespace lengthwise {

/// S_hij *= s_h g(n_i) + b_h, with n_i the keys that query i sees. s and b [H, 1]; without s it is 1, without b 0.
/// `scope`: "content" multiplies q.k / sqrt(d) alone, "all" the biases of other encodings, too.
template <class T>
class RowScale final : public ScoreTerm<T> {
 public:
  RowScale(const std::string& scope, std::function<double(double)> g, Variable<T> s = {}, Variable<T> b = {})
      : stage_(scope == "all" ? Stage::row_scale : Stage::content_scale),
        g_(std::move(g)),
        s_(std::move(s)),
        b_(std::move(b)) {}

  Stage stage() const override { return stage_; }
  std::vector<Variable<T>> inputs() const override {
    std::vector<Variable<T>> all;
    if (s_) all.push_back(s_);
    if (b_) all.push_back(b_);
    return all;
  }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>& scratch) const override {
    if (s_) copy(scores, scratch.matrix(0, scores.rows, scores.cols));
    each_row(tile, [&](std::size_t i, std::size_t begin, std::size_t n, double g) {
      multiply(scores.row(i) + begin, n, factor(tile, g));
    });
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>& scratch, TileGradient<T>& into) const override {
    each_row(tile, [&](std::size_t i, std::size_t begin, std::size_t n, double g) {
      T* d = gradient.row(i) + begin;
      if (s_) {
        const T of_factor = dot(d, scratch.matrix(0, gradient.rows, gradient.cols).row(i) + begin, n);
        if (into.inputs[0].data) into.inputs[0](tile.head, 0) += of_factor * static_cast<T>(g);
        if (b_ && into.inputs[1].data) into.inputs[1](tile.head, 0) += of_factor;
      }
      multiply(d, n, factor(tile, g));
    });
  }

 private:
  template <class Work>
  void each_row(const Tile<T>& tile, Work work) const {
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      const auto [begin, end] = tile.visible[i];
      if (begin < end) work(i, begin, end - begin, g_(static_cast<double>(end - begin)));
    }
  }
  T factor(const Tile<T>& tile, double g) const {
    return (s_ ? s_.value()(tile.head, 0) : T(1)) * static_cast<T>(g) + (b_ ? b_.value()(tile.head, 0) : T(0));
  }
  static void multiply(T* x, std::size_t n, T by) {
#pragma omp simd
    for (std::size_t j = 0; j < n; ++j) x[j] *= by;
  }

  Stage stage_;
  std::function<double(double)> g_;
  Variable<T> s_, b_;
};

}  // namespace lengthwise
