// Times the forward pass over one long sequence, every row scored; one JSON line:
//     long_evaluation --encoding alibi --tokens 16384 --threads 2
#include "bench_model.h"
#include "core/parallel.h"
#include "program.h"

using namespace lengthwise;

int main(int count, char** words) {
  const Flags flags(
      count, words,
      {{"size", "B"}, {"encoding", "alibi"}, {"tokens", "4096"}, {"threads", "2"}, {"seconds", "3"}, {"warm", "1"}});
  const BenchSize& size = bench_sizes().at(flags.text("size"));
  const std::size_t n = flags.count("tokens");
  set_threads(flags.count("threads"));
  ParameterStore<float> store(1);
  const Transformer<float> model(bench_model(size, flags.text("encoding")), store);
  const RandomTokens task(size.vocabulary);
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  const std::vector<Example> examples{task.example(n, make_draw(0, Stream::evaluation, "random", n, 0))};
  const std::vector<Rng> streams(1);
  const TransposedWeights<float> weights(store);
  const Timing timing = timed(flags.real("seconds"), static_cast<int>(flags.count("warm")), [&] {
    const Batch batch = make_batch(examples, streams, *scheme, Phase::evaluate, size.length);
    return model.logits(batch, Phase::evaluate).rows();
  });
  report(flags, timing, join("\"tokens\": ", n));
}
