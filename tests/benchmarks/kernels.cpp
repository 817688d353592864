// The kernels that training and evaluation are made of, one thread each (Google Benchmark):
//     kernels --benchmark_filter='attention/alibi|gemm' --benchmark_repetitions=5
// GFLOPs counts multiplications and additions; of causal attention, those below the diagonal alone.
#include <benchmark/benchmark.h>

#include "attention_case.h"
#include "core/gemm.h"
#include "core/ops/activation.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/norm.h"
#include "core/optimizer.h"
#include "core/parallel.h"
#include "fma_peak.h"

namespace lengthwise {
namespace {

using benchmark::Counter;

void set_flops(benchmark::State& state, double each) {
  state.counters["FLOPs"] = Counter(each, Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

// The most that this core can do: what every other figure is a share of.
void peak(benchmark::State& state) {
  constexpr std::size_t rounds = 100000;
  for (auto _ : state) benchmark::DoNotOptimize(fma_chains(rounds));
  set_flops(state, fma_chains_flops(rounds));
}

struct Product {
  Op a, b;
  std::size_t rows, cols, inner;
};
void gemm_product(benchmark::State& state, const Product& p) {
  const Array<float> a =
      p.a == Op::none ? random_array<float>(p.rows, p.inner, 1) : random_array<float>(p.inner, p.rows, 1);
  const Array<float> b =
      p.b == Op::none ? random_array<float>(p.inner, p.cols, 2) : random_array<float>(p.cols, p.inner, 2);
  Array<float> c = zeros<float>(p.rows, p.cols);
  for (auto _ : state) gemm<float>(p.a, p.b, 1, view(a), view(b), 0, view(c));
  set_flops(state, 2.0 * static_cast<double>(p.rows * p.cols * p.inner));
}

void attention_case(benchmark::State& state, const std::string& encoding, bool backward) {
  const auto n = static_cast<std::size_t>(state.range(0));
  AttentionCase attention(encoding, n, std::max<std::size_t>(1, 1024 / n));
  for (auto _ : state) {
    if (backward)
      attention.forward_backward();
    else
      benchmark::DoNotOptimize(attention.forward().value().data);
  }
  set_flops(state, attention.forward_flops() * (backward ? 3 : 1));
}

// Forward and backward of an operation on [tokens, width].
void operation(benchmark::State& state, const std::function<Variable<float>(const Variable<float>&)>& f) {
  const auto tokens = static_cast<std::size_t>(state.range(0)), width = static_cast<std::size_t>(state.range(1));
  const Array<float> x = random_array<float>(tokens, width, 1);
  for (auto _ : state) {
    Tape<float> tape;
    const Variable<float> y = f(leaf(x));
    Array<float> ones = uninitialized<float>(y.rows(), y.cols());
    fill(view(ones), 1.0f);
    tape.backward(y, std::move(ones));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * tokens * width));
}

void adamw(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  ParameterStore<float> store(1);
  store.create("weight", 1, size, initial_normal(1), Decay::weights);
  AdamW<float> optimizer(store, {});
  const Array<float> gradient = random_array<float>(1, size, 1);
  for (auto _ : state) optimizer.update(view(gradient), 1, 1e-3);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * size));
}

void register_all() {
  benchmark::RegisterBenchmark("peak/fma", peak);

  // A shard of 512 tokens through the linear layers of the sizes A, B and C, and back.
  static std::vector<std::pair<std::string, Product>> products;
  for (const std::size_t d : {64, 128, 256})
    for (const auto& [out, in] : {std::pair{d, d}, {3 * d, d}, {4 * d, d}, {d, 4 * d}}) {
      const std::string shape = join(out, "x", in);
      products.push_back({"gemm/forward/" + shape, {Op::none, Op::transpose, 512, out, in}});
      products.push_back({"gemm/d_input/" + shape, {Op::none, Op::none, 512, in, out}});
      products.push_back({"gemm/d_weight/" + shape, {Op::transpose, Op::none, out, in, 512}});
    }
  for (const std::size_t d : {16, 32})
    for (const std::size_t keys : {64, 256, 1024, 4096}) {
      const std::string shape = join(keys, "/head", d);
      products.push_back({"gemm/qk/" + shape, {Op::none, Op::transpose, 64, keys, d}});
      products.push_back({"gemm/av/" + shape, {Op::none, Op::none, 64, d, keys}});
      products.push_back({"gemm/d_key/" + shape, {Op::transpose, Op::none, keys, d, 64}});
    }
  for (const auto& [name, product] : products)
    benchmark::RegisterBenchmark(name.c_str(), [p = product](benchmark::State& s) { gemm_product(s, p); });

  for (const auto& [name, info] : encodings())
    for (const bool backward : {false, true}) {
      const auto run = [encoding = name, backward](benchmark::State& s) { attention_case(s, encoding, backward); };
      auto* made = benchmark::RegisterBenchmark(
          join("attention/", name, backward ? "/forward_backward" : "/forward").c_str(), run);
      for (const std::int64_t n : {64, 128, 256, 1024, 4096})
        if (!info.max_positions || n <= 1024) made->Arg(n);
    }

  const auto op = [](const char* name, std::function<Variable<float>(const Variable<float>&)> f, std::int64_t factor) {
    auto* made = benchmark::RegisterBenchmark(name, [f](benchmark::State& s) { operation(s, f); });
    for (const std::int64_t d : {64, 128, 256}) made->Args({512, factor * d});
  };
  const auto row = [](const Variable<float>& x, float value) {
    Array<float> values = uninitialized<float>(1, x.cols());
    fill(view(values), value);
    return leaf(std::move(values));
  };
  op(
      "op/layer_norm", [row](const Variable<float>& x) { return layer_norm(x, row(x, 1), row(x, 0)); }, 1);
  op(
      "op/rms_norm", [row](const Variable<float>& x) { return rms_norm(x, row(x, 1)); }, 1);
  op(
      "op/gelu", [](const Variable<float>& x) { return gelu(x); }, 4);
  op(
      "op/relu", [](const Variable<float>& x) { return relu(x); }, 4);
  op(
      "op/cross_entropy", [](const Variable<float>& x) { return cross_entropy(x, std::vector<int>(x.rows(), 1), 1.f); },
      1);
  benchmark::RegisterBenchmark("op/adamw", adamw)->Arg(1 << 17)->Arg(1 << 20)->Arg(5 << 20);
}

}  // namespace
}  // namespace lengthwise

int main(int count, char** words) {
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
  const lengthwise::ParallelScope one_thread_without_denormals;
  lengthwise::register_all();
  benchmark::RunSpecifiedBenchmarks();
}
