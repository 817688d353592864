// Counter-based random numbers: a draw is a function of the seed, the stream it belongs to and its index, of nothing
// else.
//
// Source  Philox4x32-10: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3", section 3.
// Why     the standard library's distributions differ between implementations; exact resume needs no generator state.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fnv1a.h"

namespace lengthwise {

/// Ten rounds of Philox on one 128-bit counter under a 64-bit key.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0], b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9, key[1] += 0xBB67AE85;
  }
  return counter;
}

/// A stream of draws. Copies draw the same numbers; at(...) opens an independent stream, whatever was drawn before.
class Rng {
 public:
  explicit Rng(std::uint64_t seed = 0) : key_(seed) {}

  /// The stream with this number or name below this one.
  Rng at(std::uint64_t index) const { return Rng(block(index, 0x73747265616D)); }
  Rng at(std::string_view name) const { return Rng(block(Fnv1a().add(name).value(), 0x6E616D65)); }

  /// The draw with this index: 64 random bits. Does not move the stream.
  std::uint64_t bits(std::uint64_t index) const { return block(index, 0); }

  std::uint64_t next() { return bits(drawn_++); }

  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform on 0 .. n-1, without bias (Lemire 2019, rejection). n >= 1.
  std::uint64_t below(std::uint64_t n) {
    for (;;) {
      const Wide product = static_cast<Wide>(next()) * n;
      if (static_cast<std::uint64_t>(product) >= (0 - n) % n) return static_cast<std::uint64_t>(product >> 64);
    }
  }

  /// Uniform on low .. high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

  bool flip() { return next() >> 63; }

  /// Standard normal (Box and Muller; one value a call).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586476925 * uniform());
  }

  /// Fisher and Yates.
  template <class Values>
  void shuffle(Values& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

  /// `count` distinct numbers of 0 .. n-1 in random order. count <= n.
  std::vector<std::size_t> distinct(std::size_t n, std::size_t count) {
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + below(n - i)]);
    all.resize(count);
    return all;
  }

 private:
  __extension__ typedef unsigned __int128 Wide;

  std::uint64_t block(std::uint64_t index, std::uint64_t purpose) const {
    const auto half = [](std::uint64_t x, int shift) { return static_cast<std::uint32_t>(x >> shift); };
    const auto out =
        philox({half(index, 0), half(index, 32), half(purpose, 0), half(purpose, 32)}, {half(key_, 0), half(key_, 32)});
    return std::uint64_t{out[1]} << 32 | out[0];
  }

  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace lengthwise
