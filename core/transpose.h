// Transposition of float matrices in vector registers.
#pragma once

#include <cstring>
#include <utility>
#include <xsimd/xsimd.hpp>

#include "core/array.h"

namespace lengthwise {

/// Rows and columns of the square that transpose_square works on: the width of a vector.
constexpr std::size_t square = xsimd::batch<float>::size;

/// to(c, r) = from(r, c) for r, c < square, where rows of `from` past its last one count as zeros. `to` has `stride`
/// values a row.
inline void transpose_square(Matrix<const float> from, float* to, std::size_t stride) {
  using Lanes [[gnu::vector_size(square * sizeof(float))]] = float;
  const auto zip = []<std::size_t... i>(Lanes a, Lanes b, Lanes * low_high, std::index_sequence<i...>) {
    low_high[0] = __builtin_shufflevector(a, b, (i / 2 + (i % 2) * square)...);
    low_high[1] = __builtin_shufflevector(a, b, (square / 2 + i / 2 + (i % 2) * square)...);
  };
  Lanes x[square] = {};
  if (from.rows >= square) {
#pragma GCC unroll 16
    for (std::size_t r = 0; r < square; ++r) std::memcpy(&x[r], from.row(r), sizeof(Lanes));
  } else {
#pragma GCC unroll 16
    for (std::size_t r = 0; r < square; ++r)
      if (r < from.rows) std::memcpy(&x[r], from.row(r), sizeof(Lanes));
  }
  // Row i meets row i + square/2: every round moves one bit of an entry's row number to its column number.
#pragma GCC unroll 4
  for (std::size_t bits = 1; bits < square; bits *= 2) {
    Lanes y[square];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < square / 2; ++i)
      zip(x[i], x[i + square / 2], y + 2 * i, std::make_index_sequence<square>());
#pragma GCC unroll 16
    for (std::size_t i = 0; i < square; ++i) x[i] = y[i];
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < square; ++i) std::memcpy(to + i * stride, &x[i], sizeof(Lanes));
}

/// to = from transposed.
inline void transpose(Matrix<const float> from, Matrix<float> to) {
  assert(from.rows == to.cols && from.cols == to.rows);
  const std::size_t rows = from.rows / square * square, cols = from.cols / square * square;
  for (std::size_t r = 0; r < rows; r += square)
    for (std::size_t c = 0; c < cols; c += square)
      transpose_square({from.row(r) + c, square, square, from.stride}, to.row(c) + r, to.stride);
  for (std::size_t r = 0; r < from.rows; ++r)
    for (std::size_t c = r < rows ? cols : 0; c < from.cols; ++c) to(c, r) = from(r, c);
}

}  // namespace lengthwise
