// The machine's limit for float: independent chains of fused multiply-adds in registers.
#pragma once

#include <cstddef>
#include <xsimd/xsimd.hpp>

#include "core/parallel.h"
#include "program.h"

namespace lengthwise {

/// Enough chains to fill two units of four to five cycles each.
constexpr std::size_t fma_chain_count = 12;

inline double fma_chains_flops(std::size_t rounds) {
  return 2.0 * static_cast<double>(rounds * fma_chain_count * xsimd::batch<float>::size);
}

/// The sum of all chains, so that none is optimised away; each begins with another value, so that no two are merged. A
/// compiler that saw the body would run it once for several calls.
[[gnu::noipa]] inline float fma_chains(std::size_t rounds) {
  using V = xsimd::batch<float>;
  V a0(0.f), a1(1.f), a2(2.f), a3(3.f), a4(4.f), a5(5.f), a6(6.f), a7(7.f), a8(8.f), a9(9.f), a10(10.f), a11(11.f);
  const V factor(0.9999f), summand(1e-7f);
  for (std::size_t r = 0; r < rounds; ++r)
    for (V* chain : {&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11})
      *chain = xsimd::fma(*chain, factor, summand);
  return xsimd::hadd(a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11);
}

/// FLOP/s that all threads together keep up for a hundredth of a second.
inline double fma_peak() {
  constexpr std::size_t rounds = 20000;
  constexpr double seconds = 0.01;
  double total = 0;
#pragma omp parallel num_threads(static_cast <int>(threads())) reduction(+ : total)
  {
    const double begin = now();
    std::size_t done = 0;
    for (; now() < begin + seconds; ++done) fma_chains(rounds);
    total += fma_chains_flops(done * rounds) / (now() - begin);
  }
  return total;
}

}  // namespace lengthwise
