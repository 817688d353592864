#include "core/tile_products.h"

#include <array>
#include <utility>
#include <xsimd/xsimd.hpp>

#include "core/gemm.h"
#include "core/transpose.h"

namespace lengthwise {
namespace {

// Small products: half of a causal tile is not needed, and heads are narrow, so that a library spends more time around
// its kernel than in it. The kernel here keeps a block of the result in registers: some rows of one or two vectors.
using Vector = xsimd::batch<float>;
constexpr std::size_t lanes = Vector::size;
constexpr std::size_t block_rows = lanes == 16 ? 8 : 4;  // of two vectors, by the number of registers
constexpr std::size_t block_rows_of(std::size_t columns) { return columns == lanes ? 2 * block_rows : block_rows; }
constexpr std::size_t panel = 2 * lanes;
constexpr std::size_t widest_head = 256;  // a panel of keys lies on the stack
constexpr std::size_t most_blocks = 16;   // of rows that share a panel

/// Heads of other widths, and lone rows, are left to gemm.
bool has_kernel(std::size_t rows, std::size_t d) {
  return rows >= block_rows / 2 && d % lanes == 0 && d <= widest_head;
}

/// The left factor of a block: entry (row r, term k) is data[r * row + k * term].
struct Left {
  const float* data;
  std::size_t row, term;
};

// to(r, c) = alpha sum over k < terms of left(r, k) right(k, c) + beta to(r, c). Every argument is a number of its own:
// structures go by way of the stack, and a call is as short as that.
template <std::size_t rows, std::size_t vectors>
void multiply(const float* left, std::size_t left_row, std::size_t left_term, std::size_t terms, const float* right,
              std::size_t right_stride, float alpha, float beta, float* to, std::size_t stride) {
  Vector sums[rows][vectors];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (std::size_t c = 0; c < vectors; ++c) sums[r][c] = Vector(0.f);
  for (std::size_t k = 0; k < terms; ++k) {
    const float* at = right + k * right_stride;
    Vector b[vectors];
#pragma GCC unroll 2
    for (std::size_t c = 0; c < vectors; ++c) b[c] = Vector::load_unaligned(at + c * lanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < rows; ++r) {
      const Vector a(left[r * left_row + k * left_term]);
#pragma GCC unroll 2
      for (std::size_t c = 0; c < vectors; ++c) sums[r][c] = xsimd::fma(a, b[c], sums[r][c]);
    }
  }
  const Vector factor(alpha);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (std::size_t c = 0; c < vectors; ++c) {
      float* out = to + r * stride + c * lanes;
      const Vector sum = sums[r][c] * factor;
      (beta == 0 ? sum : sum + Vector::load_unaligned(out)).store_unaligned(out);
    }
}

template <std::size_t vectors, std::size_t... r>
constexpr auto kernels_of(std::index_sequence<r...>) {
  return std::array{multiply<r + 1, vectors>...};
}
constexpr auto one_vector = kernels_of<1>(std::make_index_sequence<2 * block_rows>());
constexpr auto two_vectors = kernels_of<2>(std::make_index_sequence<block_rows>());

/// The same for the terms of a range, 1 .. block_rows_of(right.cols) rows and `right.cols` columns, a multiple of the
/// vectors' width.
void multiply(std::size_t rows, Left left, KeyRange terms, Matrix<const float> right, float alpha, float beta,
              float* to, std::size_t stride) {
  const float* first = left.data + terms.begin * left.term;
  for (std::size_t c = 0; c < right.cols; c += panel) {
    const auto kernel = c + lanes < right.cols ? two_vectors[rows - 1] : one_vector[rows - 1];
    kernel(first, left.row, left.term, terms.end - terms.begin, right.row(terms.begin) + c, right.stride, alpha, beta,
           to + c, stride);
  }
}

/// The smallest range with all keys that some rows see.
KeyRange seen_by(std::span<const KeyRange> rows) {
  KeyRange all = rows[0];
  for (const KeyRange& seen : rows) all = {std::min(all.begin, seen.begin), std::max(all.end, seen.end)};
  return all;
}

/// The keys first .. first + lanes - 1 of b, zeros beyond its last: to(c, j) = b(first + j, c).
void transpose_keys(Matrix<const float> b, std::size_t first, float* to) {
  const std::size_t keys = std::min(lanes, b.rows - first);
  for (std::size_t c = 0; c < b.cols; c += lanes)
    transpose_square({b.row(first) + c, keys, lanes, b.stride}, to + c * panel, panel);
}

}  // namespace

template <>
void tile_scores<float>(std::span<const KeyRange> visible, float alpha, Matrix<const float> a, Matrix<const float> b,
                        Matrix<float> to) {
  if (!has_kernel(a.rows, a.cols)) return gemm<float>(Op::none, Op::transpose, alpha, a, b, 0, to);
  alignas(64) float keys[widest_head * panel];
  for (std::size_t top = 0; top < a.rows; top += most_blocks * block_rows) {
    const std::size_t bottom = std::min(top + most_blocks * block_rows, a.rows);
    std::array<KeyRange, most_blocks> seen;
    for (std::size_t i = top, block = 0; i < bottom; i += block_rows, ++block)
      seen[block] = seen_by(visible.subspan(i, std::min(block_rows, bottom - i)));
    for (std::size_t first = 0; first < b.rows; first += panel) {
      const std::size_t vectors = first + lanes < b.rows ? 2 : 1;
      for (std::size_t v = 0; v < vectors; ++v) transpose_keys(b, first + v * lanes, keys + v * lanes);
      for (std::size_t i = top, block = 0; i < bottom; i += block_rows, ++block) {
        const std::size_t rows = std::min(block_rows, bottom - i);
        const auto [begin, end] = seen[block];
        const std::size_t needed = begin >= first + vectors * lanes || end <= first ? 0
                                   : end <= first + lanes                           ? 1
                                                                                    : vectors;
        if (needed < vectors)
          for (std::size_t r = 0; r < rows; ++r)
            std::fill(to.row(i + r) + first + needed * lanes, to.row(i + r) + first + vectors * lanes, 0.f);
        if (needed > 0)
          multiply(rows, {a.row(i), a.stride, 1}, {0, a.cols}, {keys, a.cols, needed * lanes, panel}, alpha, 0,
                   to.row(i) + first, to.stride);
      }
    }
  }
}

template <>
void tile_sum_over_keys<float>(std::span<const KeyRange> visible, float alpha, Matrix<const float> w,
                               Matrix<const float> b, float beta, Matrix<float> to) {
  if (!has_kernel(w.rows, b.cols)) return gemm<float>(Op::none, Op::none, alpha, w, b, beta, to);
  const std::size_t block = block_rows_of(b.cols);
  for (std::size_t i = 0; i < w.rows; i += block) {
    const std::size_t rows = std::min(block, w.rows - i);
    multiply(rows, {w.row(i), w.stride, 1}, seen_by(visible.subspan(i, rows)), b, alpha, beta, to.row(i), to.stride);
  }
}

template <>
void tile_sum_over_rows<float>(std::span<const KeyRange> visible, float alpha, Matrix<const float> w,
                               Matrix<const float> a, Matrix<float> to) {
  if (!has_kernel(w.rows, a.cols)) return gemm<float>(Op::transpose, Op::none, alpha, w, a, 1, to);
  KeyRange rows{0, w.rows};
  const std::size_t block = block_rows_of(a.cols);
  for (std::size_t j = 0; j < w.cols; j += block) {
    const std::size_t keys = std::min(block, w.cols - j);
    while (rows.begin < rows.end && visible[rows.begin].end <= j) ++rows.begin;
    rows.end = w.rows;
    while (rows.begin < rows.end && visible[rows.end - 1].begin >= j + keys) --rows.end;
    multiply(keys, {w.data + j, 1, w.stride}, rows, a, alpha, 1, to.row(j), to.stride);
  }
}

template <>
void tile_scores<double>(std::span<const KeyRange>, double alpha, Matrix<const double> a, Matrix<const double> b,
                         Matrix<double> to) {
  gemm<double>(Op::none, Op::transpose, alpha, a, b, 0, to);
}

template <>
void tile_sum_over_keys<double>(std::span<const KeyRange>, double alpha, Matrix<const double> w, Matrix<const double> b,
                                double beta, Matrix<double> to) {
  gemm<double>(Op::none, Op::none, alpha, w, b, beta, to);
}

template <>
void tile_sum_over_rows<double>(std::span<const KeyRange>, double alpha, Matrix<const double> w, Matrix<const double> a,
                                Matrix<double> to) {
  gemm<double>(Op::transpose, Op::none, alpha, w, a, 1, to);
}

}  // namespace lengthwise
